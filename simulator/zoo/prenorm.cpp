// Transformers with the normalisation before each part: GPT-2 (Radford et al., 2019), ViT
// (Dosovitskiy et al., 2020) and its shape-optimised successor (Alabdulmohsin et al., 2023; as
// in SigLIP).
#include <onnx/onnx_pb.h>

#include "simulator/zoo/topologies.h"
#include "simulator/zoo/transformer_parts.h"

namespace tilescope::sim {

namespace {

ZooValue layers(ZooBuilder& b, TransformerParts& parts, ZooValue x, std::int64_t count,
                const std::optional<ZooValue>& mask) {
    for (std::int64_t layer = 0; layer < count; ++layer) {
        const std::string scope = "Layer" + std::to_string(layer);
        const ZooValue attended =
            parts.attention(scope + "/Attention", parts.norm(scope + "/Attention/Norm", x), mask);
        x = b.add(scope + "/Attention/Add", x, attended);
        const ZooValue fed = parts.feedForward(scope + "/FF", parts.norm(scope + "/FF/Norm", x));
        x = b.add(scope + "/FF/Add", x, fed);
    }
    return x;
}

/// The image as a sequence of patches.
ZooValue patches(ZooBuilder& b, std::int64_t hidden, std::int64_t side, std::int64_t count) {
    const std::vector<std::int64_t> square{side, side};
    ZooValue x =
        b.apply("Conv", "Embedding/Patch",
                {b.input().name, b.weight("Embedding/Patch.weight", {hidden, 3, side, side}),
                 b.weight("Embedding/Patch.bias", {hidden})},
                hidden, {{"kernel_shape", square}, {"strides", square}});
    x = b.apply("Reshape", "Embedding/Reshape",
                {x.name, b.integers("Embedding/shape", {0, hidden, count})}, count);
    return b.apply("Transpose", "Embedding/Transpose", {x.name}, hidden,
                   {{"perm", std::vector<std::int64_t>{0, 2, 1}}});
}

/// A learnt token in front of each sequence.
ZooValue afterClassToken(ZooBuilder& b, const ZooValue& x, std::int64_t hidden) {
    const ZooValue batch = b.apply("Shape", "Embedding/Batch", {x.name}, 1,
                                   {{"start", std::int64_t{0}}, {"end", std::int64_t{1}}});
    const ZooValue shape = b.apply("Concat", "Embedding/ClassShape",
                                   {batch.name, b.integers("Embedding/classSizes", {1, hidden})}, 3,
                                   {{"axis", std::int64_t{0}}});
    const ZooValue token =
        b.apply("Expand", "Embedding/Class",
                {b.weight("Embedding/Class.weight", {1, 1, hidden}), shape.name}, hidden);
    return b.apply("Concat", "Embedding/Concat", {token.name, x.name}, hidden,
                   {{"axis", std::int64_t{1}}});
}

} // namespace

onnx::ModelProto zooGpt2Small(const ZooSettings& settings) {
    constexpr std::int64_t hidden = 768, heads = 12, vocabulary = 50257, positions = 1024;
    const std::int64_t sequence = settings.size("sequenceLength");
    ZooBuilder b("gpt2-small");
    TransformerParts parts(b, {sequence, hidden, heads});
    const ZooValue tokens = b.addIndices("input_ids", {sequence});
    const ZooValue places = b.addIndices("position_ids", {sequence});
    ZooValue x = b.add("Embedding/Add", parts.embedding("Embedding/Token", tokens, vocabulary),
                       parts.embedding("Embedding/Position", places, positions));
    const ZooValue mask{b.buffer("Mask/causal", {1, 1, sequence, sequence}, start::causal),
                        sequence};
    x = layers(b, parts, x, settings.size("layers"), mask);
    x = parts.tied("Head", parts.norm("Norm", x), "Embedding/Token.weight", vocabulary);
    return b.finish(x, {sequence, vocabulary});
}

onnx::ModelProto zooVitBase(const ZooSettings& settings) {
    constexpr std::int64_t hidden = 768, heads = 12, image = 224, side = 16, classes = 1000;
    constexpr std::int64_t count = (image / side) * (image / side);
    ZooBuilder b("vit-base", {3, image, image});
    TransformerParts parts(b, {count + 1, hidden, heads, 1e-6});
    ZooValue x = afterClassToken(b, patches(b, hidden, side, count), hidden);
    x = b.apply("Add", "Embedding/Add",
                {x.name, b.weight("Embedding/Position.weight", {1, count + 1, hidden})}, hidden);
    x = layers(b, parts, x, settings.size("layers"), std::nullopt);
    x = b.apply("Slice", "Head/Class",
                {parts.norm("Norm", x).name, b.integers("Head/from", {0}),
                 b.integers("Head/to", {1}), b.integers("Head/axis", {1})},
                hidden);
    return b.finish(b.dense("Head", b.flatten("Head/Flatten", x, hidden), classes));
}

onnx::ModelProto zooVitSo400m(const ZooSettings& settings) {
    constexpr std::int64_t hidden = 1152, heads = 16, wide = 4304, image = 378, side = 14;
    constexpr std::int64_t count = (image / side) * (image / side);
    ZooBuilder b("vit-so400m", {3, image, image});
    TransformerParts parts(b, {count, hidden, heads, 1e-6, true, wide});
    ZooValue x = patches(b, hidden, side, count);
    x = b.apply("Add", "Embedding/Add",
                {x.name, b.weight("Embedding/Position.weight", {1, count, hidden})}, hidden);
    x = layers(b, parts, x, settings.size("layers"), std::nullopt);
    return b.finish(parts.norm("Norm", x), {count, hidden});
}

} // namespace tilescope::sim
