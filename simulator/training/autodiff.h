// The backward pass: operations that compute the gradient of a loss for every weight.
#pragma once

#include <string>
#include <vector>

#include "simulator/graph/graph.h"

namespace tilescope::sim {

/// Type of the operation that adds the gradients of a tensor from several readers.
inline constexpr const char* gradientSumType = "GradSum";

struct WeightGradient {
    TensorId weight;
    /// Of the weight's shape and type, in the order in which they are ready: the gradient is their
    /// sum.
    std::vector<TensorId> parts;
};

/// Where the backward pass begins.
struct Loss {
    TensorId of;       ///< the tensor that the loss is computed from: class scores
    TensorId gradient; ///< of the loss with respect to it
};

/// Adds a loss to the graph's first output, with an input "label", and begins the backward pass.
/// The loss becomes the graph's only output. Automatic: the loss that the model was compiled with,
/// or a first output that is one number, or softmax cross-entropy (mean over the samples) of class
/// indices with the gradient of both as one step (popnn NllWithSoftmaxGradDirect); its classes are
/// the last dimension of more than one index. Errors of regression are means over all outputs.
/// With `output` that output, one number, is the loss, and all outputs stay. `scaling`: factor of
/// all gradients. Throws UserError if the output has no classes, or if there is no such loss.
Loss addLoss(Graph& graph, LossFunction loss = LossFunction::Automatic, double scaling = 1,
             const std::string& output = {});

/// Makes batch normalisations take their statistics over the batches of `replicas` neighbouring
/// replicas; adds a message if there are none. Call before addGradients().
void shareBatchStatistics(Graph& graph, std::int32_t replicas);

/// Appends backward operations (Pass::Backward) for every weight of floating type that the loss
/// depends on, in the order in which the gradients are ready: the last layer's first, as in
/// PopART's autodiff. Forward operations are marked with their training pass, which decides what
/// the planner assumes. A gradient has one part, or with `inParts` one for each stage that reads
/// the weight and for each gather of its rows, which an accumulator can add one after the other.
/// Throws UserError naming an operation on the way that has no gradient.
std::vector<WeightGradient> addGradients(Graph& graph, const Loss& loss, bool inParts = false);

} // namespace tilescope::sim
