// The closed set of operations that can be lowered. ONNX has many more operators; the importer
// expresses them in these.
#pragma once

#include <compare>
#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace tilescope::sim {

/// Properties of a kind of operation, whatever its attributes. Each kind states its own in its
/// struct, by one of these families: there is no default.
struct KindTraits {
    std::string_view name;
    bool isPlanned;   ///< by the planner
    bool isView;      ///< only renames elements
    bool countsFlops; ///< false for operations that move data
    bool isOutlined;  ///< a function may hold it

    static constexpr KindTraits planned(std::string_view name) {
        return {name, true, false, true, true};
    }
    static constexpr KindTraits view(std::string_view name) {
        return {name, false, true, false, true};
    }
    static constexpr KindTraits computing(std::string_view name) {
        return {name, false, false, true, true};
    }
    /// Without FLOPs: moves data, or its additions are not counted so far.
    static constexpr KindTraits moving(std::string_view name) {
        return {name, false, false, false, true};
    }
    /// Between IPUs, replicas, micro-batches or memories: never in a function.
    static constexpr KindTraits outside(std::string_view name) {
        return {name, false, false, false, false};
    }
};

/// Convolution without bias. Input [N, C, spatial...], weights [O, C/groups, kernel...],
/// output [N, O, spatial...]; one to three spatial dimensions.
struct ConvAttributes {
    static constexpr KindTraits traits = KindTraits::planned("Conv");
    std::vector<std::int64_t> kernel, strides, dilations;
    std::vector<std::int64_t> padsBegin, padsEnd;
    std::int64_t groups = 1;
    bool trained = false; ///< gradients of its weights and its input follow
    friend auto operator<=>(const ConvAttributes&, const ConvAttributes&) = default;
};

/// Gradient of a Conv with respect to its input: operands are the output's gradient and the
/// weights.
struct ConvGradInputAttributes {
    static constexpr KindTraits traits = KindTraits::planned("ConvGradInput");
    ConvAttributes conv; ///< of the forward convolution
    friend auto operator<=>(const ConvGradInputAttributes&,
                            const ConvGradInputAttributes&) = default;
};

/// Gradient of a Conv with respect to its weights: operands are its input and the output's
/// gradient.
struct ConvGradWeightsAttributes {
    static constexpr KindTraits traits = KindTraits::planned("ConvGradWeights");
    ConvAttributes conv; ///< of the forward convolution
    friend auto operator<=>(const ConvGradWeightsAttributes&,
                            const ConvGradWeightsAttributes&) = default;
};

/// Which part of training a product or convolution serves: it decides what the planner assumes to
/// need rearranging (PopLibs poplin, option `pass` and `fullyConnectedPass`).
enum class TrainingPass : std::uint8_t {
    None,
    InferenceForward,
    TrainingForward,
    TrainingBackward,
    TrainingUpdate,
};

/// Batched matrix product [g..., m, k] x [g..., k, n] with ONNX MatMul broadcasting of g.
/// A transposed operand is a view: its last two dimensions are exchanged before the product.
struct MatMulAttributes {
    static constexpr KindTraits traits = KindTraits::planned("MatMul");
    bool transposeA = false;
    bool transposeB = false;
    TrainingPass pass = TrainingPass::None;
    friend auto operator<=>(const MatMulAttributes&, const MatMulAttributes&) = default;
};

