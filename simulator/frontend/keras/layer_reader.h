// The configuration of one Keras layer, with errors that name file, layer and key.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/error.h"
#include "simulator/frontend/keras/model_json.h"
#include "simulator/graph/graph.h"

namespace tilescope::sim {

class LayerReader {
public:
    LayerReader(const std::string& origin, const KerasLayer& layer)
        : origin_(origin)
        , layer_(layer) {}

    [[nodiscard]] const KerasLayer& layer() const { return layer_; }
    [[nodiscard]] const std::string& origin() const { return origin_; }
    /// "FILE: layer 'conv1' (Conv2D): WHAT"
    [[nodiscard]] UserError error(std::string_view what) const;
    [[nodiscard]] UserError keyError(std::string_view key, std::string_view what) const;

    [[nodiscard]] bool has(std::string_view key) const; ///< there, and not null
    /// A whole number of at least `least`; throws UserError where there is none.
    [[nodiscard]] std::int64_t integer(std::string_view key, std::int64_t least = 1) const;
    [[nodiscard]] double realOr(std::string_view key, double otherwise) const;
    [[nodiscard]] bool flag(std::string_view key, bool otherwise) const;
    [[nodiscard]] std::string text(std::string_view key, std::string_view otherwise) const;
    /// Whole numbers of at least `least`; a single one means `count` equal ones.
    [[nodiscard]] std::vector<std::int64_t> integers(std::string_view key, std::size_t count,
                                                     std::int64_t least = 1) const;
    /// Whole numbers, negative ones too, as many as there are; a single one is a list of one.
    [[nodiscard]] std::vector<std::int64_t> list(std::string_view key) const;
    /// Sizes after the batch of `key`, a list whose first entry is the batch. Throws UserError for
    /// sizes that are left open.
    [[nodiscard]] Shape batchShape(std::string_view key) const;
    /// The fixed batch of that list; 0 if it is left open.
    [[nodiscard]] std::int64_t batchOf(std::string_view key) const;
    /// The name of an activation or another function; "" for none. Throws UserError for functions
    /// of the user's.
    [[nodiscard]] std::string function(std::string_view key) const;

private:
    [[nodiscard]] const boost::json::value& valueOf(std::string_view key) const;
    /// A value of one type, or another where there is none.
    template <class T>
    [[nodiscard]] T valueOr(std::string_view key, T otherwise, std::string_view what) const;
    [[nodiscard]] std::int64_t number(const boost::json::value& value, std::string_view key,
                                      std::int64_t least) const;

    const std::string& origin_;
    const KerasLayer& layer_;
};

/// No model has larger sizes; products of a few stay within 64 bits.
constexpr std::int64_t largestKerasSize = std::int64_t{1} << 31;

} // namespace tilescope::sim
