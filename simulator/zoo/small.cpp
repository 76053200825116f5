// Small networks for tutorials and tests.
#include <onnx/onnx_pb.h>

#include "simulator/zoo/builder.h"
#include "simulator/zoo/topologies.h"

namespace tilescope::sim {

onnx::ModelProto zooMlp(const ZooSettings&) {
    ZooBuilder b("mlp", {784});
    ZooValue x = b.relu("relu1", b.dense("dense1", b.input(), 512));
    x = b.relu("relu2", b.dense("dense2", x, 512));
    return b.finish(b.softmax("softmax", b.dense("dense3", x, 10)));
}

// A pipelined run puts each block on an IPU of its own.
onnx::ModelProto zooMnistCnn(const ZooSettings&) {
    ZooBuilder b("mnist-cnn", {1, 28, 28});
    ZooValue x = b.input();
    x = b.relu("B1/relu", b.conv("B1/conv1", x, {.channels = 32, .kernel = 3, .bias = true}));
    x = b.maxPool("B1/pool", x, 2, 2);
    x = b.relu("B2/relu", b.conv("B2/conv2", x, {.channels = 64, .kernel = 3, .bias = true}));
    x = b.maxPool("B2/pool", x, 2, 2);
    x = b.flatten("B3/flatten", x, x.channels * 7 * 7);
    x = b.relu("B3/relu", b.dense("B3/fc1", x, 128));
    x = b.dense("B4/fc2", x, 10);
    return b.finish(b.softmax("B4/softmax", x));
}

// The network of Graphcore's PopTorch tutorials, block by block as they split it. Its loss is
// PyTorch's cross entropy, which has the softmax in it.
onnx::ModelProto zooMnistTutorial(const ZooSettings&) {
    ZooBuilder b("mnist-tutorial", {1, 28, 28});
    ZooValue x = b.input();
    x = b.conv("B1/conv", x, {.channels = 10, .kernel = 5, .bias = true, .pad = 0});
    x = b.relu("B1/relu", b.maxPool("B1/pool", x, 2, 2));
    x = b.conv("B2/conv", x, {.channels = 20, .kernel = 5, .bias = true, .pad = 0});
    x = b.relu("B2/relu", b.maxPool("B2/pool", x, 2, 2));
    x = b.flatten("B3/flatten", x, x.channels * 4 * 4);
    x = b.relu("B3/relu", b.dense("B3/fc", x, 256));
    x = b.dense("B4/fc", x, 10);
    return b.finish(b.softmax("B4/softmax", x));
}

namespace {

// A side at which every tile of an IPU has a few hundred elements, so that the copies dominate and
// not the fixed cost of a step.
constexpr std::int64_t summandSide = 768;

onnx::ModelProto sumWithTransposed(const std::string& name, bool transposedFirst) {
    const std::vector<std::int64_t> shape{summandSide, summandSide};
    ZooBuilder b(name, shape);
    const ZooValue plain = b.input();
    const ZooValue transposed =
        b.transpose("transpose", b.addInput("other", shape), {0, 2, 1}, summandSide);
    return b.finish(
        transposedFirst ? b.add("add", transposed, plain) : b.add("add", plain, transposed), shape);
}

} // namespace

onnx::ModelProto zooPlainPlusTransposed(const ZooSettings&) {
    return sumWithTransposed("plain-plus-transposed", false);
}

onnx::ModelProto zooTransposedPlusPlain(const ZooSettings&) {
    return sumWithTransposed("transposed-plus-plain", true);
}

} // namespace tilescope::sim
