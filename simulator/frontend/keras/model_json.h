// A Keras model as model.to_json() writes it: its layers and what feeds each of their calls. The
// formats of Keras 2 (tf.keras, with the pipeline stages of Graphcore's Keras) and Keras 3 are
// read.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include <boost/json/object.hpp>

namespace tilescope::sim {

/// Result `tensor` of call `call` of a layer.
struct KerasSource {
    std::size_t layer = 0; ///< in KerasModel::layers
    std::size_t call = 0;
    std::size_t tensor = 0;
};

/// One use of a layer: a layer that is used twice keeps its weights.
struct KerasCall {
    std::vector<KerasSource> inputs;
    int stage = -1; ///< pipeline stage that it is assigned to; none: -1
};

struct KerasModel;

struct KerasLayer {
    std::string name;
    std::string type; ///< class name: "Dense", "InputLayer", ...
    boost::json::object config;
    std::vector<KerasCall> calls;
    std::vector<KerasModel> nested; ///< the model that this layer is; one at most
};

struct KerasModel {
    std::string name;
    std::vector<KerasLayer> layers;
    std::vector<KerasSource> inputs; ///< results of InputLayers
    std::vector<KerasSource> outputs;
    int version = 2;  ///< of Keras: 2 or 3
    std::string loss; ///< that it was compiled with, if it is in the file; else empty
};

/// True for the text of a JSON object with `class_name` and `config`, which is how Keras writes a
/// model; false for text that is not JSON.
bool isKerasModel(std::string_view text);

/// Reads a sequential or functional model. A sequential one without an InputLayer gets one from the
/// shape that its first layer or the model was built with. Throws UserError naming file, layer, key
/// and remedy; subclassed models have no description to read and are refused.
KerasModel parseKerasModel(std::string_view text, const std::string& origin);

} // namespace tilescope::sim
