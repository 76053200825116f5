// Lowered variables and when they are live.
#include <fmt/format.h>

#include "core/base/damaged_profile.h"
#include "core/import/readers.h"
#include "core/tiles/varint.h"

namespace tilescope {
namespace {

using ClassNumbers = std::unordered_map<std::int64_t, LivenessClassId>;

/// What a variable's bytes are used for: pva says it, or a variable of the compiler is named so.
MemoryCategory categoryOf(const std::string& category, const std::string& name) {
    if (const auto known = memoryCategoryFrom(category))
        return *known;
    return memoryCategoryFrom(name).value_or(MemoryCategory::Variable);
}

void readIntervals(const CaptureRows& row, std::int64_t steps, LivenessClass& live) {
    try {
        VarintReader reader(row.blob(1));
        std::uint64_t end = 0;
        const auto all = static_cast<std::uint64_t>(steps);
        while (!reader.atEnd()) {
            const std::uint64_t gap = reader.next();
            const std::uint64_t length = reader.next();
            if (gap > all - end || length == 0 || length > all - end - gap)
                row.damaged(1, "variables live over impossible steps");
            const std::uint64_t first = end + gap;
            end = first + length;
            live.intervals.push_back(
                {StepId(static_cast<std::size_t>(first)), StepId(static_cast<std::size_t>(end))});
        }
    } catch (const DamagedProfile&) {
        row.damaged(1, "it ends too early");
    }
}

/// The classes that variables use, with new numbers.
void readClasses(Importing& import, const ClassNumbers& numbers) {
    Profile& profile = import.profile;
    for (std::size_t i = 0; i < numbers.size(); ++i)
        profile.livenessClasses.add({});
    const auto steps = static_cast<std::int64_t>(profile.steps.size());
    CaptureRows row(import.file, "classes", {"id", "intervals"});
    while (row.next())
        if (const auto found = numbers.find(row.number(0)); found != numbers.end())
            readIntervals(row, steps, profile.livenessClasses[found->second]);
}

void readUses(Importing& import) {
    Profile& profile = import.profile;
    CaptureRows row(import.file, "program_variables", {"program", "variables"});
    while (row.next()) {
        const ProgramId program = import.program(row.id(0));
        if (!program.valid())
            row.damaged(0, "there is no such program");
        for (const std::int64_t variable : row.ascending(1)) {
            if (variable >= static_cast<std::int64_t>(profile.variables.size()))
                row.damaged(1, fmt::format("there is no variable {}", variable));
            profile.programs[program].variablesRead.emplace_back(
                static_cast<std::int32_t>(variable));
        }
    }
}

/// An operation's variables are those that only its programs use.
void findOperations(Profile& profile) {
    std::vector<bool> shared(profile.variables.size(), false);
    for (const Program& program : profile.programs)
        for (const VariableId id : program.variablesRead) {
            Variable& variable = profile.variables[id];
            if (shared[id.index()] || variable.operation == program.operation)
                continue;
            shared[id.index()] = variable.operation.valid();
            variable.operation = shared[id.index()] ? OperationId() : program.operation;
        }
}

} // namespace

void importLiveness(Importing& import) {
    CaptureRows row(import.file, "liveness_steps", {"step", "program"});
    while (row.next()) {
        if (row.number(0) != static_cast<std::int64_t>(import.profile.steps.size()))
            row.damaged(0, "rows before it are missing");
        const ProgramId program = row.isNull(1) ? ProgramId() : import.program(row.id(1));
        if (!program.valid()) {
            // Without their programs the steps cannot be shown.
            import.profile.steps = {};
            return;
        }
        import.profile.steps.add(program);
    }
}

void importVariables(Importing& import) {
    Profile& profile = import.profile;
    ClassNumbers numbers;
    CaptureRows row(import.file, "variables",
                    {"id", "name", "category", "always_live", "class", "bytes_series"});
    while (row.next()) {
        if (row.number(0) != static_cast<std::int64_t>(profile.variables.size()))
            row.damaged(0, "rows before it are missing");
        Variable variable;
        variable.name = row.text(1);
        variable.category = categoryOf(row.text(2), variable.name);
        variable.bytes = row.series(5);
        const auto live = row.maybe(4);
        variable.alwaysLive = row.maybe(3, 0, 1).value_or(live ? 0 : 1) != 0;
        if (!variable.alwaysLive)
            variable.liveness =
                numbers.try_emplace(live.value_or(-1), LivenessClassId(numbers.size()))
                    .first->second;
        profile.variables.add(std::move(variable));
    }
    readClasses(import, numbers);
    readUses(import);
    findOperations(profile);
}

} // namespace tilescope
