// The closed set of operations that lowering knows. ONNX has many more operators; the importer
// expresses them in these.
#pragma once

#include <compare>
#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace tilescope::sim {

/// Convolution without bias. Input [N, C, spatial...], weights [O, C/groups, kernel...],
/// output [N, O, spatial...]; one to three spatial dimensions.
struct ConvAttributes {
    std::vector<std::int64_t> kernel, strides, dilations;
    std::vector<std::int64_t> padsBegin, padsEnd;
    std::int64_t groups = 1;
    friend auto operator<=>(const ConvAttributes&, const ConvAttributes&) = default;
};

/// Gradient of a Conv with respect to its input: operands are the output's gradient and the
/// weights.
struct ConvGradInputAttributes {
    ConvAttributes conv; ///< of the forward convolution
    friend auto operator<=>(const ConvGradInputAttributes&,
                            const ConvGradInputAttributes&) = default;
};

/// Gradient of a Conv with respect to its weights: operands are its input and the output's
/// gradient.
struct ConvGradWeightsAttributes {
    ConvAttributes conv; ///< of the forward convolution
    friend auto operator<=>(const ConvGradWeightsAttributes&,
                            const ConvGradWeightsAttributes&) = default;
};

/// Batched matrix product [g..., m, k] x [g..., k, n] with ONNX MatMul broadcasting of g.
/// A transposed operand is a view: its last two dimensions are exchanged before the product.
/// Which part of training a product or convolution serves: it decides what the planner assumes to
/// need rearranging (PopLibs poplin, option `pass` and `fullyConnectedPass`).
enum class TrainingPass : std::uint8_t {
    None,
    InferenceForward,
    TrainingForward,
    TrainingBackward,
    TrainingUpdate,
};

struct MatMulAttributes {
    bool transposeA = false;
    bool transposeB = false;
    TrainingPass pass = TrainingPass::None;
    friend auto operator<=>(const MatMulAttributes&, const MatMulAttributes&) = default;
};

/// Elementwise function of one to many operands, with NumPy broadcasting of operands.
/// Names are those of popops expressions. Cast takes its target type from its output tensor.
enum class ElementwiseFunction : std::uint8_t {
    // unary
    Relu,
    LeakyRelu,
    Sigmoid,
    Tanh,
    Gelu,
    Erf,
    Exp,
    Log,
    Sqrt,
    Rsqrt,
    Inverse,
    Abs,
    Negate,
    Square,
    Sin,
    Cos,
    Tan,
    Floor,
    Ceil,
    Round,
    Sign,
    Not,
    Clip,
    Cast,
    Elu,
    Softplus,
    HardSigmoid,
    HardSwish,
    Asin,
    Acos,
    Atan,
    Sinh,
    Cosh,
    Asinh,
    Acosh,
    Atanh,
    IsNan,
    IsInf,
    Copy,
    Dropout, ///< keeps or drops by a mask made from a seed; its gradient is the same again
    OneHot,  ///< class indices [..., 1] as [..., classes]
    Zero,    ///< overwrites its operand, in place
    // binary (Add, Multiply, Max and Min take any number of operands)
    Add,
    Subtract,
    Multiply,
    Divide,
    Power,
    Max,
    Min,
    Remainder,
    Equal,
    Less,
    Greater,
    LessEqual,
    GreaterEqual,
    And,
    Or,
    Xor,
    PRelu,
    InverseStdDeviation, ///< of a mean and a mean square: 1 / sqrt(square - mean^2 + epsilon)
    ReluGrad,            ///< gradient of the output, and the output (popnn NonLinearityGrad)
    SigmoidGrad,
    TanhGrad,
    GeluGrad,     ///< gradient of the output, and the input
    CrossEntropy, ///< -expected * log(probability)
    // binary, always in place of the first operand
    ScaledAdd,     ///< a += scale * b
    MovingAverage, ///< a = beta * a + (1 - beta) * b
    MovingSquare,  ///< a = beta * a + (1 - beta) * b * b
    // ternary
    Select,          ///< condition ? a : b, ONNX Where
    AdamUpdater,     ///< step of Adam from both moments and (for weight decay) the weight
    SubtractProduct, ///< a - b * c
};
/// True for the functions that overwrite their first operand whoever else reads it.
bool updatesInPlace(ElementwiseFunction function);
std::string_view toString(ElementwiseFunction function); ///< popops spelling: "RELU", "ADD", ...