/// Elementwise function of one to many operands, with NumPy broadcasting of operands.
/// Cast takes its target type from its output tensor. See elementwise_traits.h.
enum class ElementwiseFunction : std::uint8_t {
#define ELEMENTWISE(function, traits) function,
#include "simulator/graph/elementwise.def"
#undef ELEMENTWISE
};
struct ElementwiseAttributes {
    static constexpr KindTraits traits = KindTraits::computing("Elementwise");
    ElementwiseFunction function = ElementwiseFunction::Add;
    /// Parameters of the function, as listed in its row of elementwise.def.
    double alpha = 0, beta = 0, gamma = 0, delta = 0;
    /// Alpha and beta of ScaledAdd, beta of MovingAverage are multiplied by the current learning
    /// rate.
    bool byLearningRate = false;
    std::int32_t rate = 0; ///< whose learning rate (UpdateNumbers::rate)
    /// For ReluGrad: the function that it is the gradient of, whose alpha and beta it has.
    ElementwiseFunction of = {};
    /// For Clip, HardSigmoid and their ReluGrad: a gradient passes at the ends of the slope, too.
    bool slopesAtEnds = false;
    /// For AdamUpdater: epsilon is added to the root of the second moment before its bias is
    /// corrected.
    bool epsilonFirst = false;
    friend auto operator<=>(const ElementwiseAttributes&, const ElementwiseAttributes&) = default;
};

enum class ReduceFunction : std::uint8_t {
    Add,
    Mean,
    Max,
    Min,
    Multiply,
    SquareAdd,
    LogAdd,
    ArgMax,
    ArgMin
};
std::string_view toString(ReduceFunction function); ///< "ADD", "MEAN", "MAX", ...

/// Reduction over axes (sorted, not negative). keepDims keeps them as size 1.
struct ReduceAttributes {
    static constexpr KindTraits traits = KindTraits::computing("Reduce");
    ReduceFunction function = ReduceFunction::Add;
    std::vector<std::int64_t> axes;
    bool keepDims = true;
    double scale = 1; ///< factor of the result (popops::ReduceParams)
    friend auto operator<=>(const ReduceAttributes&, const ReduceAttributes&) = default;
};

enum class PoolKind : std::uint8_t { Max, Average, Sum };

/// Pooling of [N, C, spatial...]; global pooling has a kernel as large as its input.
struct PoolAttributes {
    static constexpr KindTraits traits = KindTraits::computing("Pool");
    PoolKind kind = PoolKind::Max;
    std::vector<std::int64_t> kernel, strides, dilations;
    std::vector<std::int64_t> padsBegin, padsEnd;
    bool countIncludePad = false;
    friend auto operator<=>(const PoolAttributes&, const PoolAttributes&) = default;
};

/// Local response normalisation over `size` neighbouring channels of [N, C, spatial...].
struct LrnAttributes {
    static constexpr KindTraits traits = KindTraits::computing("Lrn");
    std::int64_t size = 1;
    double alpha = 1e-4, beta = 0.75, bias = 1;
    friend auto operator<=>(const LrnAttributes&, const LrnAttributes&) = default;
};

/// Softmax over the dimensions from `firstAxis` to before `endAxis` taken as one.
struct SoftmaxAttributes {
    static constexpr KindTraits traits = KindTraits::computing("Softmax");
    std::int64_t firstAxis = 0;
    std::int64_t endAxis = 1;
    bool logarithm = false;
    friend auto operator<=>(const SoftmaxAttributes&, const SoftmaxAttributes&) = default;
};

// Views: no work until the data are needed in order.
struct ReshapeAttributes {
    static constexpr KindTraits traits = KindTraits::view("Reshape");
    friend auto operator<=>(const ReshapeAttributes&, const ReshapeAttributes&) = default;
}; ///< same elements in the same order
struct TransposeAttributes {
    static constexpr KindTraits traits = KindTraits::view("Transpose");
    std::vector<std::int64_t> permutation;
    friend auto operator<=>(const TransposeAttributes&, const TransposeAttributes&) = default;
}; ///< out dim i is in dim perm[i]
struct ConcatAttributes {
    static constexpr KindTraits traits = KindTraits::view("Concat");
    std::int64_t axis = 0;
    friend auto operator<=>(const ConcatAttributes&, const ConcatAttributes&) = default;
};
/// Output index i of dim d is input index starts[d] + i * steps[d] (steps may be negative).
struct SliceAttributes {
    static constexpr KindTraits traits = KindTraits::view("Slice");
    std::vector<std::int64_t> starts, steps;
    friend auto operator<=>(const SliceAttributes&, const SliceAttributes&) = default;
};
struct ExpandAttributes {
    static constexpr KindTraits traits = KindTraits::view("Expand");
    friend auto operator<=>(const ExpandAttributes&, const ExpandAttributes&) = default;
}; ///< NumPy broadcasting of the input to the output's shape

