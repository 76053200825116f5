// Zeros that fill up a tile's operands of a convolution, which are copied together with them.
#pragma once

#include "simulator/lowering/operations/conv_pieces.h"
#include "simulator/lowering/operations/conv_tiling.h"

namespace tilescope::sim {

struct OperandMove;

/// Vertices read whole groups of channels, whole kernel rows where AMP takes several at once, and
/// whole windows and no implicit zeros with SLIC (PopLibs poplin/Convolution.cpp,
/// convolutionPreprocess; ConvVertices.cpp, padKernelSpatialDim). Elements and zeros are variables
/// of their own, so that a copy on the tile puts them together.
class ConvPadding {
public:
    ConvPadding(const Target& target, const ConvPlan& plan, const ConvTiling& tiling,
                const ConvPieces& pieces);

    /// Bytes of the input that each tile has to put together, zeros included: of the last group if
    /// its `channels` are still to be filled up, of all where kernel rows are, or on `all` tiles.
    [[nodiscard]] TileSeries inputBytes(bool channels, bool all) const;
    /// The same of the weights, where output channels are filled up as well.
    [[nodiscard]] TileSeries weightBytes(bool channels, bool all) const;

private:
    [[nodiscard]] bool isFilled(std::size_t dim) const;
    /// Rows of a single dimension's kernel: it has an outer dimension of one, which is filled up.
    [[nodiscard]] std::int64_t outerRows() const;
    template <class Bytes>
    [[nodiscard]] TileSeries byTile(bool lastIn, bool lastOut, const Bytes& bytes) const;

    const ConvPlan& plan_;
    const ConvTiling& tiling_;
    const ConvPieces& pieces_;
    std::int64_t multiple_ = 1; ///< of kernel indices in the dimension that is filled up
    bool windows_ = false;      ///< of SLIC
};

/// Elements of an operand that is moved in the group of input channels that zeros fill up, if there
/// is one.
std::int64_t paddedElements(const ConvPlan& plan, const OperandMove& move);

} // namespace tilescope::sim
