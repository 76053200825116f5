// The planner's decisions for one convolution or matrix product.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "core/target/target.h"
#include "simulator/cost/conv_work.h"
#include "simulator/graph/graph.h"

namespace tilescope::sim {

/// One spatial dimension of a convolution.
struct FieldDim {
    std::int64_t in = 1;
    std::int64_t out = 1;
    std::int64_t kernel = 1;
    std::int64_t stride = 1;
    std::int64_t dilation = 1;
    std::int64_t padBegin = 0;
    std::int64_t inDilation = 1; ///< zeros between input indices, as in the gradient of a stride
    friend bool operator==(const FieldDim&, const FieldDim&) = default;
};

/// A convolution as the planner sees it. A matrix product [g,m,k] x [g,k,n] has groups g, field m,
/// inChans k, outChans n and kernel 1.
struct ConvProblem {
    std::int64_t groups = 1;
    std::int64_t batch = 1;
    std::vector<FieldDim> field;
    std::int64_t inChans = 1;  ///< of one group
    std::int64_t outChans = 1; ///< of one group
    DataType inType = DataType::Float;
    DataType partialType = DataType::Float;
    DataType outType = DataType::Float;
    bool matMul = false;   ///< a fully connected layer or matrix product, not a convolution
    bool expanded = false; ///< kernel dimensions are folded into the input channels
    TrainingPass pass = TrainingPass::None;

    [[nodiscard]] double macs() const;
    friend bool operator==(const ConvProblem&, const ConvProblem&) = default;
};

/// How a planned problem came from the operation's: see transformsOf().
struct ConvTransform {
    std::vector<int> expandedDims;  ///< spatial dimensions whose kernel joined the input channels
    std::vector<int> outChanDims;   ///< spatial dimensions that joined the output channels
    std::vector<int> ownFieldDims;  ///< spatial dimensions that stayed, in order
    std::vector<int> flattenedDims; ///< the others, in one field dimension, after the batch
    bool batchFlattened = false;
    std::size_t flattenedAt = 0; ///< which field dimension that is
    /// Conv groups that became one, their channels side by side with zero weights between them.
    std::int64_t combinedGroups = 1;
    std::int64_t separateGroups = 1; ///< how many groups there were, if they are combined
    bool swapOperands = false;       ///< field and output channels have changed places
    friend bool operator==(const ConvTransform&, const ConvTransform&) = default;
};

/// The order in which tiles take the parts: neighbours have different output channels, then field,
/// batch, kernel, input channels and groups. Backward and update products of a dense layer whose
/// three passes are planned as one keep each part where the forward product has it.
enum class TileOrder : std::uint8_t {
    Standard,
    DenseBackward, ///< field and input channels have changed places
    DenseUpdate,   ///< input and output channels have changed places
};

/// Into how many parts each dimension is cut over the tiles (and, for the serial ones, in time).
struct ConvSplits {
    std::int64_t groups = 1, batch = 1, outChans = 1, inChans = 1;
    std::vector<std::int64_t> field, kernel;
    std::int64_t outChansSerial = 1, inChansSerial = 1;
    TileOrder tileOrder = TileOrder::Standard;

    [[nodiscard]] std::int64_t fieldParts() const;
    [[nodiscard]] std::int64_t kernelParts() const;
    [[nodiscard]] std::int64_t tiles() const;
    [[nodiscard]] std::int64_t reductionDepth() const { return inChans * kernelParts(); }
    [[nodiscard]] std::int64_t serialSteps() const { return outChansSerial * inChansSerial; }
    /// Whether neighbours receive the same input, over both their buses.
    [[nodiscard]] bool sharesBus(const Target& target) const {
        return tileOrder == TileOrder::Standard && outChans % target.tilesPerSharedBus == 0;
    }
    friend bool operator==(const ConvSplits&, const ConvSplits&) = default;
};

/// Depths of the stages of a reduction of `depth` partials: none for a single one, three at most;
/// their product is at least the depth.
class ReductionDepths {
public:
    explicit ReductionDepths(std::int64_t depth);
    [[nodiscard]] const std::int64_t* begin() const { return depths_.data(); }
    [[nodiscard]] const std::int64_t* end() const { return depths_.data() + count_; }
    [[nodiscard]] std::size_t size() const { return count_; }

private:
    std::array<std::int64_t, 3> depths_{};
    std::size_t count_ = 0;
};

/// Terms of a plan's cost: cycles of the whole convolution, bytes on the fullest tile.
struct ConvCost {
    std::int64_t exchange = 0, compute = 0, reduce = 0, serial = 0, rearrange = 0;
    std::int64_t zeros = 0; ///< of the exchange: what fills kernel rows and windows
    std::int64_t tempBytes = 0;
    [[nodiscard]] std::int64_t cycles() const {
        return exchange + compute + reduce + serial + rearrange;
    }
    friend bool operator==(const ConvCost&, const ConvCost&) = default;
};

struct ConvPlan {
    ConvMethod method = ConvMethod::Amp;
    std::int32_t convUnits = 0;
    ConvGrains grains;
    ConvSplits splits;
    ConvTransform transform;
    ConvProblem problem; ///< as planned, after the transform
    ConvCost cost;
    bool withinMemoryTarget = true;
    bool cutShort = false; ///< there are more partitions than were examined
    /// The three passes of a dense layer have one plan; temporary bytes are the most of them.
    bool joint = false;
    /// It runs at the same time as others, each on tiles of its own from the first one on.
    bool parallel = false;
    std::int32_t firstTile = 0;
    friend bool operator==(const ConvPlan&, const ConvPlan&) = default;

    [[nodiscard]] std::vector<std::int64_t> reductionStages() const {
        const ReductionDepths depths(splits.reductionDepth());
        return {depths.begin(), depths.end()};
    }
    /// Elements of a result that stay together where tiles share it out to add it up: a group of
    /// channels, and no less than 64 bits (PopLibs poplin/ConvReduce.cpp, partialGroupedReduce).
    [[nodiscard]] std::int64_t resultGrain() const;
    /// Sizes of the work of the fullest tile.
    [[nodiscard]] ConvTileSizes tileSizes() const;
    /// A JSON object for the profile's operation table. `executed`: what its steps take as they
    /// were lowered, its estimate there beside that by which the planner chose it.
    [[nodiscard]] std::string toJson(const ConvCost& executed) const;
    [[nodiscard]] std::string toJson() const { return toJson(cost); }
};

/// Channels are padded to whole grains.
ConvTileSizes tileSizes(const ConvProblem& problem, const ConvGrains& grains,
                        const ConvSplits& splits);
/// The same into an object that is reused, for the planner's inner loop.
void fillTileSizes(const ConvProblem& problem, const ConvGrains& grains, const ConvSplits& splits,
                   ConvTileSizes& sizes);

/// Whether each output position meets an input at every kernel index.
bool meetsEveryIndex(const ConvProblem& problem);

/// ConvTileSizes::singleRow of a problem.
bool isSingleRow(const ConvProblem& problem);

/// Input indices [begin, end) that output indices [begin, end) of a dimension read with kernel
/// indices [begin, end), clipped to the input.
struct FieldRange {
    std::int64_t begin = 0, end = 0;
};
FieldRange inputRange(const FieldDim& dim, FieldRange out, FieldRange kernel);

} // namespace tilescope::sim
