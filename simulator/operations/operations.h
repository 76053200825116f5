// Single operations with the arguments of the PopLibs tools, as graphs to simulate, and
// explanations of the planner's choice: the best plans of every method beside the chosen one.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/options/planning_options.h"
#include "core/profile/profile.h"
#include "core/target/target.h"
#include "simulator/graph/graph.h"
#include "simulator/planner/plan.h"
#include "simulator/recurrent/cell.h"

namespace tilescope::sim {

/// Common options of the tools (PopLibs tools/*.cpp).
struct OperationOptions {
    Target target = targetPreset("mk2");
    PlanningOptions planning; ///< proportion, partials type
    DataType dataType = DataType::Half;
    bool compilesCode = false; ///< code for the IPU is compiled, too, and takes memory
};

/// fully_connected_layer: forward, backward and weight update of a dense layer.
struct FullyConnectedLayer {
    std::int64_t batchSize = 1, inputSize = 1, outputSize = 1, groups = 1;
    bool bias = true;
    bool inferenceOnly = false;
};

/// single_conv_layer: forward, backward and weight update of a convolution.
struct SingleConvLayer {
    std::vector<std::int64_t> field, kernel, stride, paddingLower, paddingUpper, dilation;
    std::int64_t inputChannels = 1, outputChannels = 1, batchSize = 1, groups = 1;
    bool bias = true;
    bool inferenceOnly = false;
};

/// multi_conv: convolutions without bias that are planned together (poplin::multiconv), forward,
/// backward and weight update.
struct MultiConvTool {
    std::vector<SingleConvLayer> parts;
    MultiConv options;
};

/// octave_conv: the forward pass of an octave convolution (Chen et al. 2019, "Drop an Octave"): a
/// share `alpha` of the channels, in and out, has half the resolution. Its four convolutions are
/// planned together. The kernel is odd and the padding keeps the field's size.
struct OctaveConvTool {
    std::vector<std::int64_t> field;
    std::int64_t kernel = 3, inputChannels = 1, outputChannels = 1, batchSize = 1;
    double alpha = 0.25;
    MultiConv options;
};

/// general_matrix_multiply: C += A x B.
struct GeneralMatrixMultiply {
    std::int64_t m = 1, k = 1, n = 1;
};

/// reduce_op.
struct ReduceOp {
    Shape shape;
    std::vector<std::int64_t> dims;
    ReduceFunction function = ReduceFunction::Add;
};

/// pooling_layer: forward and backward.
struct PoolingLayer {
    PoolKind kind = PoolKind::Max;
    std::vector<std::int64_t> field, kernel, stride, paddingLower, paddingUpper;
    std::int64_t channels = 1, batchSize = 1;
    /// Channels of a group as the activations and the gradients lie; they divide the channels.
    std::int64_t forwardGroup = 1, backwardGroup = 1;
    bool inferenceOnly = false;
};

/// embedding_layer: look-up and update of rows.
struct EmbeddingLayer {
    std::int64_t rows = 1, width = 1, indices = 1;
};

/// Which passes a tool runs: --phase (poplibs_test/Pass.hpp). A weight update runs the backward
/// pass, too, as it needs its results.
struct Phases {
    bool backward = false, update = false;
};

/// lstm_layer, gru_layer and rnn_layer: a loop over the time steps (popnn::lstm, gru and rnn).
struct RecurrentLayer {
    CellKind kind = CellKind::Lstm;
    std::int64_t sequenceSize = 1, batchSize = 1, inputSize = 1, outputSize = 1;
    bool preWeightInput = false;
    bool resetAfter = false;        ///< of a GRU
    bool outputFullSequence = true; ///< --output-all-sequence
    bool ignoreInputGradient = false;
    bool backwards = false; ///< from the last time step to the first
    bool both = false;      ///< and in both directions, each with weights of its own
    Phases phases;
};

/// ctc_loss: the loss and its gradient. From logits, or (not `logits`) from log probabilities.
struct CtcLossTool {
    std::int64_t batchSize = 1, time = 15, labelLength = 5, classes = 4;
    bool logits = true;
};

/// ctc_beam_search: the decoder.
struct CtcBeamSearchTool {
    std::int64_t batchSize = 1, time = 15, beamWidth = 2, topPaths = 1, classes = 4;
    bool logits = true;
};

Graph graphOf(const FullyConnectedLayer& layer, DataType type);
Graph graphOf(const SingleConvLayer& layer, DataType type);
Graph graphOf(const MultiConvTool& tool, DataType type);
Graph graphOf(const OctaveConvTool& tool, DataType type);
Graph graphOf(const GeneralMatrixMultiply& multiply, DataType type);
Graph graphOf(const ReduceOp& reduce, DataType type);
Graph graphOf(const PoolingLayer& pool, DataType type);
Graph graphOf(const EmbeddingLayer& embedding, DataType type);
Graph graphOf(const RecurrentLayer& layer, DataType type);
Graph graphOf(const CtcLossTool& tool, DataType type);
Graph graphOf(const CtcBeamSearchTool& tool, DataType type);

/// The figures of PopLibs' bench.py: cycles of the whole program without host transfers; the sum of
/// always-live bytes and, over tiles, of the largest not-always-live bytes; the fullest tile.
struct OperationResult {
    std::int64_t cycles = 0;
    std::int64_t totalMemory = 0;
    std::int64_t maxTileMemory = 0; ///< including gaps
    std::int64_t maxTileMemoryExcludingGaps = 0;
    std::vector<std::string> plans; ///< JSON objects, in the order of the passes
};

/// Simulates an operation's graph without host streams. `profile` receives the whole profile.
OperationResult runOperation(const Graph& graph, const OperationOptions& options,
                             Profile* profile = nullptr);

struct ExplainedPlan {
    ConvPlan plan;
    bool chosen = false; ///< it is the operation's
};

struct ExplainedOperation {
    std::string name;
    double availableMemoryProportion = 0;
    std::vector<ExplainedPlan> plans; ///< by method, the best of each first
};

/// For each convolution and matrix product of a graph, the best plans of each method that its
/// memory allows, at most `most` of each.
std::vector<ExplainedOperation> explainOperations(const Graph& graph, const Target& target,
                                                  const PlanningOptions& options, std::size_t most);

} // namespace tilescope::sim
