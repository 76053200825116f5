// Residual networks of bottleneck blocks. As in version 1.5, the 3x3 convolution has the stride.
#include <array>

#include <onnx/onnx_pb.h>

#include "simulator/zoo/builder.h"
#include "simulator/zoo/topologies.h"

namespace tilescope::sim {

namespace {

struct ResNet {
    std::array<int, 4> blocks{3, 4, 6, 3};
    std::int64_t groups = 1;
    std::int64_t widthPerGroup = 64;
    std::string norm{}; ///< "batch", "group" or "proxy"
};

constexpr std::int64_t expansion = 4;

// Those of the paper on proxy normalisation for ResNet-50.
constexpr std::int64_t channelsOfNormGroup = 16;
constexpr std::int64_t proxySamples = 256;

ZooValue normed(ZooBuilder& b, const std::string& name, const ZooValue& x, const ResNet& net) {
    return net.norm == "batch" ? b.batchNorm(name, x)
                               : b.groupNorm(name, x, x.channels / channelsOfNormGroup);
}

ZooValue convNorm(ZooBuilder& b, const std::string& scope, const std::string& index,
                  const ZooValue& x, const ZooConv& conv, const ResNet& net) {
    return normed(b, scope + "bn" + index, b.conv(scope + "conv" + index, x, conv), net);
}

/// With its activation, whose result proxy normalisation normalises too.
ZooValue convNormRelu(ZooBuilder& b, const std::string& scope, const std::string& index,
                      const ZooValue& x, const ZooConv& conv, const ResNet& net,
                      const std::string& relu) {
    const ZooValue y = b.relu(scope + relu, convNorm(b, scope, index, x, conv, net));
    return net.norm == "proxy"
               ? b.proxyNorm(scope + "pn" + index, y, scope + "bn" + index, proxySamples)
               : y;
}

ZooValue bottleneck(ZooBuilder& b, const std::string& scope, const ZooValue& x, const ResNet& net,
                    std::int64_t planes, std::int64_t stride) {
    const std::int64_t width = planes * net.widthPerGroup / 64 * net.groups;
    const std::int64_t channels = planes * expansion;
    ZooValue y = convNormRelu(b, scope, "1", x, {.channels = width}, net, "relu1");
    y = convNormRelu(b, scope, "2", y,
                     {.channels = width, .kernel = 3, .stride = stride, .groups = net.groups}, net,
                     "relu2");
    y = convNorm(b, scope, "3", y, {.channels = channels}, net);
    ZooValue shortcut = x;
    if (stride != 1 || x.channels != channels) {
        shortcut = b.conv(scope + "downsample/0", x, {.channels = channels, .stride = stride});
        shortcut = normed(b, scope + "downsample/1", shortcut, net);
    }
    return b.relu(scope + "relu3", b.add(scope + "add", y, shortcut));
}

onnx::ModelProto build(const std::string& name, const ResNet& net) {
    ZooBuilder b(name, {3, 224, 224});
    ZooValue x = convNormRelu(b, "", "1", b.input(), {.channels = 64, .kernel = 7, .stride = 2},
                              net, "relu");
    x = b.maxPool("maxpool", x, 3, 2, 1);
    std::int64_t planes = 64;
    for (std::size_t layer = 0; layer < net.blocks.size(); ++layer, planes *= 2) {
        for (int block = 0; block < net.blocks[layer]; ++block) {
            const std::string scope =
                "layer" + std::to_string(layer + 1) + "/" + std::to_string(block) + "/";
            x = bottleneck(b, scope, x, net, planes, layer > 0 && block == 0 ? 2 : 1);
        }
    }
    x = b.flatten("flatten", b.globalAveragePool("avgpool", x), x.channels);
    return b.finish(b.dense("fc", x, 1000));
}

} // namespace

onnx::ModelProto zooResNet50(const ZooSettings& settings) {
    return build("resnet50", {.norm = settings.text("norm")});
}

onnx::ModelProto zooResNext50(const ZooSettings& settings) {
    return build("resnext50_32x4d",
                 {.groups = 32, .widthPerGroup = 4, .norm = settings.text("norm")});
}

onnx::ModelProto zooResNext101(const ZooSettings& settings) {
    return build(
        "resnext101_32x8d",
        {.blocks = {3, 4, 23, 3}, .groups = 32, .widthPerGroup = 8, .norm = settings.text("norm")});
}

} // namespace tilescope::sim
