// The search for the partition of a convolution or matrix product over the tiles of an IPU.
#pragma once

#include <cstdint>
#include <vector>

#include "core/base/error.h"
#include "core/target/target.h"
#include "simulator/planner/plan.h"

namespace tilescope::sim {

/// Bytes of a tile that the temporary data of one operation may take.
std::int64_t memoryBound(const Target& target, double availableMemoryProportion);

/// What to do where no plan stays within the memory bound.
enum class OverMemory {
    LeastMemory, ///< the plan of least temporary memory
    Relax,       ///< double the bound until a plan fits, or it passes twice a tile's memory
};

/// Whether a plan may cut a convolution in slices that a loop runs one after the other.
enum class Slices { Allowed, None };

/// An operation that cannot be cut over the tiles at all: it is too large.
class NoPlan : public UserError {
public:
    explicit NoPlan(const ConvProblem& problem);
};

/// Two phases, as the available-memory-proportion note describes them: the fewest cycles among the
/// plans whose temporary memory stays within the proportion of a tile's memory; if there is none,
/// the choice of `overMemory`, with withinMemoryTarget false. A proportion of 0 requests the least
/// memory at once.
/// Throws NoPlan.
ConvPlan planConv(const Target& target, const ConvProblem& problem,
                  double availableMemoryProportion, OverMemory overMemory = OverMemory::LeastMemory,
                  Slices slices = Slices::Allowed);

/// The best plans of each method that has any within the memory bound, by cycles, at most `most` of
/// each, AMP's first. Where nothing fits, by temporary memory.
std::vector<ConvPlan> bestPlansByMethod(const Target& target, const ConvProblem& problem,
                                        double availableMemoryProportion, std::size_t most);

/// Method, grains and type of partials that a problem allows.
struct MethodCandidate {
    ConvMethod method = ConvMethod::Amp;
    std::int32_t convUnits = 0; ///< AMP units, or SLIC's chains of them
    ConvGrains grains;
    DataType partialType = DataType::Float;       ///< that the vertex writes
    bool oneInPiece = false, oneOutPiece = false; ///< a tile takes a single grain of channels
};
/// All of them: those of HMAC are last.
std::vector<MethodCandidate> methodCandidates(const Target& target, const ConvProblem& problem);
/// Most promising first.
std::vector<MethodCandidate> candidatesButHmac(const Target& target, const ConvProblem& problem);
/// `multiple`: of which widths of groups of input channels are multiples, if they are not 1.
std::vector<MethodCandidate> hmacCandidates(const Target& target, const ConvProblem& problem,
                                            std::int64_t multiple = 1);

/// The problem with the type of partials that a candidate writes.
ConvProblem plannedProblem(const ConvProblem& problem, const MethodCandidate& candidate);

/// Cost terms of a given partition (PopLibs poplin/ConvModel.cpp). The problem is the planned one,
/// that is after the transform; `sizes` are those of the fullest tile.
ConvCost convCost(const Target& target, const ConvProblem& problem,
                  const MethodCandidate& candidate, const ConvTileSizes& sizes,
                  const ConvSplits& splits, const ConvTransform& transform);

/// The copies that bring operands or results into the order that the vertices need (PopLibs
/// poplin/ConvModel.cpp, addTransformCycleEstimate), for any number of tiles.
class Rearrangement {
public:
    Rearrangement(const Target& target, const ConvProblem& problem, const ConvGrains& grains,
                  const ConvTransform& transform);
    /// Adds their cycles over `tiles` tiles to a cost; its memory is no less than they need.
    void addTo(ConvCost& cost, std::int64_t tiles) const;

private:
    /// An operand or a result that is copied.
    struct Copied {
        std::int64_t elements = 0;
        std::int64_t typeBytes = 0;
        std::int64_t rate = 1; ///< bytes a cycle, times five for all the work on them
        bool exchanged = true; ///< a regrouped result stays on its tile
    };
    const Target* target_;
    std::vector<Copied> copied_;
};

/// The cost without the vertices of the convolution itself.
ConvCost costBesideCompute(const Target& target, const ConvProblem& problem,
                           const MethodCandidate& candidate, const ConvTileSizes& sizes,
                           const ConvSplits& splits, const Rearrangement& rearrangement);
/// Cycles of the convolution's vertices, of all serial steps.
std::int64_t computeCycles(const Target& target, const ConvProblem& problem,
                           const MethodCandidate& candidate, const ConvTileSizes& sizes,
                           const ConvSplits& splits);

/// Numbers of parts, at most `most`, that give different largest parts: a split that leaves the
/// largest part as it was on more tiles is never better.
std::vector<std::int64_t> distinctSplits(std::int64_t size, std::int64_t most);

/// The problem with field and output channels exchanged (A x B computed as B' x A').
ConvProblem swapped(const ConvProblem& problem);

} // namespace tilescope::sim
