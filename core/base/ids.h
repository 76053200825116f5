// Typed indices: a tile, a variable and a program step are all small integers and must not mix.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

namespace tilescope {

/// An index with its own type. Negative means "none" (the default).
template <class Tag> class Id {
public:
    constexpr Id() = default;
    constexpr explicit Id(std::int32_t value)
        : value_(value) {}
    constexpr explicit Id(std::size_t value)
        : value_(static_cast<std::int32_t>(value)) {}

    [[nodiscard]] constexpr std::int32_t value() const { return value_; }
    [[nodiscard]] constexpr std::size_t index() const { return static_cast<std::size_t>(value_); }
    [[nodiscard]] constexpr bool valid() const { return value_ >= 0; }

    friend constexpr auto operator<=>(const Id&, const Id&) = default;

private:
    std::int32_t value_ = -1;
};

/// A tile of the whole device: ipu * tilesPerIpu + tile on that IPU.
using TileId = Id<struct TileTag>;
using IpuId = Id<struct IpuTag>;
/// A lowered variable group: one name, placed on many tiles.
using VariableId = Id<struct VariableTag>;
/// A set of step intervals that variables share.
using LivenessClassId = Id<struct LivenessClassTag>;
/// A node of the program tree.
using ProgramId = Id<struct ProgramTag>;
using ComputeSetId = Id<struct ComputeSetTag>;
using ExchangeId = Id<struct ExchangeTag>;
using VertexTypeId = Id<struct VertexTypeTag>;
/// A step of the liveness order: leaves of the program tree, depth first.
using StepId = Id<struct StepTag>;
/// An operation of the model's graph (debug context).
using OperationId = Id<struct OperationTag>;
using TraceBodyId = Id<struct TraceBodyTag>;

/// A vector that only its own kind of id can index.
template <class IdType, class T> class IdVector {
public:
    IdType add(T value) {
        items_.push_back(std::move(value));
        return IdType(items_.size() - 1);
    }
    T& operator[](IdType id) { return items_.at(id.index()); }
    const T& operator[](IdType id) const { return items_.at(id.index()); }
    [[nodiscard]] std::size_t size() const { return items_.size(); }
    [[nodiscard]] bool empty() const { return items_.empty(); }
    void reserve(std::size_t n) { items_.reserve(n); }
    /// Removes the items from index `n` on.
    void truncate(std::size_t n) {
        items_.erase(items_.begin() + static_cast<std::ptrdiff_t>(n), items_.end());
    }
    auto begin() { return items_.begin(); }
    auto end() { return items_.end(); }
    auto begin() const { return items_.begin(); }
    auto end() const { return items_.end(); }
    T& back() { return items_.back(); }
    const T& back() const { return items_.back(); }
    friend bool operator==(const IdVector&, const IdVector&) = default;

private:
    std::vector<T> items_;
};

} // namespace tilescope

template <class Tag> struct std::hash<tilescope::Id<Tag>> {
    std::size_t operator()(tilescope::Id<Tag> id) const noexcept {
        return std::hash<std::int32_t>()(id.value());
    }
};
