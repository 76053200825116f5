// The batch dimension of the inputs.
#include <algorithm>

#include <fmt/format.h>
#include <onnx/onnx_pb.h>

#include "core/base/error.h"
#include "simulator/frontend/model/prepare.h"

namespace tilescope::sim {

namespace {

using Dimension = onnx::TensorShapeProto::Dimension;

bool isSymbolic(const Dimension& dim) {
    return !dim.has_dim_value() || dim.dim_value() <= 0;
}

class Batch {
public:
    Batch(const onnx::GraphProto& graph, const std::string& origin, const ImportOptions& options,
          std::vector<GraphMessage>& messages)
        : graph_(graph)
        , origin_(origin)
        , options_(options)
        , messages_(messages) {}

    void apply(onnx::ValueInfoProto& input) {
        if (!input.type().has_tensor_type())
            throw UserError(
                fmt::format("{}: input '{}'{} is not a tensor; sequences, maps and optional "
                            "values are not supported",
                            origin_, input.name(), readerOf(input.name())));
        auto& type = *input.mutable_type()->mutable_tensor_type();
        if (!type.has_shape())
            throw UserError(
                fmt::format("{}: input '{}'{} has no shape; export the model with fixed "
                            "sizes",
                            origin_, input.name(), readerOf(input.name())));
        for (int i = 0; i < type.shape().dim_size(); ++i) {
            auto& dim = *type.mutable_shape()->mutable_dim(i);
            if (i == 0)
                setLeading(input.name(), dim);
            else if (isSymbolic(dim))
                setOther(input.name(), i, dim);
        }
    }

    [[nodiscard]] std::optional<BatchChange> change() const { return change_; }

private:
    void setLeading(const std::string& input, Dimension& dim) {
        if (isSymbolic(dim)) {
            if (dim.has_dim_param())
                symbols_.insert(dim.dim_param());
            dim.set_dim_value(options_.batchSize);
            return;
        }
        if (!options_.forceBatch)
            return;
        if (!change_)
            change_ = BatchChange{dim.dim_value(), options_.batchSize};
        if (dim.dim_value() == change_->before)
            dim.set_dim_value(change_->now);
        else
            messages_.push_back(
                {Severity::Warning,
                 fmt::format("the first dimension of input '{}' is {}, not the batch "
                             "size {} of the others, and stays as it is",
                             input, dim.dim_value(), change_->before)});
    }

    void setOther(const std::string& input, int position, Dimension& dim) {
        if (!dim.has_dim_param() || !symbols_.contains(dim.dim_param()))
            throw UserError(
                fmt::format("{}: dimension {} of input '{}'{} is symbolic ('{}'), and only the "
                            "batch (the first "
                            "dimension) can be chosen; export the model with fixed sizes",
                            origin_, position, input, readerOf(input),
                            dim.has_dim_param() ? dim.dim_param() : "?"));
        dim.set_dim_value(options_.batchSize);
    }

    /// " of node 'n' (Add)": the first that reads an input.
    [[nodiscard]] std::string readerOf(const std::string& input) const {
        for (const auto& node : graph_.node())
            if (std::find(node.input().begin(), node.input().end(), input) != node.input().end())
                return fmt::format(" of node '{}' ({})",
                                   node.name().empty() && node.output_size() > 0 ? node.output(0)
                                                                                 : node.name(),
                                   node.op_type());
        return "";
    }

    const onnx::GraphProto& graph_;
    const std::string& origin_;
    const ImportOptions& options_;
    std::vector<GraphMessage>& messages_;
    NameSet symbols_;
    std::optional<BatchChange> change_;
};

} // namespace

std::optional<BatchChange> setBatch(onnx::ModelProto& model, const NameSet& weights,
                                    const std::string& origin, const ImportOptions& options,
                                    std::vector<GraphMessage>& messages) {
    if (options.batchSize < 1)
        throw UserError(fmt::format("batch size {} is not positive", options.batchSize));
    NameSet data = weights;
    for (const auto& initializer : model.graph().initializer())
        data.insert(initializer.name());
    Batch batch(model.graph(), origin, options, messages);
    for (auto& input : *model.mutable_graph()->mutable_input()) {
        if (!data.contains(input.name()))
            batch.apply(input);
    }
    const auto change = batch.change();
    return change && change->before != change->now ? change : std::nullopt;
}

} // namespace tilescope::sim