struct ElementwiseAttributes {
    ElementwiseFunction function = ElementwiseFunction::Add;
    double alpha = 0; ///< slope of LeakyRelu, Elu and HardSigmoid; lower bound of Clip
    double beta = 0;  ///< offset of HardSigmoid; upper bound of Clip
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
    ReduceFunction function = ReduceFunction::Add;
    std::vector<std::int64_t> axes;
    bool keepDims = true;
    friend auto operator<=>(const ReduceAttributes&, const ReduceAttributes&) = default;
};

enum class PoolKind : std::uint8_t { Max, Average, Sum };

/// Pooling of [N, C, spatial...]; global pooling has a kernel as large as its input.
struct PoolAttributes {
    PoolKind kind = PoolKind::Max;
    std::vector<std::int64_t> kernel, strides, dilations;
    std::vector<std::int64_t> padsBegin, padsEnd;
    bool countIncludePad = false;
    friend auto operator<=>(const PoolAttributes&, const PoolAttributes&) = default;
};

/// Local response normalisation over `size` neighbouring channels of [N, C, spatial...].
struct LrnAttributes {
    std::int64_t size = 1;
    double alpha = 1e-4, beta = 0.75, bias = 1;
    friend auto operator<=>(const LrnAttributes&, const LrnAttributes&) = default;
};

/// Softmax over the dimensions from `firstAxis` to before `endAxis` taken as one.
struct SoftmaxAttributes {
    std::int64_t firstAxis = 0;
    std::int64_t endAxis = 1;
    bool logarithm = false;
    friend auto operator<=>(const SoftmaxAttributes&, const SoftmaxAttributes&) = default;
};

// Views: no work until somebody needs the data in order.
struct ReshapeAttributes {
    friend auto operator<=>(const ReshapeAttributes&, const ReshapeAttributes&) = default;
}; ///< same elements in the same order
struct TransposeAttributes {
    std::vector<std::int64_t> permutation;
    friend auto operator<=>(const TransposeAttributes&, const TransposeAttributes&) = default;
}; ///< out dim i is in dim perm[i]
struct ConcatAttributes {
    std::int64_t axis = 0;
    friend auto operator<=>(const ConcatAttributes&, const ConcatAttributes&) = default;
};
/// Output index i of dim d is input index starts[d] + i * steps[d] (steps may be negative).
struct SliceAttributes {
    std::vector<std::int64_t> starts, steps;
    friend auto operator<=>(const SliceAttributes&, const SliceAttributes&) = default;
};
struct ExpandAttributes {
    friend auto operator<=>(const ExpandAttributes&, const ExpandAttributes&) = default;
}; ///< NumPy broadcasting of the input to the output's shape

/// Rows of the first input's `axis` chosen by the second input (popops::multiSlice).
struct GatherAttributes {
    std::int64_t axis = 0;
    friend auto operator<=>(const GatherAttributes&, const GatherAttributes&) = default;
};

/// Adds the rows of the third operand to those rows of the first that the second names
/// (popops::multiUpdateAdd), in place.
struct MultiUpdateAttributes {
    std::int64_t axis = 0;
    friend auto operator<=>(const MultiUpdateAttributes&, const MultiUpdateAttributes&) = default;
};

/// Constant padding (negative pads crop).
struct PadAttributes {
    std::vector<std::int64_t> padsBegin, padsEnd;
    friend auto operator<=>(const PadAttributes&, const PadAttributes&) = default;
};

/// Gradient of a Pool with respect to its input: operands are the output's gradient and, for a
/// maximum, the input and the output.
struct PoolGradAttributes {
    PoolAttributes pool;
    friend auto operator<=>(const PoolGradAttributes&, const PoolGradAttributes&) = default;
};

/// A tensor of zeros (popops::zero).
struct FillAttributes {
    friend auto operator<=>(const FillAttributes&, const FillAttributes&) = default;
};

/// Normalisation with the statistics of the data over `axes` (sorted): of a whole batch
/// (BatchNormalization in training) or of a sample (layer, group, instance). Operands: data,
/// then scale and shift unless there are none, then for a batch the running mean and variance,
/// which it updates. Results: normalised data and, where somebody asks for them, mean and inverse
/// standard deviation, with `axes` as dimensions of size one.
struct NormAttributes {
    std::vector<std::int64_t> axes;
    bool running = false; ///< of a batch: keeps running statistics
    friend auto operator<=>(const NormAttributes&, const NormAttributes&) = default;
};

