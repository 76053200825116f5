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

/// The passes that a layer's tool runs: --single-phase.
struct Passes {
    bool forward = true, backward = true, update = true;
};

/// fully_connected_layer: forward, backward and weight update of a dense layer.
struct FullyConnectedLayer {
    std::int64_t batchSize = 1, inputSize = 1, outputSize = 1, groups = 1;
    bool bias = true;
    bool inferenceOnly = false;
    Passes passes = {};
};

/// single_conv_layer: forward, backward and weight update of a convolution.
struct SingleConvLayer {
    std::vector<std::int64_t> field, kernel, stride, paddingLower, paddingUpper, dilation;
    std::int64_t inputChannels = 1, outputChannels = 1, batchSize = 1, groups = 1;
    bool bias = true;
    bool inferenceOnly = false;
    Passes passes = {};
    /// Distance of the input's elements, with zeros between them, if not 1 everywhere; then each
    /// stride is 1 and each padding less than the kernel's span.
    std::vector<std::int64_t> inDilation = {};
};

/// multi_conv_layer: convolutions without bias that are planned together (poplin::multiconv).
struct MultiConvTool {
    std::vector<SingleConvLayer> parts;
    MultiConv options;
    Passes passes = {};
};

/// oct_conv_layer: an octave convolution (Chen et al. 2019, "Drop an Octave"): shares of the
/// channels, in and out, have half the resolution. Its four convolutions (fewer where a share is 0
/// or 1) are planned together.
struct OctaveConvTool {
    SingleConvLayer whole; ///< as it would be at one resolution, without bias
    double alphaIn = 0.25, alphaOut = 0.25;
    MultiConv options;
};

/// general_matrix_multiply: C += A x B, in each of `groups`.
struct GeneralMatrixMultiply {
    std::int64_t m = 1, k = 1, n = 1, groups = 1;
    bool transposeA = false, transposeB = false; ///< A or B is stored transposed
};

/// reduce_op.
struct ReduceOp {
    Shape shape;
    std::vector<std::int64_t> dims;
    ReduceFunction function = ReduceFunction::Add;
    double scale = 1;
    bool update = false; ///< add to what is there
    /// The input is made with this shape, its dimensions in this order then are `shape`; both empty
    /// where it is made as it is.
    Shape initialShape = {};
    std::vector<std::int64_t> shuffle = {};
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

/// embedding_layer: look-ups and updates of rows, one for each number of indices.
struct EmbeddingLayer {
    std::int64_t rows = 1, width = 1;
    std::vector<std::int64_t> indices;
    Passes passes = {};
};

/// Which passes a recurrent tool runs: --phase (poplibs_test/Pass.hpp). A weight update runs the
/// backward pass, too, as it needs its results.
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
    DataType outType = DataType::Float;
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
