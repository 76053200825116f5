#include "views/widgets/thing_places.h"

#include <algorithm>

#include "views/theme/text.h"

namespace tilescope::views {
namespace {

constexpr const char* ofTrace = "trace";

void addPlace(std::vector<ThingPlace>& places, const char* report, const char* section,
              const QString& title) {
    const ThingPlace place{QString::fromLatin1(report), QString::fromLatin1(section), title};
    if (std::find(places.begin(), places.end(), place) == places.end())
        places.push_back(place);
}

void addStepPlaces(std::vector<ThingPlace>& places, bool hasExecution) {
    if (hasExecution)
        addPlace(places, ofTrace, "", Text::tr("Execution Trace"));
    addPlace(places, "programs", "", Text::tr("Program Tree"));
}

} // namespace

std::vector<ThingPlace> placesOf(const Selected& thing, const ProfileInfo& info) {
    std::vector<ThingPlace> places;
    if (thing.tensor.valid())
        addPlace(places, "values", "", Text::tr("Values"));
    if (thing.program.valid())
        addStepPlaces(places, info.hasExecution);
    if (thing.operation.valid()) {
        addPlace(places, "operations", "", Text::tr("Operations"));
        addPlace(places, "operations", "Graph", Text::tr("Operations: Graph"));
        addStepPlaces(places, info.hasExecution);
    }
    if (thing.variable.valid()) {
        addPlace(places, "memory", "Variables", Text::tr("Memory: Variables"));
        addPlace(places, "liveness", "", Text::tr("Liveness"));
    }
    if (!thing.tiles.empty()) {
        addPlace(places, "memory", "", Text::tr("Memory"));
        addPlace(places, "memory", "Tile map", Text::tr("Memory: Tile map"));
        addPlace(places, "memory", "Variables", Text::tr("Memory: Variables"));
        addPlace(places, "memory", "Address map", Text::tr("Memory: Address map"));
    }
    if (thing.step.valid())
        addPlace(places, "liveness", "", Text::tr("Liveness"));
    if (thing.computeSet.valid())
        addPlace(places, "memory", "Compute sets", Text::tr("Memory: Compute sets"));
    if (thing.exchange.valid())
        addPlace(places, "memory", "Exchanges", Text::tr("Memory: Exchanges"));
    if (thing.vertexType.valid())
        addPlace(places, "memory", "Vertices", Text::tr("Memory: Vertices"));
    return places;
}

Selected withThing(Selected selected, const Selected& thing) {
    if (thing.operation.valid() || thing.program.valid()) {
        selected.operation = thing.operation;
        selected.program = thing.program;
        selected.computeSet = thing.computeSet;
        selected.tensor = {};
    }
    if (!thing.tiles.empty())
        selected.tiles = thing.tiles;
    const auto take = [](auto& into, const auto& from) {
        if (from.valid())
            into = from;
    };
    take(selected.ipu, thing.ipu);
    take(selected.step, thing.step);
    take(selected.variable, thing.variable);
    take(selected.computeSet, thing.computeSet);
    take(selected.vertexType, thing.vertexType);
    take(selected.exchange, thing.exchange);
    take(selected.tensor, thing.tensor);
    return selected;
}

void showThing(ReportView& from, ViewContext& context, const Selected& thing,
               const ThingPlace& place) {
    context.selection.set(withThing(context.selection.current(), thing));
    // The trace follows steps; it has to look up which of an operation's takes longest.
    if (place.report == QLatin1String(ofTrace) && !thing.program.valid())
        emit from.traceWanted(thing.operation, false);
    else
        emit from.reportWanted(place.section.isEmpty()
                                   ? place.report
                                   : place.report + QLatin1Char(':') + place.section);
}

} // namespace tilescope::views
