// The program tree.
#include <fmt/format.h>

#include "core/base/damaged_profile.h"
#include "core/import/program_order.h"
#include "core/import/readers.h"
#include "core/store/program_forest.h"

namespace tilescope {
namespace {

constexpr bool isExchange(ProgramKind kind) {
    return kind == ProgramKind::DoExchange || kind == ProgramKind::GlobalExchange;
}

} // namespace

ProgramKind kindFrom(std::string_view text) {
    return text == "SyncAns" ? ProgramKind::Sync
                             : programKindFrom(text).value_or(ProgramKind::Unknown);
}

namespace {

/// Programs that operations name, where no debug context does.
void addOperationsByPrograms(Importing& import) {
    CaptureRows row(import.file, "operations", {"id", "context", "programs"});
    while (row.next()) {
        const auto context = row.anyNumber(1);
        const auto operation =
            context ? import.operationOfContext.find(*context) : import.operationOfContext.end();
        if (operation == import.operationOfContext.end())
            continue;
        for (const std::int64_t id : row.ascending(2))
            if (const ProgramId program = import.program(id); program.valid())
                if (OperationId& of = import.profile.programs[program].operation; !of.valid())
                    of = operation->second;
    }
}

/// Reads the programs; returns the control code of each with its children.
std::vector<TileSeries> readPrograms(Importing& import) {
    Profile& profile = import.profile;
    std::vector<TileSeries> controlCode;
    CaptureRows row(import.file, "programs",
                    {"id", "kind", "name", "compute_set", "repeats", "code_series",
                     "control_code_series", "estimated_series", "context"});
    const std::int64_t sets = import.file.database().integer("SELECT count(*) FROM compute_sets");
    while (row.next()) {
        Program program;
        const std::string kind = row.text(1);
        program.kind = kindFrom(kind);
        if (program.kind >= ProgramKind::Unknown || kind != toString(program.kind))
            program.originalKind = kind;
        program.name = row.text(2);
        if (const auto set = row.maybe(3, 0, sets - 1))
            program.computeSet = ComputeSetId(static_cast<std::int32_t>(*set));
        if (program.kind == ProgramKind::Repeat)
            program.count = row.maybe(4).value_or(0);
        if (const auto context = row.anyNumber(8))
            if (const auto found = import.operationOfContext.find(*context);
                found != import.operationOfContext.end())
                program.operation = found->second;
        if (isExchange(program.kind))
            program.exchange = profile.exchanges.add(
                {program.name, program.operation, {}, {}, row.series(5), row.series(7), 0});
        controlCode.push_back(row.series(6));
        const std::int32_t id = row.id(0);
        import.programAt[id] = profile.programs.add(std::move(program));
    }
    return controlCode;
}

void readChildren(Importing& import) {
    Profile& profile = import.profile;
    CaptureRows row(import.file, "program_children", {"program", "position", "child"}, "1, 2");
    std::int64_t shared = 0;
    while (row.next()) {
        const ProgramId parent = import.program(row.id(0));
        const ProgramId child = import.program(row.id(2));
        if (!parent.valid() || !child.valid())
            row.damaged(2, "there is no such program");
        if (profile.programs[child].parent.valid()) {
            ++shared;
            continue;
        }
        profile.programs[child].parent = parent;
        profile.programs[parent].children.push_back(child);
    }
    if (shared > 0)
        import.message(Severity::Warning,
                       fmt::format("{} programs are children of several others; they are shown "
                                   "under the first",
                                   shared));
}

/// A step that has children, or a repeat without any, is of no kind that we know.
void checkKinds(IdVector<ProgramId, Program>& programs) {
    for (Program& program : programs) {
        const bool childless = program.children.empty();
        const ProgramKind before = program.kind;
        if (!childless && !isControl(before))
            program.kind = ProgramKind::UnknownControl;
        else if (childless && before == ProgramKind::Repeat)
            program.kind = ProgramKind::Unknown;
        if (program.kind != before && program.originalKind.empty())
            program.originalKind = toString(before);
    }
}

/// Poplar counts the code of a program's children with its own.
void takeOwnControlCode(IdVector<ProgramId, Program>& programs,
                        const std::vector<TileSeries>& withChildren) {
    for (std::size_t i = 0; i < programs.size(); ++i) {
        Program& program = programs[ProgramId(i)];
        TileSeries children;
        for (const ProgramId child : program.children)
            children += withChildren[child.index()];
        program.controlCode = (withChildren[i] - children).mapped([](std::int64_t bytes) {
            return std::max<std::int64_t>(bytes, 0);
        });
    }
}

void readTargets(Importing& import) {
    CaptureRows row(import.file, "programs", {"id", "target"});
    while (row.next()) {
        Program& program = import.profile.programs[import.program(row.id(0))];
        if (const auto target = row.maybe(1, 0, largestId);
            target && program.kind == ProgramKind::Call) {
            program.target = import.program(*target);
            if (!program.target.valid() || import.profile.programs[program.target].parent.valid())
                row.damaged(1, "it is no function");
        }
    }
}

void readRoots(Importing& import) {
    Profile& profile = import.profile;
    std::vector<bool> listed(profile.programs.size(), false);
    CaptureRows row(import.file, "roots", {"kind", "program"}, "kind, position");
    while (row.next()) {
        const ProgramId root = import.program(row.id(1));
        if (!root.valid() || profile.programs[root].parent.valid() || listed[root.index()])
            row.damaged(1, "it is not the root of a tree, or is listed twice");
        listed[root.index()] = true;
        (row.text(0) == "control" ? profile.controlPrograms : profile.functions).push_back(root);
    }
}

/// A call whose function is not known, and a repeat whose count is not, are no calls and repeats
/// for reports, which would follow them.
void hideUnknown(Program& program) {
    const bool call = program.kind == ProgramKind::Call && !program.target.valid();
    const bool repeat = program.kind == ProgramKind::Repeat && program.count == 0;
    if (!call && !repeat)
        return;
    program.originalKind = toString(program.kind);
    program.kind = ProgramKind::UnknownControl;
    program.count = 1;
}

} // namespace

void importPrograms(Importing& import) {
    const std::vector<TileSeries> controlCode = readPrograms(import);
    readChildren(import);
    try {
        checkForest(import.profile.programs);
    } catch (const DamagedProfile& damage) {
        import.file.damaged("program_children", "?", damage.what());
    }
    checkKinds(import.profile.programs);
    takeOwnControlCode(import.profile.programs, controlCode);
    readTargets(import);
    readRoots(import);
    addOperationsByPrograms(import);
    for (const Program& program : import.profile.programs)
        if (program.exchange.valid())
            import.profile.exchanges[program.exchange].operation = program.operation;
}

void finishPrograms(Importing& import) {
    Profile& profile = import.profile;
    const ProgramOrder order(profile.programs);
    std::vector<bool> isFunction(profile.programs.size(), false);
    for (std::size_t i = 0; i < profile.programs.size(); ++i) {
        Program& program = profile.programs[ProgramId(i)];
        if (program.target.valid() && order.wouldRecur(ProgramId(i), program.target))
            import.file.damaged("programs", program.name, "a function calls itself");
        if (program.kind == ProgramKind::Call && !program.target.valid())
            program.target = import.inferredTargets.at(i);
        if (program.kind == ProgramKind::Repeat && program.count == 0)
            program.count = import.observedRepeats.at(i);
        hideUnknown(program);
        if (program.target.valid())
            isFunction[program.target.index()] = true;
    }
    std::vector<bool> listed(profile.programs.size(), false);
    for (const auto* roots : {&profile.controlPrograms, &profile.functions})
        for (const ProgramId root : *roots)
            listed[root.index()] = true;
    for (std::size_t i = 0; i < profile.programs.size(); ++i)
        if (!listed[i] && !profile.programs[ProgramId(i)].parent.valid())
            (isFunction[i] ? profile.functions : profile.controlPrograms).emplace_back(i);
}

} // namespace tilescope
