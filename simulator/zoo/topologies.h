// The topologies of the zoo, one function each.
#pragma once

namespace onnx {
class ModelProto;
}

namespace tilescope::sim {

onnx::ModelProto zooMlp();
onnx::ModelProto zooMnistCnn();
onnx::ModelProto zooPlainPlusTransposed();
onnx::ModelProto zooTransposedPlusPlain();
onnx::ModelProto zooResNet50();
onnx::ModelProto zooResNext50();

} // namespace tilescope::sim
