// EfficientNet as in torchvision: inverted bottlenecks with squeeze and excitation.
#include <algorithm>
#include <array>
#include <cmath>

#include <onnx/onnx_pb.h>

#include "simulator/zoo/builder.h"
#include "simulator/zoo/topologies.h"

namespace tilescope::sim {

namespace {

/// Blocks of one size: those after the first have a stride of 1 and keep the channels.
struct MobileStage {
    std::int64_t expand, kernel, stride, channels, blocks;
};

constexpr std::array mobileStages{MobileStage{1, 3, 1, 16, 1},  MobileStage{6, 3, 2, 24, 2},
                                  MobileStage{6, 5, 2, 40, 2},  MobileStage{6, 3, 2, 80, 3},
                                  MobileStage{6, 5, 1, 112, 3}, MobileStage{6, 5, 2, 192, 4},
                                  MobileStage{6, 3, 1, 320, 1}};

struct EfficientNet {
    const char* variant;
    double width, depth;
    std::int64_t resolution;
};

constexpr std::array efficientNets{
    EfficientNet{"b0", 1.0, 1.0, 224}, EfficientNet{"b1", 1.0, 1.1, 240},
    EfficientNet{"b2", 1.1, 1.2, 288}, EfficientNet{"b3", 1.2, 1.4, 300},
    EfficientNet{"b4", 1.4, 1.8, 380}};

/// The nearest multiple of eight that is not more than a tenth less.
std::int64_t scaledChannels(std::int64_t channels, double width) {
    const double wanted = static_cast<double>(channels) * width;
    const std::int64_t rounded =
        std::max<std::int64_t>(8, (static_cast<std::int64_t>(wanted + 4) / 8) * 8);
    return static_cast<double>(rounded) < 0.9 * wanted ? rounded + 8 : rounded;
}

ZooValue silu(ZooBuilder& b, const std::string& name, const ZooValue& x) {
    const ZooValue gate = b.apply("Sigmoid", name + "/sigmoid", {x.name}, x.channels);
    return b.apply("Mul", name + "/mul", {x.name, gate.name}, x.channels);
}

ZooValue convNormSilu(ZooBuilder& b, const std::string& scope, const ZooValue& x,
                      const ZooConv& conv) {
    return silu(b, scope + "/silu", b.batchNorm(scope + "/bn", b.conv(scope + "/conv", x, conv)));
}

ZooValue squeezeExcite(ZooBuilder& b, const std::string& scope, const ZooValue& x,
                       std::int64_t squeezed) {
    ZooValue y = b.globalAveragePool(scope + "/avgpool", x);
    y = silu(b, scope + "/silu", b.conv(scope + "/fc1", y, {.channels = squeezed, .bias = true}));
    y = b.conv(scope + "/fc2", y, {.channels = x.channels, .bias = true});
    y = b.apply("Sigmoid", scope + "/sigmoid", {y.name}, x.channels);
    return b.apply("Mul", scope + "/mul", {x.name, y.name}, x.channels);
}

ZooValue mobileBlock(ZooBuilder& b, const std::string& scope, const ZooValue& x,
                     const MobileStage& stage, std::int64_t channels, std::int64_t stride) {
    const std::int64_t wide = scaledChannels(x.channels * stage.expand, 1);
    ZooValue y = x;
    if (wide != x.channels)
        y = convNormSilu(b, scope + "/expand", y, {.channels = wide});
    y = convNormSilu(b, scope + "/depthwise", y,
                     {.channels = wide, .kernel = stage.kernel, .stride = stride, .groups = wide});
    y = squeezeExcite(b, scope + "/se", y, std::max<std::int64_t>(1, x.channels / 4));
    y = b.batchNorm(scope + "/project/bn",
                    b.conv(scope + "/project/conv", y, {.channels = channels}));
    return stride == 1 && x.channels == channels ? b.add(scope + "/add", y, x) : y;
}

onnx::ModelProto buildEfficientNet(const EfficientNet& net) {
    ZooBuilder b("efficientnet", {3, net.resolution, net.resolution});
    ZooValue x =
        convNormSilu(b, "features/0", b.input(),
                     {.channels = scaledChannels(32, net.width), .kernel = 3, .stride = 2});
    int part = 1;
    for (const MobileStage& stage : mobileStages) {
        const auto blocks =
            static_cast<int>(std::ceil(static_cast<double>(stage.blocks) * net.depth));
        const std::int64_t channels = scaledChannels(stage.channels, net.width);
        for (int block = 0; block < blocks; ++block)
            x = mobileBlock(b, "features/" + std::to_string(part) + "/" + std::to_string(block), x,
                            stage, channels, block == 0 ? stage.stride : 1);
        ++part;
    }
    x = convNormSilu(b, "features/8", x, {.channels = 4 * x.channels});
    x = b.flatten("flatten", b.globalAveragePool("avgpool", x), x.channels);
    return b.finish(b.dense("classifier", x, 1000));
}

} // namespace

onnx::ModelProto zooEfficientNet(const ZooSettings& settings) {
    return buildEfficientNet(
        *std::find_if(efficientNets.begin(), efficientNets.end(), [&](const EfficientNet& net) {
            return net.variant == settings.text("variant");
        }));
}

} // namespace tilescope::sim
