// What is known of one variable.

#include "core/analysis/programs/programs.h"
#include "views/liveness/liveness_content.h"
#include "views/liveness/liveness_tables.h"
#include "views/memory/tile_map_content.h"
#include "views/theme/text.h"

namespace tilescope::views {
namespace {

/// A line for one profile: its text or number, and lines below it.
struct Fact {
    QString name;
    Cell value;
    Unit unit = Unit::None;
    std::vector<Fact> children;
};

Cell textCell(const std::string& text) {
    return text.empty() ? Cell() : Cell(text);
}

std::vector<Fact> lifetimeFacts(const ProfileView& profile, const Variable& variable,
                                const std::stop_token& stop) {
    std::vector<Fact> facts;
    const auto classes = profile.livenessClasses(stop);
    if (!variable.liveness.valid() || variable.liveness.index() >= classes->size())
        return facts;
    const std::vector<std::string> names = namesOfSteps(profile, stop);
    for (const StepInterval& interval : (*classes)[variable.liveness].intervals) {
        const std::int32_t last = interval.end.value() - 1;
        if (interval.first.index() >= names.size() || last < interval.first.value() ||
            interval.end.index() > names.size())
            continue;
        facts.push_back(
            {Text::tr("Steps %1 to %2").arg(interval.first.value()).arg(last),
             names[interval.first.index()] + " \u2026 " + names[static_cast<std::size_t>(last)],
             Unit::None,
             {}});
    }
    return facts;
}

Fact programsThat(const QString& name, const ProfileView& profile, VariableId id,
                  std::vector<VariableId> Program::*variables, const std::stop_token& stop) {
    constexpr std::size_t mostPrograms = 200;
    Fact fact{name, Cell(), Unit::Count, {}};
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
                {Text::tr("Program %1").arg(i), programLabel(program), Unit::None, {}});
    }
    fact.value = count;
    return fact;
}

std::vector<Fact> factsOf(const ProfileView& profile, VariableId id, const std::stop_token& stop) {
    const auto variables = profile.variables(stop);
    if (!id.valid() || id.index() >= variables->size())
        return {};
    const Variable& variable = (*variables)[id];
    const auto operations = profile.operations(stop);
    const bool hasOperation =
        variable.operation.valid() && variable.operation.index() < operations->size();
    const TileSeries::Peak peak = variable.bytes.max();
    const std::int64_t tiles = variable.bytes.tilesUsed();
    std::vector<Fact> facts{
        {Text::tr("Name"), variable.name, Unit::None, {}},
        {Text::tr("Category"), std::string(displayName(variable.category)), Unit::None, {}},
        {Text::tr("Element type"), textCell(variable.type), Unit::None, {}},
        {Text::tr("Shape"), textCell(variable.shape), Unit::None, {}},
        {Text::tr("Operation"),
         hasOperation ? textCell((*operations)[variable.operation].name) : Cell(),
         Unit::None,
         {}},
        {Text::tr("Bytes on all tiles"), variable.bytes.sum(), Unit::Bytes, {}},
        {Text::tr("Tiles that hold a part"), tiles, Unit::Count, {}},
        {Text::tr("Largest part"), peak.value, Unit::Bytes, {}},
        {Text::tr("First tile with the largest part"),
         peak.tile.valid() ? Cell(std::int64_t{peak.tile.value()}) : Cell(),
         Unit::Count,
         {}},
        {Text::tr("Live"),
         variable.alwaysLive ? Text::tr("always").toStdString()
                             : Text::tr("not always").toStdString(),
         Unit::None, lifetimeFacts(profile, variable, stop)}};
    facts.push_back(
        programsThat(Text::tr("Written by"), profile, id, &Program::variablesWritten, stop));
    facts.push_back(programsThat(Text::tr("Read by"), profile, id, &Program::variablesRead, stop));
    return facts;
}

// Facts of both stand in one line where they have the same place.
std::vector<ValueNode> nodesOf(const std::vector<Fact>& source, const std::vector<Fact>& target,
                               bool comparing) {
    static const std::vector<Fact> none;
    std::vector<ValueNode> nodes;
    for (std::size_t i = 0; i < std::max(source.size(), target.size()); ++i) {
        const Fact* a = i < source.size() ? &source[i] : nullptr;
        const Fact* b = i < target.size() ? &target[i] : nullptr;
        ValueNode node{(a != nullptr ? a : b)->name, {}, {}, (a != nullptr ? a : b)->unit};
        node.values.push_back(a != nullptr ? a->value : Cell());
        if (comparing)
            node.values.push_back(b != nullptr ? b->value : Cell());
        node.children = nodesOf(a != nullptr ? a->children : none,
                                b != nullptr ? b->children : none, comparing);
        nodes.push_back(std::move(node));
    }
    return nodes;
}

} // namespace

ValueTree variableTree(const ProfilePair& profiles, VariableId variable,
                       const std::stop_token& stop) {
    ValueTree tree;
    tree.properties = true;
    tree.nameTitle = Text::tr("Variable");
    tree.valueTitles = profiles.comparing() ? QStringList{Text::tr("Source"), Text::tr("Target")}
                                            : QStringList{Text::tr("Value")};
    std::vector<Fact> target;
    if (profiles.comparing())
        if (const auto same = sameVariables(profiles, {variable}, stop); !same.empty())
            target = factsOf(*profiles.target, same.front(), stop);
    tree.roots = nodesOf(factsOf(*profiles.source, variable, stop), target, profiles.comparing());
    return tree;
}

} // namespace tilescope::views
