#include "core/view/thing.h"

#include <algorithm>
#include <limits>
#include <tuple>

#include "core/view/profile_view.h"

namespace tilescope {
namespace {

template <class List> ThingNames namesIn(std::shared_ptr<const List> list) {
    return {list->size(),
            [list](std::size_t id) {
                return std::string_view((list->begin() + static_cast<std::ptrdiff_t>(id))->name);
            },
            0};
}
template <auto part> ThingNames namesOf(const ProfileView& profile, Stop stop) {
    return namesIn((profile.*part)(stop));
}

ThingNames namesOfSteps(const ProfileView& profile, Stop stop) {
    const auto steps = profile.steps(stop);
    return {steps->size(),
            [steps, programs = profile.programs(stop)](std::size_t id) {
                return std::string_view((*programs)[(*steps)[StepId(id)]].name);
            },
            0};
}

ThingNames namesOfTensors(const ProfileView& profile, Stop stop) {
    const auto values = profile.values(stop);
    return namesIn(std::shared_ptr<const decltype(values->tensors)>(values, &values->tensors));
}

ThingNames countOfTiles(const ProfileView& profile, Stop /*stop*/) {
    return {static_cast<std::size_t>(profile.machine().totalTiles()), {}, 0};
}
ThingNames countOfIpus(const ProfileView& profile, Stop /*stop*/) {
    return {static_cast<std::size_t>(profile.machine().ipus), {}, 0};
}

ThingNames countOfMicroBatches(const ProfileView& profile, Stop stop) {
    constexpr std::int64_t most = std::numeric_limits<std::int32_t>::max();
    const auto pipeline = profile.pipeline(stop);
    if (pipeline->empty())
        return {0, {}, 1};
    return {
        static_cast<std::size_t>(std::clamp<std::int64_t>(pipeline->microBatches, 0, most - 1)) + 1,
        {},
        1};
}

template <class Id>
using Held = std::conditional_t<std::is_same_v<Id, TileId>, std::vector<TileId>, Id>;
template <class Id> struct OneKind {
    Held<Id> Things::*member;
    ThingKind kind;
};
template <class... Ids> std::tuple<OneKind<Ids>...> oneOfEach(const std::variant<Ids...>& thing);

template <class Id, class... Places>
constexpr OneKind<Id> one(Held<Id> Things::*member, std::string_view name, bool linked,
                          decltype(ThingKind::names) names, Places... places) {
    return {member,
            {name, linked, names, {places...}, [](std::int32_t id) { return Thing(Id(id)); }}};
}

constexpr bool linked = true;
constexpr bool notLinked = false;

constexpr std::tuple registry{
    one<IpuId>(&Things::ipu, "ipu", notLinked, countOfIpus),
    one<MicroBatchId>(&Things::microBatch, "batch", linked, countOfMicroBatches, "pipeline",
                      tracePlace),
    one<VertexTypeId>(&Things::vertexType, "vertexType", notLinked,
                      namesOf<&ProfileView::vertexTypes>, "memory:Vertices"),
    one<ExchangeId>(&Things::exchange, "exchange", notLinked, namesOf<&ProfileView::exchanges>,
                    "memory:Exchanges"),
    one<ComputeSetId>(&Things::computeSet, "computeSet", notLinked,
                      namesOf<&ProfileView::computeSets>, "memory:Compute sets"),
    one<TileId>(&Things::tiles, "tile", linked, countOfTiles, "memory", "memory:Tile map",
                "memory:Variables", "memory:Address map"),
    one<StepId>(&Things::step, "step", linked, namesOfSteps, "liveness"),
    one<VariableId>(&Things::variable, "variable", linked, namesOf<&ProfileView::variables>,
                    "memory:Variables", "liveness"),
    one<OperationId>(&Things::operation, "operation", linked, namesOf<&ProfileView::operations>,
                     "operations", "operations:Graph", tracePlace, "programs"),
    one<ProgramId>(&Things::program, "program", linked, namesOf<&ProfileView::programs>, tracePlace,
                   "programs"),
    one<ValueTensorId>(&Things::tensor, "tensor", linked, namesOfTensors, "values"),
};
static_assert(std::is_same_v<const decltype(oneOfEach(Thing())), decltype(registry)>,
              "the registry has a row for each kind, in the order of Thing");
constexpr auto kinds =
    std::apply([](const auto&... each) { return std::array{each.kind...}; }, registry);

} // namespace

void Things::add(const Thing& thing) {
    const auto add = [this]<class Id>(Id id) {
        if (!id.valid())
            return;
        auto& held = this->*std::get<OneKind<Id>>(registry).member;
        if constexpr (std::is_same_v<Id, TileId>)
            held.push_back(id);
        else
            held = id;
    };
    std::visit(add, thing);
}

void Things::take(const Things& others) {
    if (!others.tiles.empty())
        tiles.clear();
    for (const Thing& thing : others.all())
        add(thing);
}

std::vector<Thing> Things::all() const {
    std::vector<Thing> things;
    const auto append = [&things]<class Held>(const Held& held) {
        if constexpr (std::is_same_v<Held, std::vector<TileId>>)
            things.insert(things.end(), held.begin(), held.end());
        else if (held.valid())
            things.emplace_back(held);
    };
    std::apply([&](const auto&... each) { (append(this->*each.member), ...); }, registry);
    return things;
}

std::optional<std::size_t> ThingNames::find(std::string_view wanted) const {
    for (std::size_t id = first; name && id < count; ++id)
        if (name(id) == wanted)
            return id;
    return {};
}

std::span<const ThingKind> thingKinds() {
    return kinds;
}

const ThingKind& kindOf(const Thing& thing) {
    return kinds.at(thing.index());
}

std::vector<std::string_view> placesOf(const Things& things, const ProfileInfo& info) {
    std::vector<std::string_view> places;
    const std::vector<Thing> all = things.all();
    for (auto thing = all.rbegin(); thing != all.rend(); ++thing)
        for (const std::string_view place : kindOf(*thing).places)
            if (!place.empty() && (place != tracePlace || info.hasExecution) &&
                std::find(places.begin(), places.end(), place) == places.end())
                places.push_back(place);
    return places;
}

} // namespace tilescope
