// An ONNX graph in a few lines per layer. Weights have shapes but no data: a ConstantOfShape node
// makes each from a small shape initialiser.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace onnx {
class GraphProto;
class ModelProto;
class NodeProto;
} // namespace onnx

namespace tilescope::sim {

/// A value of the graph and the channels or features it has.
struct ZooValue {
    std::string name;
    std::int64_t channels = 0;
};

struct ZooConv {
    std::int64_t channels = 0;
    std::int64_t kernel = 1;
    std::int64_t stride = 1;
    std::int64_t groups = 1;
    bool bias = false;
};

class ZooBuilder {
public:
    /// The batch dimension of input and output is symbolic: "N".
    ZooBuilder(const std::string& name, const std::vector<std::int64_t>& inputShape);
    ~ZooBuilder();

    [[nodiscard]] ZooValue input() const { return input_; }
    /// A further input [N, shape...].
    ZooValue addInput(const std::string& name, const std::vector<std::int64_t>& shape);
    /// Orders the dimensions, the batch included, as `permutation` says; `channels` is the size of
    /// dimension 1 of the result.
    ZooValue transpose(const std::string& name, const ZooValue& x,
                       const std::vector<std::int64_t>& permutation, std::int64_t channels);
    /// Square kernel, padded so that a stride of 1 keeps the size.
    ZooValue conv(const std::string& name, const ZooValue& x, const ZooConv& conv);
    ZooValue batchNorm(const std::string& name, const ZooValue& x);
    ZooValue relu(const std::string& name, const ZooValue& x);
    ZooValue add(const std::string& name, const ZooValue& a, const ZooValue& b);
    ZooValue maxPool(const std::string& name, const ZooValue& x, std::int64_t kernel,
                     std::int64_t stride, std::int64_t pad = 0);
    ZooValue globalAveragePool(const std::string& name, const ZooValue& x);
    /// `features` is what a row of the result has.
    ZooValue flatten(const std::string& name, const ZooValue& x, std::int64_t features);
    /// Gemm with bias and the transposed weights of exporters.
    ZooValue dense(const std::string& name, const ZooValue& x, std::int64_t features);
    ZooValue softmax(const std::string& name, const ZooValue& x);

    onnx::ModelProto finish(const ZooValue& output);
    /// The same for a result [N, shape...].
    onnx::ModelProto finish(const ZooValue& output, const std::vector<std::int64_t>& shape);

private:
    onnx::NodeProto& node(const std::string& type, const std::string& name,
                          const std::vector<std::string>& inputs);
    std::string weight(const std::string& name, const std::vector<std::int64_t>& shape);

    std::unique_ptr<onnx::ModelProto> model_;
    onnx::GraphProto& graph_;
    ZooValue input_;
};

} // namespace tilescope::sim
