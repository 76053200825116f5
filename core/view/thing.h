// The things of a profile that can be selected, linked to and found. A new kind is an alternative
// of Thing, a member of Things and a row in thing.cpp, which does not compile without it.
#pragma once

#include <array>
#include <functional>
#include <optional>
#include <span>
#include <stop_token>
#include <string_view>
#include <variant>
#include <vector>

#include "core/base/ids.h"
#include "core/profile/values.h"

namespace tilescope {

class ProfileView;
struct ProfileInfo;

/// A micro-batch of a step of a pipeline. Its value is its number as it is shown, from 1.
using MicroBatchId = Id<struct MicroBatchTag>;

/// A thing of any kind. The order is that in which links name the kinds; reports are offered in
/// the opposite order.
using Thing = std::variant<IpuId, MicroBatchId, VertexTypeId, ExchangeId, ComputeSetId, TileId,
                           StepId, VariableId, OperationId, ProgramId, ValueTensorId>;

/// At most one thing of each kind, but several tiles; an invalid id (or no tiles) means "none".
struct Things {
    IpuId ipu;
    MicroBatchId microBatch; ///< that is followed through the pipeline
    std::vector<TileId> tiles;
    StepId step;
    VariableId variable;
    OperationId operation;
    ComputeSetId computeSet;
    ProgramId program;
    VertexTypeId vertexType;
    ExchangeId exchange;
    ValueTensorId tensor; ///< of a computed run; the operation is the one that it belongs to

    Things() = default;
    explicit Things(const Thing& thing) { add(thing); }
    /// In place of another of its kind, or as one more tile. Without effect for an invalid id.
    void add(const Thing& thing);
    /// Those of `others`, in place of all of their kinds.
    void take(const Things& others);
    [[nodiscard]] std::vector<Thing> all() const;
    /// The first tile, if any.
    [[nodiscard]] TileId tile() const { return tiles.empty() ? TileId() : tiles.front(); }
    friend bool operator==(const Things&, const Things&) = default;
};

/// How many things of a kind a profile has, and what they are called.
struct ThingNames {
    std::size_t count = 0;                                ///< ids are below it
    std::function<std::string_view(std::size_t id)> name; ///< none for those with numbers only
    std::size_t first = 0;                                ///< the lowest id
    /// The first of that name.
    [[nodiscard]] std::optional<std::size_t> find(std::string_view wanted) const;
};

struct ThingKind {
    std::string_view name; ///< "operation"
    bool linked = false;   ///< links to a place in a profile can name it
    /// Reads the part of the profile that has them, which lives as long as the result.
    ThingNames (*names)(const ProfileView& profile, const std::stop_token& stop) = nullptr;
    /// Reports of the window, and parts of them, the usual one first: "memory:Variables".
    std::array<std::string_view, 4> places{};
    Thing (*thing)(std::int32_t id) = nullptr;
};
/// All kinds, in the order of Thing.
std::span<const ThingKind> thingKinds();
const ThingKind& kindOf(const Thing& thing);

/// The report of steps as they ran, which not all profiles have.
inline constexpr std::string_view tracePlace = "trace";
/// All places that show some of the things, the usual one first.
std::vector<std::string_view> placesOf(const Things& things, const ProfileInfo& info);

} // namespace tilescope