/// Rows of the first input's `axis` chosen by the second input (popops::multiSlice).
struct GatherAttributes {
    static constexpr KindTraits traits = KindTraits::moving("Gather");
    std::int64_t axis = 0;
    friend auto operator<=>(const GatherAttributes&, const GatherAttributes&) = default;
};

/// How a row is updated: by addition, multiplication or maximum, or overwritten.
enum class UpdateFunction : std::uint8_t { Add, Set, Multiply, Max };
/// Updates the rows of the first operand that the second lists with the rows of the third
/// (popops::multiUpdate, multiUpdateAdd, multiUpdateMax), in place.
struct MultiUpdateAttributes {
    static constexpr KindTraits traits = KindTraits::moving("MultiUpdate");
    std::int64_t axis = 0;
    UpdateFunction function = UpdateFunction::Add;
    friend auto operator<=>(const MultiUpdateAttributes&, const MultiUpdateAttributes&) = default;
};

/// Constant padding (negative pads crop).
struct PadAttributes {
    static constexpr KindTraits traits = KindTraits::moving("Pad");
    std::vector<std::int64_t> padsBegin, padsEnd;
    double value = 0;
    friend auto operator<=>(const PadAttributes&, const PadAttributes&) = default;
};

/// Gradient of a Pool with respect to its input: operands are the output's gradient and, for a
/// maximum, the input and the output.
struct PoolGradAttributes {
    static constexpr KindTraits traits = KindTraits::moving("PoolGrad");
    PoolAttributes pool;
    friend auto operator<=>(const PoolGradAttributes&, const PoolGradAttributes&) = default;
};

/// A tensor of zeros (popops::zero).
struct FillAttributes {
    static constexpr KindTraits traits = KindTraits::moving("Fill");
    friend auto operator<=>(const FillAttributes&, const FillAttributes&) = default;
};

/// Normalisation with the statistics of the data over `axes` (sorted): of a whole batch
/// (BatchNormalization in training) or of a sample (layer, group, instance). Operands: data,
/// then scale and shift unless there are none, then for a batch the running mean and variance,
/// which it updates. Results: normalised data and, if requested, mean and inverse standard
/// deviation, with `axes` as dimensions of size one.
struct NormAttributes {
    static constexpr KindTraits traits = KindTraits::computing("Norm");
    std::vector<std::int64_t> axes;
    bool running = false;      ///< of a batch: keeps running statistics
    std::int32_t replicas = 1; ///< whose batches are taken together
    double epsilon = 1e-5;     ///< added to the variance
    double momentum = 0.9;     ///< share that the running statistics keep
    /// The running variance is divided by n - 1 for n values, as in PyTorch; in ONNX by n.
    bool unbiased = false;
    friend auto operator<=>(const NormAttributes&, const NormAttributes&) = default;

    /// Factor in the running variance of the variance of `values` values of a replica's batch.
    [[nodiscard]] double runningScale(std::int64_t values) const {
        const auto all = static_cast<double>(values) * replicas;
        return unbiased && all > 1 ? all / (all - 1) : 1;
    }
};

/// Several reductions over the same axes in the same compute sets (popops::reduceMany): one
/// function, operand and result for each. Reduced dimensions stay as ones.
struct JointReduceAttributes {
    static constexpr KindTraits traits = KindTraits::computing("JointReduce");
    std::vector<ReduceFunction> functions;
    std::vector<std::int64_t> axes;
    std::vector<double> scales = {}; ///< factors of the results; none: ones
    friend auto operator<=>(const JointReduceAttributes&, const JointReduceAttributes&) = default;
};

