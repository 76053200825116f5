// What is known of one variable.

#include "core/analysis/programs/programs.h"
#include "views/liveness/liveness_content.h"
#include "views/liveness/liveness_tables.h"
#include "views/theme/text.h"

namespace tilescope::views {
namespace {

std::vector<ValueNode> lifetimeFacts(const ProfileView& profile, const Variable& variable,
                                     const std::stop_token& stop) {
    std::vector<ValueNode> facts;
    const auto classes = profile.livenessClasses(stop);
    if (!variable.liveness.valid() || variable.liveness.index() >= classes->size())
        return facts;
    const std::vector<std::string> names = namesOfSteps(profile, stop);
    for (const StepInterval& interval : (*classes)[variable.liveness].intervals) {
        const std::int32_t last = interval.end.value() - 1;
        if (interval.first.index() >= names.size() || last < interval.first.value() ||
            interval.end.index() > names.size())
            continue;
        facts.push_back(valueLine(Text::tr("Steps %1 to %2").arg(interval.first.value()).arg(last),
                                  names[interval.first.index()] + " \u2026 " +
                                      names[static_cast<std::size_t>(last)]));
    }
    return facts;
}

ValueNode programsThat(const QString& name, const ProfileView& profile, VariableId id,
                       std::vector<VariableId> Program::*variables, const std::stop_token& stop) {
    constexpr std::size_t mostPrograms = 200;
    ValueNode fact = valueLine(name, Cell(), Unit::Count);
    std::int64_t count = 0;
    const auto programs = profile.programs(stop);
    for (std::size_t i = 0; i < programs->size(); ++i) {
        const Program& program = (*programs)[ProgramId(i)];
        const std::vector<VariableId>& used = program.*variables;
        if (std::find(used.begin(), used.end(), id) == used.end())
            continue;
        ++count;
        if (fact.children.size() < mostPrograms)
            fact.children.push_back(
                valueLine(Text::tr("Program %1").arg(i), programLabel(program)));
    }
    fact.values = {count};
    return fact;
}

std::vector<ValueNode> factsOf(const ProfileView& profile, VariableId id,
                               const std::stop_token& stop) {
    const auto variables = profile.variables(stop);
    if (!id.valid() || id.index() >= variables->size())
        return {};
    const Variable& variable = (*variables)[id];
    const auto operations = profile.operations(stop);
    const bool hasOperation =
        variable.operation.valid() && variable.operation.index() < operations->size();
    const TileSeries::Peak peak = variable.bytes.max();
    const std::int64_t tiles = variable.bytes.tilesUsed();
    ValueNode live =
        valueLine(Text::tr("Live"), variable.alwaysLive ? Text::tr("always").toStdString()
                                                        : Text::tr("not always").toStdString());
    live.children = lifetimeFacts(profile, variable, stop);
    return {valueLine(Text::tr("Name"), variable.name),
            valueLine(Text::tr("Category"), std::string(displayName(variable.category))),
            valueLine(Text::tr("Element type"), textOrNone(variable.type)),
            valueLine(Text::tr("Shape"), textOrNone(variable.shape)),
            valueLine(Text::tr("Operation"),
                      hasOperation ? textOrNone((*operations)[variable.operation].name) : Cell()),
            valueLine(Text::tr("Bytes on all tiles"), variable.bytes.sum(), Unit::Bytes),
            valueLine(Text::tr("Tiles that hold a part"), tiles, Unit::Count),
            valueLine(Text::tr("Largest part"), peak.value, Unit::Bytes),
            valueLine(Text::tr("First tile with the largest part"), cellOf(peak.tile), Unit::Count),
            std::move(live),
            programsThat(Text::tr("Written by"), profile, id, &Program::variablesWritten, stop),
            programsThat(Text::tr("Read by"), profile, id, &Program::variablesRead, stop)};
}

} // namespace

ValueTree variableTree(const ProfilePair& profiles, VariableId variable,
                       const std::stop_token& stop) {
    ValueTree tree;
    tree.properties = true;
    tree.nameTitle = Text::tr("Variable");
    tree.valueTitles = valueTitles(profiles.comparing());
    tree.roots = factsOf(*profiles.source, variable, stop);
    if (!profiles.comparing())
        return tree;
    const auto same = profiles.matching->targetsOf({variable}, stop);
    tree.roots =
        sideBySide(tree.roots, same.empty() ? std::vector<ValueNode>()
                                            : factsOf(*profiles.target, same.front(), stop));
    return tree;
}

} // namespace tilescope::views
