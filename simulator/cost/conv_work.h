// The work of one tile for a convolution: method, grains and sizes.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

namespace tilescope::sim {

/// How a tile multiplies (PopLibs poplin/ConvPlanTypes.hpp).
enum class ConvMethod : std::uint8_t {
    Amp,          ///< the accumulating matrix product units
    Slic,         ///< the same units with a window of four kernel columns that slides over a row
    Hmac,         ///< vector multiply-accumulate along input channels
    Vmac,         ///< vector multiply-accumulate across convolution groups
    OuterProduct, ///< one input channel, one position a row
};
std::string_view toString(ConvMethod method);
inline constexpr std::array allConvMethods{ConvMethod::Amp, ConvMethod::Slic, ConvMethod::Hmac,
                                           ConvMethod::Vmac, ConvMethod::OuterProduct};

/// Sizes of the pieces that splits are counted in.
struct ConvGrains {
    std::int64_t groups = 1, inChans = 1, outChans = 1;
    std::int64_t field = 1; ///< of the innermost field dimension
    friend bool operator==(const ConvGrains&, const ConvGrains&) = default;
};

/// Sizes of the largest piece that one tile works on in one serial step.
struct ConvTileSizes {
    std::int64_t groups = 1, batch = 1, inChans = 1, outChans = 1;
    std::vector<std::int64_t> outField, inField, kernel;
    /// By field dimension, output positions for each one that a kernel index actually reads: more
    /// than one where the input is dilated with zeros.
    std::vector<std::int64_t> outStep;
    std::int64_t stride = 1; ///< of the innermost field dimension
    /// A worker's positions are one row and each of them is read by every kernel index, the case
    /// that ConvPartial1x1Out has a list for. Set by the planner where the whole problem has one
    /// row (PopLibs poplin/ConvModel.cpp, canUseConvPartial1x1Vertex), for a tile where no worker
    /// of its own piece has two (poplin/ConvVertices.cpp, createConvPartialAmpVertex;
    /// ConvVertices here).
    bool singleRow = false;

    [[nodiscard]] std::int64_t outPositions() const; ///< batch x field
    /// Those of them that one kernel index reads.
    [[nodiscard]] std::int64_t readPositions() const;
    [[nodiscard]] std::int64_t inputElements() const; ///< with halo
    [[nodiscard]] std::int64_t weightElements() const;
    [[nodiscard]] std::int64_t partialElements() const;
    [[nodiscard]] std::int64_t kernelElements() const;
    friend bool operator==(const ConvTileSizes&, const ConvTileSizes&) = default;
};

} // namespace tilescope::sim