/// A copy of a tensor on another IPU.
struct IpuCopyAttributes {
    static constexpr KindTraits traits = KindTraits::outside("IpuCopy");
    std::int32_t fromStage = 0, toStage = 0;
    friend auto operator<=>(const IpuCopyAttributes&, const IpuCopyAttributes&) = default;
};

/// Puts a tensor into a row of a buffer that holds it for as many micro-batches as there are rows
/// (PopART's stash). Result: the buffer.
struct StashAttributes {
    static constexpr KindTraits traits = KindTraits::outside("Stash");
    std::int64_t rows = 1;
    friend auto operator<=>(const StashAttributes&, const StashAttributes&) = default;
};
/// Takes the oldest row out of a stash; with a second operand, into its place.
struct RestoreAttributes {
    static constexpr KindTraits traits = KindTraits::outside("Restore");
    std::int64_t rows = 1;
    friend auto operator<=>(const RestoreAttributes&, const RestoreAttributes&) = default;
};
/// TensorFlow's FIFO: takes the oldest row out and puts the tensor in. No rows: a copy.
struct FifoAttributes {
    static constexpr KindTraits traits = KindTraits::outside("Fifo");
    std::int64_t rows = 1;
    friend auto operator<=>(const FifoAttributes&, const FifoAttributes&) = default;
};

/// Brings a tensor from its row of a remote buffer (Graph::remoteBuffers) to the tiles. With an
/// operand, into the operand's place, where the tensor was before.
struct RemoteLoadAttributes {
    static constexpr KindTraits traits = KindTraits::outside("RemoteLoad");
    std::int32_t buffer = 0, row = 0;
    friend auto operator<=>(const RemoteLoadAttributes&, const RemoteLoadAttributes&) = default;
};
/// Writes the first operand back to its row, after the operation whose result is the second
/// operand, if there is one.
struct RemoteStoreAttributes {
    static constexpr KindTraits traits = KindTraits::outside("RemoteStore");
    std::int32_t buffer = 0, row = 0;
    friend auto operator<=>(const RemoteStoreAttributes&, const RemoteStoreAttributes&) = default;
};

/// Collectives of a graph's replicas on a tensor that each of them has (Graphcore's GCL).
enum class CollectiveKind : std::uint8_t {
    AllReduce,     ///< every replica gets the sum, in place
    ReduceScatter, ///< every replica gets its shard of the sum
    AllGather,     ///< every replica gets the shards of all
};
std::string_view toString(CollectiveKind kind); ///< "AllReduce", ...
/// AllReduce: any number of tensors of one type; each is replaced by its sum, or (not in place) has
/// one of its own, as statistics within a function do. ReduceScatter: a tensor;
/// result: the replica's shard of the sum. AllGather: the tensor whose place the result takes, and
/// the shard. Replicas that IPU-Links join have a shard each; `shards` is their number, or that of
/// the replicas that sum: all, or those that have shards.
struct CollectiveAttributes {
    static constexpr KindTraits traits = KindTraits::outside("Collective");
    CollectiveKind kind = CollectiveKind::AllReduce;
    std::int32_t shards = 1;
    bool inPlace = true;
    friend auto operator<=>(const CollectiveAttributes&, const CollectiveAttributes&) = default;
};

/// The replica's own shard of a tensor that is the same on all replicas: a copy on the chip,
/// without exchange with other replicas.
struct ShardAttributes {
    static constexpr KindTraits traits = KindTraits::outside("Shard");
    std::int32_t shards = 1;
    friend auto operator<=>(const ShardAttributes&, const ShardAttributes&) = default;
};

