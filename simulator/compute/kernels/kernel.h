// What an operation does to values.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "simulator/compute/kernels/context.h"
#include "simulator/compute/kernels/partial_sums.h"
#include "simulator/graph/graph.h"
#include "simulator/graph/tensor_data.h"

namespace tilescope::sim {

/// Where in a run an operation is executed. Random numbers depend on it and nothing else.
struct ComputePlace {
    std::uint64_t seed = 0;
    std::int64_t iteration = 0, microBatch = 0, replica = 0;
    /// The operation's entry of Op::randomStreams, as the enclosing calls set it.
    std::int32_t randomStream = 0;
    std::int64_t execution = 0; ///< how many operations were executed before: for random rounding
};

/// One execution of an operation.
struct KernelCall {
    const Graph& graph;
    const Op& op;
    ComputeContext& context;
    std::vector<TensorData> inputs;
    std::vector<TensorData> outputs; ///< as many as the operation has; the kernel fills them
    ComputePlace place = {};
    double learningRate = 0;               ///< current one: ElementwiseAttributes::byLearningRate
    const PartialSums* partials = nullptr; ///< of a product that is summed in halves
    bool isRounded = false;                ///< the kernel has rounded its result, block by block

    /// Uninitialised elements for result `i`, of its type and shape in the graph.
    TensorData& make(std::size_t i = 0) {
        const Tensor& tensor = graph.tensors[op.outputs.at(i)];
        return outputs.at(i) = TensorData(tensor.type, tensor.shape);
    }
    /// The same for the only result of a function of single elements: over those of an operand
    /// that nothing else has, if one is of the result's type and shape.
    TensorData& makeOver() {
        const Tensor& tensor = graph.tensors[op.outputs.at(0)];
        for (const TensorData& input : inputs)
            if (input.isAlone() && input.type() == tensor.type && input.shape() == tensor.shape)
                return outputs.at(0) = input;
        return make();
    }
};

// One function for each kind of operation that only depends on its operands, in compute/kernels.
// A result is computed in float or 32-bit integers; runKernel rounds it to its type (except for
// partial sums). Results of operations that update in place share the elements of their operand.
void compute(const ConvAttributes& conv, KernelCall& call);
void compute(const ConvGradInputAttributes& conv, KernelCall& call);
void compute(const ConvGradWeightsAttributes& conv, KernelCall& call);
void compute(const MatMulAttributes& product, KernelCall& call);
void compute(const ElementwiseAttributes& elementwise, KernelCall& call);
void compute(const ReduceAttributes& reduce, KernelCall& call);
void compute(const JointReduceAttributes& reduce, KernelCall& call);
void compute(const PoolAttributes& pool, KernelCall& call);
void compute(const PoolGradAttributes& pool, KernelCall& call);
void compute(const LrnAttributes& lrn, KernelCall& call);
void compute(const SoftmaxAttributes& softmax, KernelCall& call);
void compute(const NormAttributes& norm, KernelCall& call);
void compute(const ReshapeAttributes& reshape, KernelCall& call);
void compute(const TransposeAttributes& transpose, KernelCall& call);
void compute(const ConcatAttributes& concat, KernelCall& call);
void compute(const SliceAttributes& slice, KernelCall& call);
void compute(const ExpandAttributes& expand, KernelCall& call);
void compute(const GatherAttributes& gather, KernelCall& call);
void compute(const MultiUpdateAttributes& update, KernelCall& call);
void compute(const PadAttributes& pad, KernelCall& call);
void compute(const FillAttributes& fill, KernelCall& call);

/// Executes an operation that only depends on its operands and rounds its results to their types as
/// call.context specifies. An operand that nothing else has (TensorData::isAlone) may be
/// overwritten. Throws UserError for floating-point exceptions that call.context stops at and for
/// operations that are only timed (declared ones, CTC), InternalError for those that move values
/// between micro-batches, memories, replicas or graphs, which Machine executes.
void runKernel(KernelCall& call);

/// How a kernel rounds the blocks of its only result as it computes them, while they are in the
/// cache; nothing if it must not, or the result is of no halves. It sets isRounded.
std::optional<HalfStore> storeOfBlocks(const KernelCall& call);

/// The key of an execution's random bits.
std::uint64_t roundingKey(const ComputePlace& place);

/// Whether runKernel executes it.
bool isKernel(const Attributes& attributes);

} // namespace tilescope::sim
