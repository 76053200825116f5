// Keras layers as ONNX nodes; the rest of the import is that of an ONNX file.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "simulator/frontend/keras/layer_reader.h"
#include "simulator/graph/graph.h"
#include "simulator/zoo/builder.h"

namespace tilescope::sim {

/// A value between layers. Images are kept with their channels first, as ONNX's operations require
/// and as TensorFlow's IPU backend lays them out, whatever the model's order.
struct KerasTensor {
    std::string value; ///< name in the ONNX graph
    Shape shape;       ///< without the batch, in Keras's order, padding included
    /// The last dimension of `shape` is the first after the batch in the ONNX graph.
    bool channelsFirst = false;
    /// Zeros still to be put around the spatial dimensions, {begin, end} of each; a convolution
    /// makes them its own padding.
    std::vector<std::pair<std::int64_t, std::int64_t>> padding = {};
};

/// Emits the nodes of one layer's call.
class KerasEmitter {
public:
    /// `path` is the layer's name within its models, `call` counts its uses, `weights` has the
    /// names of those made so far.
    KerasEmitter(ZooBuilder& builder, std::set<std::string>& weights, const LayerReader& layer,
                 const std::string& path, std::size_t call, int stage);

    [[nodiscard]] const LayerReader& layer() const { return layer_; }

    /// A node "<layer>/<part>", or of the layer's own name where `part` is empty; the name of its
    /// first result.
    std::string apply(const std::string& type, std::string_view part,
                      const std::vector<std::string>& inputs, ZooAttributes attributes = {});
    /// The same with several results.
    std::vector<std::string> applyAll(const std::string& type, std::string_view part,
                                      const std::vector<std::string>& inputs, int results,
                                      ZooAttributes attributes = {});
    std::vector<std::string> split(std::string_view part, const std::string& input,
                                   std::int64_t axis, int parts);
    /// A trainable tensor "<layer>/<part>", made once for all calls of the layer. `fans`: inputs
    /// and outputs of a kernel that is neither matrix nor window; they scale its initial values.
    std::string weight(std::string_view part, const Shape& shape, std::int64_t fans = 0);
    /// The bias of an LSTM, whose forget gates are open at first unless `unit_forget_bias` says
    /// otherwise: ones from a column on, for each unit.
    std::string forgetBias(const Shape& shape, std::int64_t from, std::int64_t units);
    std::string integers(std::string_view part, const std::vector<std::int64_t>& values);
    std::string real(std::string_view part, double value);
    std::string reals(std::string_view part, const std::vector<double>& values);

    /// The same tensor with its pending padding applied.
    KerasTensor padded(const KerasTensor& x);
    /// The same with its dimensions in Keras's order, or with channels first: a Transpose where the
    /// order differs.
    KerasTensor asKeras(const KerasTensor& x);
    KerasTensor withChannelsFirst(const KerasTensor& x);
    /// Keras's function (activation) of that name, with its node called `part` unless it is the
    /// whole layer.
    KerasTensor activated(const KerasTensor& x, const std::string& function, std::string_view part);
    /// The dimension of the ONNX tensor that holds dimension `axis` of `shape` (batch counted,
    /// negative from the end).
    [[nodiscard]] std::int64_t onnxAxis(const KerasTensor& x, std::int64_t axis) const;

private:
    [[nodiscard]] std::string named(std::string_view part) const;

    ZooBuilder& builder_;
    std::set<std::string>& weights_;
    const LayerReader& layer_;
    std::string name_;     ///< of the call: prefix of its nodes
    std::string weightAt_; ///< of the layer: prefix of its weights
    int stage_;
};

/// Converts the operands of a layer of one class to its results.
using KerasConversion =
    std::function<std::vector<KerasTensor>(KerasEmitter&, const std::vector<KerasTensor>&)>;
using KerasConversions = std::map<std::string, KerasConversion, std::less<>>;

/// A conversion that takes further arguments.
template <class Convert, class... More> KerasConversion with(Convert convert, More... more) {
    return [=](KerasEmitter& emitter, const std::vector<KerasTensor>& inputs) {
        return convert(emitter, inputs, more...);
    };
}

/// The known classes of layers, each family in a file of its own.
const KerasConversions& kerasConversions();
void addKerasDense(KerasConversions& table);
void addKerasConvolutions(KerasConversions& table);
void addKerasShapes(KerasConversions& table);
void addKerasMerges(KerasConversions& table);
void addKerasRecurrent(KerasConversions& table);
void addKerasAttention(KerasConversions& table);
void addKerasUpsampling(KerasConversions& table);

/// Elements of a shape. Throws UserError where they are more than any machine holds.
std::int64_t kerasElements(const KerasEmitter& emitter, const Shape& shape);

} // namespace tilescope::sim
