// An ONNX graph in a few lines per layer. Weights have shapes but no data: a ConstantOfShape node
// makes each from a small shape initialiser.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "simulator/zoo/start.h"

namespace onnx {
class GraphProto;
class ModelProto;
class NodeProto;
} // namespace onnx

namespace tilescope::sim {

/// A value of the graph and its channels or features (the last dimension of a sequence).
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
    std::int64_t pad = -1; ///< on each side; -1: so that a stride of 1 keeps the size
};

/// Attributes of a node: integers, lists of integers, reals, texts and lists of texts.
using ZooAttribute = std::variant<std::int64_t, std::vector<std::int64_t>, double, std::string,
                                  std::vector<std::string>>;
using ZooAttributes = std::vector<std::pair<std::string, ZooAttribute>>;

class ZooBuilder {
public:
    /// The batch dimension of inputs and outputs is symbolic: "N".
    explicit ZooBuilder(const std::string& name);
    /// With one float input named "input".
    ZooBuilder(const std::string& name, const std::vector<std::int64_t>& inputShape);
    ~ZooBuilder();

    /// A further input [N, shape...] of int64.
    ZooValue addIndices(const std::string& name, const std::vector<std::int64_t>& shape);
    /// From now on weights and constants are in half precision, or in single again.
    void storeHalf(bool half) { half_ = half; }
    [[nodiscard]] bool storesHalf() const { return half_; }
    /// A node of any operator, "Relu" or with its domain "ai.graphcore.Scale"; the result has the
    /// given last dimension.
    ZooValue apply(const std::string& type, const std::string& name,
                   const std::vector<std::string>& inputs, std::int64_t channels,
                   const ZooAttributes& attributes = {});
    /// A node with several results.
    std::vector<std::string> applyAll(const std::string& type, const std::string& name,
                                      const std::vector<std::string>& inputs, int results,
                                      const ZooAttributes& attributes = {});
    /// Equal parts along an axis.
    std::vector<ZooValue> split(const std::string& name, const ZooValue& x, std::int64_t axis,
                                int parts);
    /// A trainable tensor; its name is also that of the value. `begins`: its initial values where
    /// the model is computed (start.h).
    std::string weight(const std::string& name, const std::vector<std::int64_t>& shape,
                       const std::string& begins = start::byLayer);
    /// A tensor that belongs to the model but is not trained, such as a mask.
    std::string buffer(const std::string& name, const std::vector<std::int64_t>& shape,
                       const std::string& begins);
    /// Values known while compiling.
    std::string integers(const std::string& name, const std::vector<std::int64_t>& values);
    std::string real(const std::string& name, double value);
    std::string reals(const std::string& name, const std::vector<double>& values);

    [[nodiscard]] ZooValue input() const { return input_; }
    /// A further input [N, shape...].
    ZooValue addInput(const std::string& name, const std::vector<std::int64_t>& shape);
    /// Orders the dimensions, the batch included, as `permutation` says; `channels` is the size of
    /// dimension 1 of the result.
    ZooValue transpose(const std::string& name, const ZooValue& x,
                       const std::vector<std::int64_t>& permutation, std::int64_t channels);
    /// Square kernel.
    ZooValue conv(const std::string& name, const ZooValue& x, const ZooConv& conv);
    ZooValue batchNorm(const std::string& name, const ZooValue& x);
    /// As PyTorch exports it: an instance normalisation of the groups, then scale and bias of the
    /// channels.
    ZooValue groupNorm(const std::string& name, const ZooValue& x, std::int64_t groups);
    /// Normalises the activation of a normalised tensor by a proxy: the mean and variance
    /// over `samples` of a normal distribution that got the same scale, bias and ReLU (Labatie et
    /// al. 2021, "Proxy-Normalizing Activations to Match Batch Normalization while Removing Batch
    /// Dependence"). `normName` is that of the group normalisation before.
    ZooValue proxyNorm(const std::string& name, const ZooValue& x, const std::string& normName,
                       std::int64_t samples);
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

    /// The output is [N, channels].
    onnx::ModelProto finish(const ZooValue& output);
    /// The output is [N, shape...].
    onnx::ModelProto finish(const ZooValue& output, const std::vector<std::int64_t>& shape);
    /// Several outputs [N, shape...], by their names.
    onnx::ModelProto
    finishAs(const std::vector<std::pair<std::string, std::vector<std::int64_t>>>& outputs);

private:
    onnx::NodeProto& node(const std::string& type, const std::string& name,
                          const std::vector<std::string>& inputs);
    std::string filled(const std::string& name, const std::string& shapeName,
                       const std::vector<std::int64_t>& shape, const std::string& begins);

    std::unique_ptr<onnx::ModelProto> model_;
    onnx::GraphProto& graph_;
    ZooValue input_;
    bool half_ = false;
};

} // namespace tilescope::sim