/// Several reductions over the same axes in the same compute sets (popops::reduceMany): one
/// function, operand and result for each. Reduced dimensions stay as ones.
struct JointReduceAttributes {
    std::vector<ReduceFunction> functions;
    std::vector<std::int64_t> axes;
    friend auto operator<=>(const JointReduceAttributes&, const JointReduceAttributes&) = default;
};

/// A copy of a tensor on another IPU.
struct IpuCopyAttributes {
    std::int32_t fromStage = 0, toStage = 0;
    friend auto operator<=>(const IpuCopyAttributes&, const IpuCopyAttributes&) = default;
};

/// Puts a tensor into a row of a buffer that holds it for as many micro-batches as there are rows
/// (PopART's stash). Result: the buffer.
struct StashAttributes {
    std::int64_t rows = 1;
    friend auto operator<=>(const StashAttributes&, const StashAttributes&) = default;
};
/// Takes the oldest row out of a stash; with a second operand, into the place of that.
struct RestoreAttributes {
    std::int64_t rows = 1;
    friend auto operator<=>(const RestoreAttributes&, const RestoreAttributes&) = default;
};
/// TensorFlow's FIFO: takes the oldest row out and puts the tensor in. No rows: a copy.
struct FifoAttributes {
    std::int64_t rows = 1;
    friend auto operator<=>(const FifoAttributes&, const FifoAttributes&) = default;
};

/// Brings a tensor from its row of a remote buffer (Graph::remoteBuffers) to the tiles. With an
/// operand, into the place of that: the tensor was there before.
struct RemoteLoadAttributes {
    std::int32_t buffer = 0, row = 0;
    friend auto operator<=>(const RemoteLoadAttributes&, const RemoteLoadAttributes&) = default;
};
/// Writes the first operand back to its row. A second operand is the operation's result that it
/// has to wait for.
struct RemoteStoreAttributes {
    std::int32_t buffer = 0, row = 0;
    friend auto operator<=>(const RemoteStoreAttributes&, const RemoteStoreAttributes&) = default;
};

/// What the replicas of a graph do together with a tensor that each of them has (Graphcore's GCL).
enum class CollectiveKind : std::uint8_t {
    AllReduce,     ///< every replica gets the sum, in place
    ReduceScatter, ///< every replica gets its shard of the sum
    AllGather,     ///< every replica gets the shards of all
};
std::string_view toString(CollectiveKind kind); ///< "AllReduce", ...
/// AllReduce: any number of tensors of one type, each replaced by its sum. ReduceScatter: a tensor;
/// result: the replica's shard of the sum. AllGather: the tensor whose place the result takes, and
/// the shard. Replicas that IPU-Links join have a shard each; `shards` is their number, or that of
/// the replicas that sum: all, or those that have shards.
struct CollectiveAttributes {
    CollectiveKind kind = CollectiveKind::AllReduce;
    std::int32_t shards = 1;
    friend auto operator<=>(const CollectiveAttributes&, const CollectiveAttributes&) = default;
};

/// The replica's own shard of a tensor that all replicas have alike: a copy on the chip, without
/// exchange with other replicas.
struct ShardAttributes {
    std::int32_t shards = 1;
    friend auto operator<=>(const ShardAttributes&, const ShardAttributes&) = default;
};

/// Runs a function of the graph (Graph::functions): operands are its inputs, results its outputs.
struct CallAttributes {
    std::int32_t function = 0;
    friend auto operator<=>(const CallAttributes&, const CallAttributes&) = default;
};

using Attributes =
    std::variant<ConvAttributes, MatMulAttributes, ElementwiseAttributes, ReduceAttributes,
                 PoolAttributes, LrnAttributes, SoftmaxAttributes, ReshapeAttributes,
                 TransposeAttributes, ConcatAttributes, SliceAttributes, ExpandAttributes,
                 GatherAttributes, PadAttributes, ConvGradInputAttributes,
                 ConvGradWeightsAttributes, MultiUpdateAttributes, PoolGradAttributes,
                 FillAttributes, IpuCopyAttributes, StashAttributes, RestoreAttributes,
                 FifoAttributes, NormAttributes, JointReduceAttributes, RemoteLoadAttributes,
                 RemoteStoreAttributes, CollectiveAttributes, ShardAttributes, CallAttributes>;

/// "Conv", "MatMul", "Elementwise", ... of the active alternative.
std::string_view kindName(const Attributes& attributes);

/// True for convolutions, their gradients and matrix products: what the planner plans.
bool isPlanned(const Attributes& attributes);

/// True for the operations that only rename elements.
bool isView(const Attributes& attributes);

} // namespace tilescope::sim
