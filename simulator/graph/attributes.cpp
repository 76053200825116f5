#include "simulator/graph/attributes.h"

#include <array>

namespace tilescope::sim {

namespace {

// In the order of ElementwiseFunction.
constexpr std::array elementwiseNames{
    "RELU",
    "LEAKY_RELU",
    "SIGMOID",
    "TANH",
    "GELU",
    "ERF",
    "EXPONENT",
    "LOGARITHM",
    "SQRT",
    "RSQRT",
    "INVERSE",
    "ABSOLUTE",
    "NEGATE",
    "SQUARE",
    "SIN",
    "COS",
    "TAN",
    "FLOOR",
    "CEIL",
    "ROUND",
    "SIGNUM",
    "LOGICAL_NOT",
    "CLAMP",
    "CAST",
    "ELU",
    "SOFTPLUS",
    "HARD_SIGMOID",
    "HARD_SWISH",
    "ASIN",
    "ACOS",
    "ATAN",
    "SINH",
    "COSH",
    "ASINH",
    "ACOSH",
    "ATANH",
    "IS_NAN",
    "IS_INF",
    "COPY",
    "DROPOUT",
    "ONE_HOT",
    "ZERO",
    "ADD",
    "SUBTRACT",
    "MULTIPLY",
    "DIVIDE",
    "POWER",
    "MAXIMUM",
    "MINIMUM",
    "REMAINDER",
    "EQUAL",
    "LESS_THAN",
    "GREATER_THAN",
    "LESS_THAN_EQUAL",
    "GREATER_THAN_EQUAL",
    "LOGICAL_AND",
    "LOGICAL_OR",
    "LOGICAL_XOR",
    "PRELU",
    "INVERSE_STD_DEVIATION",
    "RELU_GRAD",
    "SIGMOID_GRAD",
    "TANH_GRAD",
    "GELU_GRAD",
    "CROSS_ENTROPY",
    "SCALED_ADD",
    "MOVING_AVERAGE",
    "MOVING_SQUARE",
    "SELECT",
    "ADAM_UPDATER",
    "SUBTRACT_PRODUCT",
};
static_assert(elementwiseNames.size() ==
              static_cast<std::size_t>(ElementwiseFunction::SubtractProduct) + 1);

constexpr std::array reduceNames{"ADD",        "MEAN",    "MAX",     "MIN",    "MUL",
                                 "SQUARE_ADD", "LOG_ADD", "ARG_MAX", "ARG_MIN"};
static_assert(reduceNames.size() == static_cast<std::size_t>(ReduceFunction::ArgMin) + 1);

constexpr std::array<std::string_view, 3> collectiveNames{"AllReduce", "ReduceScatter",
                                                          "AllGather"};
static_assert(collectiveNames.size() == static_cast<std::size_t>(CollectiveKind::AllGather) + 1);

// In the order of the alternatives of Attributes.
constexpr std::array kindNames{
    "Conv",        "MatMul",     "Elementwise",   "Reduce",          "Pool",        "Lrn",
    "Softmax",     "Reshape",    "Transpose",     "Concat",          "Slice",       "Expand",
    "Gather",      "Pad",        "ConvGradInput", "ConvGradWeights", "MultiUpdate", "PoolGrad",
    "Fill",        "IpuCopy",    "Stash",         "Restore",         "Fifo",        "Norm",
    "JointReduce", "RemoteLoad", "RemoteStore",   "Collective",      "Shard",       "Call"};
static_assert(kindNames.size() == std::variant_size_v<Attributes>);

} // namespace

std::string_view toString(ElementwiseFunction function) {
    return elementwiseNames.at(static_cast<std::size_t>(function));
}

std::string_view toString(ReduceFunction function) {
    return reduceNames.at(static_cast<std::size_t>(function));
}

std::string_view toString(CollectiveKind kind) {
    return collectiveNames.at(static_cast<std::size_t>(kind));
}

std::string_view kindName(const Attributes& attributes) {
    return kindNames.at(attributes.index());
}

bool updatesInPlace(ElementwiseFunction function) {
    using enum ElementwiseFunction;
    return function == ScaledAdd || function == MovingAverage || function == MovingSquare ||
           function == Zero;
}

bool isPlanned(const Attributes& attributes) {
    return std::holds_alternative<ConvAttributes>(attributes) ||
           std::holds_alternative<MatMulAttributes>(attributes) ||
           std::holds_alternative<ConvGradInputAttributes>(attributes) ||
           std::holds_alternative<ConvGradWeightsAttributes>(attributes);
}

bool isView(const Attributes& attributes) {
    return std::holds_alternative<ReshapeAttributes>(attributes) ||
           std::holds_alternative<TransposeAttributes>(attributes) ||
           std::holds_alternative<ConcatAttributes>(attributes) ||
           std::holds_alternative<SliceAttributes>(attributes) ||
           std::holds_alternative<ExpandAttributes>(attributes);
}

} // namespace tilescope::sim
