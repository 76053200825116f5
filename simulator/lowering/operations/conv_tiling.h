// A convolution plan as blockings: which tile works on which block of input, weights and output.
#pragma once

#include <vector>

#include "simulator/layout/layout.h"
#include "simulator/planner/plan.h"

namespace tilescope::sim {

/// Atoms of each dimension of a planned problem in one operand. A dimension that the
/// operand lacks has no atoms.
struct ConvAtoms {
    std::vector<int> groups, batch, inChans, outChans;
    std::vector<std::vector<int>> field, kernel;
    /// Atoms that no cut follows: every tile needs all of them (a partial broadcast).
    std::vector<int> whole;
    std::int64_t wholeSize = 1;
};

/// Of a result of which the plan has only every so many positions: the zeros between them lie where
/// the nearest of these do (PopLibs poplin/Convolution.cpp, convolutionPostprocess). A part of a
/// row of several flattened dimensions is taken to be as large a part of the longer row.
Blocking withZerosBetween(Blocking blocking, const std::vector<std::int64_t>& atomSizes);

/// Blockings of one serial step of a plan.
class ConvTiling {
public:
    explicit ConvTiling(const ConvPlan& plan);

    /// What each tile reads of the input, halo included.
    [[nodiscard]] Blocking inputNeed(const ConvAtoms& atoms) const;
    /// An even mapping of the input over the tiles that use it, of one serial step or of all
    /// (PopLibs createConvInput).
    [[nodiscard]] Blocking inputStorage(const ConvAtoms& atoms, bool allSteps) const;
    [[nodiscard]] Blocking weightsNeed(const ConvAtoms& atoms) const;
    /// Weights spread evenly over their users: of one serial step, or of all.
    [[nodiscard]] Blocking weightsStorage(const ConvAtoms& atoms, bool allSteps) const;
    /// Results: each output block shared by the tiles that hold its partials.
    [[nodiscard]] Blocking outputStorage(const ConvAtoms& atoms, std::int64_t shareGrain,
                                         bool allSteps) const;
    /// Partials of each tile, one step: like the output, but every tile has the whole block.
    [[nodiscard]] Blocking partials() const;

    /// Sizes of the piece of the n-th tile.
    [[nodiscard]] ConvTileSizes sizesOf(std::int32_t nth) const;
    [[nodiscard]] std::int32_t tiles() const;
    [[nodiscard]] std::int32_t tileOf(std::int32_t nth) const;
    /// The digits of a tile's number, the fastest first.
    [[nodiscard]] std::vector<TileDigit> digits() const;
    /// Whether the n-th tile has the last input channels.
    [[nodiscard]] bool hasLastInChans(std::int32_t nth) const;
    /// Whether the n-th tile has the last output channels.
    [[nodiscard]] bool hasLastOutChans(std::int32_t nth) const;

private:
    static void addOrCopy(Blocking& blocking, BlockedDim dim);
    /// Cuts a dimension, or one serial step of it, in even parts over tiles.
    static void addCut(Blocking& blocking, const std::vector<int>& atoms, std::int64_t size,
                       std::int64_t step, std::int64_t parts, std::int64_t grain, TileDigit digit);
    void addGroups(Blocking& blocking, const ConvAtoms& atoms) const;
    void addBatch(Blocking& blocking, const ConvAtoms& atoms) const;
    void addInChans(Blocking& blocking, const ConvAtoms& atoms) const;
    void addOutChans(Blocking& blocking, const ConvAtoms& atoms, std::int64_t step) const;
    static void addWhole(Blocking& blocking, const ConvAtoms& atoms);
    [[nodiscard]] std::int64_t fieldGrain(std::size_t dim) const;
    [[nodiscard]] std::int64_t inStep() const;
    /// Elements that tiles with the same operand do not separate: whole groups of channels, where
    /// the group divides the channels, and 64 bits (PopLibs poplin/Convolution.cpp, mapping by
    /// use).
    [[nodiscard]] std::int64_t shareGrain(std::int64_t group) const;
    /// Tiles share the elements that all of them use, in the order of their numbers, and where
    /// there is less than a grain for each the last ones have nothing; each slice in time is shared
    /// separately (PopLibs poplin/Convolution.cpp, iterateUsageByPartition). The minimum of 128 or
    /// 256 bytes per tile is not modelled: tests/fidelity/README.md.
    void shareByUse(Blocking& storage, std::int64_t group) const;
    [[nodiscard]] std::int64_t inGroup() const;
    [[nodiscard]] std::int64_t outStep() const;

    const ConvPlan& planned_;
    ConvPlan plan_; ///< with the groups as the operands have them
    TileDigit outChans_, batch_, inChans_, groups_;
    std::vector<TileDigit> field_, kernel_;
    std::vector<TileDigit> digits_; ///< all, the fastest first
};

/// Whether tiles hold different indices of these atoms (poputil dimIsSplitOverTiles). `sizes`: of
/// all atoms.
bool isSplitOverTiles(const Blocking& blocking, const std::vector<int>& atoms,
                      const std::vector<std::int64_t>& sizes);

} // namespace tilescope::sim