/// Layout that a declared operation needs for an operand: spread as its result, linearly over the
/// tiles, or whole on every tile that makes a part of the result.
enum class CustomLayout : std::uint8_t { LikeResult, Linear, Everywhere };
/// Cost of a declared operation on a tile, by formulas (core/base/formula.h).
struct CustomCost {
    std::string vertex;                                    ///< class: "MyCube<float>"
    std::string cycles, stateBytes, temporaryBytes, flops; ///< flops: of all tiles
    std::int64_t codeBytes = 0;
    friend auto operator<=>(const CustomCost&, const CustomCost&) = default;
};
/// An operation that the user has declared.
struct CustomAttributes {
    static constexpr KindTraits traits = KindTraits::computing("Custom");
    std::vector<CustomLayout> inputs;
    CustomCost cost;
    friend auto operator<=>(const CustomAttributes&, const CustomAttributes&) = default;
};

/// Runs a function of the graph (Graph::functions): operands are its inputs, results its outputs.
struct CallAttributes {
    static constexpr KindTraits traits = KindTraits::outside("Call");
    std::int32_t function = 0;
    friend auto operator<=>(const CallAttributes&, const CallAttributes&) = default;
};

/// Runs a function of the graph once for each row of its sequences, one after the other (ONNX Scan;
/// popnn::rnn::Rnn). Operands: the states as they are before the first step, but for the last
/// `zeroStates` ones, which begin as zeros; then sequences, whose first dimension has a row for
/// each step; then what every step reads as it is. The function's inputs are all states, a row of
/// each sequence (without that dimension), and the rest; its outputs the new states, and rows.
/// Results: the states after the last step, and for each row a sequence of the rows of all steps.
struct LoopAttributes {
    static constexpr KindTraits traits = KindTraits::outside("Loop");
    std::int32_t function = 0;
    std::int64_t steps = 1;
    std::int32_t states = 0, zeroStates = 0, sequences = 0;
    bool backwards = false; ///< from the last row to the first
    friend auto operator<=>(const LoopAttributes&, const LoopAttributes&) = default;
};

/// Connectionist temporal classification with its gradient (popnn::ctc::calcLossAndGradient...).
/// Operands: log probabilities [time, batch, classes] and labels [batch, longest label]. Results:
/// the gradient of the data, and the loss of each sample.
struct CtcLossAttributes {
    static constexpr KindTraits traits = KindTraits::moving("CtcLoss");
    friend auto operator<=>(const CtcLossAttributes&, const CtcLossAttributes&) = default;
};

/// The decoder of such a model (popnn::ctc_infer::beamSearchDecoderLogProbabilities). Operand: log
/// probabilities [time, batch, classes]. Results: the best paths [batch, paths, time], their log
/// probabilities and their lengths [batch, paths].
struct CtcBeamSearchAttributes {
    static constexpr KindTraits traits = KindTraits::moving("CtcBeamSearch");
    std::int64_t beamWidth = 1, paths = 1;
    friend auto operator<=>(const CtcBeamSearchAttributes&,
                            const CtcBeamSearchAttributes&) = default;
};

using Attributes =
    std::variant<ConvAttributes, MatMulAttributes, ElementwiseAttributes, ReduceAttributes,
                 PoolAttributes, LrnAttributes, SoftmaxAttributes, ReshapeAttributes,
                 TransposeAttributes, ConcatAttributes, SliceAttributes, ExpandAttributes,
                 GatherAttributes, PadAttributes, ConvGradInputAttributes,
                 ConvGradWeightsAttributes, MultiUpdateAttributes, PoolGradAttributes,
                 FillAttributes, IpuCopyAttributes, StashAttributes, RestoreAttributes,
                 FifoAttributes, NormAttributes, JointReduceAttributes, RemoteLoadAttributes,
                 RemoteStoreAttributes, CollectiveAttributes, ShardAttributes, CustomAttributes,
                 CallAttributes, LoopAttributes, CtcLossAttributes, CtcBeamSearchAttributes>;

/// Those of the active alternative.
const KindTraits& traitsOf(const Attributes& attributes);

/// True for convolutions, their gradients and matrix products, which the planner plans.
bool isPlanned(const Attributes& attributes);

/// True for the operations that only rename elements.
bool isView(const Attributes& attributes);

} // namespace tilescope::sim
