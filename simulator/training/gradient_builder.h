// State shared by the gradient rules of all operations: the graph they add to and gradients so far.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "simulator/graph/graph.h"

namespace tilescope::sim {

/// Adds backward operations to a graph. Gradients of a tensor that several operations read are
/// added up when its gradient is first requested.
class GradientBuilder {
public:
    explicit GradientBuilder(Graph& graph)
        : graph_(graph) {}

    [[nodiscard]] Graph& graph() { return graph_; }
    /// A copy, since adding tensors moves existing ones.
    [[nodiscard]] Tensor tensor(TensorId id) const { return graph_.tensors[id]; }
    [[nodiscard]] Shape shape(TensorId id) const { return graph_.tensors[id].shape; }

    /// Rules add operations named "<forward op>/<part>", with the operator `part`.
    void setForward(const Op& op) { forward_ = op; }
    [[nodiscard]] const Op& forward() const { return forward_; }

    TensorId emit(const std::string& part, Attributes attributes, std::vector<TensorId> inputs,
                  Shape shape);
    TensorId elementwise(const std::string& part, ElementwiseFunction function,
                         std::vector<TensorId> inputs, Shape shape);
    /// The same with the function's parameters.
    TensorId elementwise(const std::string& part, const ElementwiseAttributes& attributes,
                         std::vector<TensorId> inputs, Shape shape) {
        return emit(part, attributes, std::move(inputs), std::move(shape));
    }
    /// One more result of the operation that makes `of`, of its shape and type.
    TensorId addResult(TensorId of, const std::string& part);
    /// A constant of one element, of the type of `like`.
    TensorId scalar(const std::string& part, TensorId like, double value);
    TensorId times(const std::string& part, TensorId a, TensorId b) {
        return elementwise(part, ElementwiseFunction::Multiply, {a, b}, shape(a));
    }
    TensorId scaled(const std::string& part, TensorId a, double factor) {
        return times(part, a, scalar(part + "/factor", a, factor));
    }
    TensorId reshaped(const std::string& part, TensorId a, Shape to);
    TensorId transposed(const std::string& part, TensorId a, std::vector<std::int64_t> permutation);
    /// Sums a gradient over the dimensions along which an operand of `to` was broadcast.
    TensorId reducedTo(const std::string& part, TensorId gradient, const Shape& to);

    /// True if the loss depends on the tensor through a weight.
    [[nodiscard]] bool wanted(TensorId id) const {
        return id.index() < wanted_.size() && wanted_[id.index()];
    }
    void setWanted(std::vector<bool> wanted) { wanted_ = std::move(wanted); }
    /// Adds a contribution to a tensor's gradient, of its shape or one that broadcasts to it;
    /// contributions to unwanted tensors are dropped.
    void contribute(TensorId of, TensorId gradient);
    /// The same for the part of a tensor from `start` on along one dimension, which a slice has
    /// read. Parts that cover the tensor are joined, as PopLibs' recurrent cells do with their
    /// gates; others are padded with zeros (PopART's SliceGrad).
    void contributePart(TensorId of, std::size_t axis, std::int64_t start, TensorId gradient);
    void setJoinsParts(bool joins) { joinsParts_ = joins; }
    [[nodiscard]] bool joinsParts() const { return joinsParts_; }
    /// The gradient of a tensor: the sum of the contributions so far; none if there are none.
    TensorId gradientOf(TensorId id);
    /// Removes and returns the contributions so far: their sum, or (takeParts) a sum and separately
    /// each that adds rows to zeros. Empty if there are none.
    std::vector<TensorId> takeSum(TensorId id);
    std::vector<TensorId> takeParts(TensorId id);

private:
    Graph& graph_;
    Op forward_;
    std::vector<bool> wanted_;
    std::map<TensorId, std::vector<TensorId>> contributions_;
    struct Part {
        std::size_t axis = 0;
        std::int64_t start = 0;
        TensorId gradient;
    };
    void joinParts(TensorId of);

    bool joinsParts_ = false;
    std::map<TensorId, std::vector<Part>> parts_;
    std::set<TensorId> addsRows_;     ///< contributions that a gather's gradient makes of zeros
    std::map<std::string, int> used_; ///< names given, and how often
};

// One function a kind of operation; each contributes to the gradients of the operands of
// builder.forward(), given the gradient of its result. Throws UserError naming the operation where
// there is no rule for it.
void addGradient(GradientBuilder& builder, const ConvAttributes& conv, TensorId gradient);
void addGradient(GradientBuilder& builder, const ConvGradInputAttributes& transposed,
                 TensorId gradient);
void addGradient(GradientBuilder& builder, const MatMulAttributes& forward, TensorId gradient);
void addGradient(GradientBuilder& builder, const MultiUpdateAttributes& update, TensorId gradient);
void addGradient(GradientBuilder& builder, const ElementwiseAttributes& elementwise,
                 TensorId gradient);
void addGradient(GradientBuilder& builder, const ReduceAttributes& reduce, TensorId gradient);
void addGradient(GradientBuilder& builder, const SoftmaxAttributes& softmax, TensorId gradient);
void addGradient(GradientBuilder& builder, const PoolAttributes& pool, TensorId gradient);
void addGradient(GradientBuilder& builder, const GatherAttributes& gather, TensorId gradient);
void addGradient(GradientBuilder& builder, const TransposeAttributes& transpose, TensorId gradient);
void addGradient(GradientBuilder& builder, const ConcatAttributes& concat, TensorId gradient);
void addGradient(GradientBuilder& builder, const SliceAttributes& slice, TensorId gradient);
void addGradient(GradientBuilder& builder, const PadAttributes& pad, TensorId gradient);
void addGradient(GradientBuilder& builder, const ExpandAttributes& expand, TensorId gradient);
void addGradient(GradientBuilder& builder, const NormAttributes& norm, TensorId gradient);
void addGradient(GradientBuilder& builder, const LrnAttributes& lrn, TensorId gradient);
/// A loop in the opposite direction (popnn lstmBwd): its states are the gradients of the states,
/// and tensors of the forward steps that the body's gradient reads come from these as sequences.
/// Gradients of tensors that every step reads are summed in the loop; sums over the batch come
/// once, after it. Requests the gradients of all results itself.
void addGradient(GradientBuilder& builder, const LoopAttributes& loop, TensorId gradient);

/// Adds the gradients of an operation's operands, if one of its results has a gradient.
void backpropagate(GradientBuilder& builder, const Op& op);

/// Makes normalisations return their statistics as results, which their gradients read.
void keepNormStatistics(Graph& graph);

} // namespace tilescope::sim
