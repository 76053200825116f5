// BERT: layers of attention and feed-forward with the normalisation after each sum. Sizes of the
// published models (Devlin et al., 2018); names of layers as in PopART's BERT.
#include <fmt/format.h>
#include <onnx/onnx_pb.h>

#include "core/base/error.h"
#include "simulator/zoo/topologies.h"
#include "simulator/zoo/transformer_parts.h"

namespace tilescope::sim {

namespace {

constexpr std::int64_t positions = 512;
constexpr std::int64_t segments = 2;
constexpr double epsilon = 1e-12;
constexpr double droppedShare = 0.1;

struct Inputs {
    ZooValue tokens, places, segments;
    ZooValue length; ///< [N,1]: tokens from here on are padding; packed: each token's sequence
};

ZooValue embeddings(ZooBuilder& b, TransformerParts& parts, const Inputs& in,
                    std::int64_t vocabulary) {
    const ZooValue words = parts.embedding("Embedding/Token", in.tokens, vocabulary);
    const ZooValue places = parts.embedding("Embedding/Position", in.places, positions);
    const ZooValue segment = parts.embedding("Embedding/Segment", in.segments, segments);
    ZooValue sum = b.add("Embedding/Add", words, places);
    sum = b.add("Embedding/AddSegment", sum, segment);
    return parts.dropped("Embedding/Dropout", parts.norm("Embedding/Norm", sum));
}

/// 0 for tokens and a large negative number for padding, [N,1,1,sequence]; `full`:
/// [N,1,sequence,sequence], as TensorFlow's BERT makes it (google-research/bert, modeling.py,
/// create_attention_mask_from_input_mask).
ZooValue paddingMask(ZooBuilder& b, const Inputs& in, std::int64_t sequence, bool full) {
    const std::string scope = "Layer0/Attention/Z/Mask";
    constexpr double farBelow = 1000; // softmax of anything this much lower is 0 in half precision
    const ZooValue valid =
        b.apply("Less", scope + "/Less", {in.places.name, in.length.name}, sequence);
    const std::int64_t stored =
        b.storesHalf() ? onnx::TensorProto::FLOAT16 : onnx::TensorProto::FLOAT;
    ZooValue ones = b.apply("Cast", scope + "/Cast", {valid.name}, sequence, {{"to", stored}});
    if (full) {
        const ZooValue rows =
            b.apply("Reshape", scope + "/Rows",
                    {ones.name, b.integers(scope + "/shapeRows", {0, 1, 1, sequence})}, sequence);
        ones =
            b.apply("Mul", scope + "/Pairs",
                    {b.buffer(scope + "/ones", {sequence, 1}, start::ones), rows.name}, sequence);
    }
    const ZooValue shifted =
        b.apply("Sub", scope + "/Sub", {ones.name, b.real(scope + "/one", 1)}, sequence);
    const ZooValue mask = b.apply("Mul", scope + "/Mul",
                                  {shifted.name, b.real(scope + "/farBelow", farBelow)}, sequence);
    if (full)
        return mask;
    return b.apply("Reshape", scope + "/Reshape",
                   {mask.name, b.integers(scope + "/shape4", {0, 1, 1, sequence})}, sequence);
}

/// 0 for pairs of tokens of one sequence and a large negative number for others,
/// [N,1,sequence,sequence]: of samples that several sequences are packed into. Each layer makes its
/// own (mlcommons/training_results_v1.0, Graphcore, popart/custom_ops/attention_mask.cpp).
ZooValue packingMask(ZooBuilder& b, const std::string& scope, const Inputs& in,
                     std::int64_t sequence) {
    constexpr double farBelow = -1000;
    const ZooValue numbers = b.apply("Cast", scope + "/Cast", {in.length.name}, sequence,
                                     {{"to", std::int64_t{onnx::TensorProto::FLOAT}}});
    const ZooValue column =
        b.apply("Reshape", scope + "/Column",
                {numbers.name, b.integers(scope + "/shapeColumn", {0, 1, sequence, 1})}, 1);
    const ZooValue row =
        b.apply("Reshape", scope + "/Row",
                {numbers.name, b.integers(scope + "/shapeRow", {0, 1, 1, sequence})}, sequence);
    ZooValue pairs = b.apply("Sub", scope + "/Difference", {column.name, row.name}, sequence);
    for (const char* function : {"Abs", "Tanh"})
        pairs = b.apply(function, scope + "/" + function, {pairs.name}, sequence);
    return b.apply("Mul", scope + "/Mul", {pairs.name, b.real(scope + "/farBelow", farBelow)},
                   sequence);
}

/// The tokens whose words are to be predicted, equally many of each sample: [N,S,H] to
/// [N,tokens,H]. Positions are counted over the whole batch: sample n has those from n*S on.
ZooValue maskedPositions(ZooBuilder& b, const ZooValue& x, std::int64_t tokens) {
    const std::string scope = "MLM/Gather";
    const ZooValue places = b.addIndices("masked_lm_positions", {tokens});
    const ZooValue rows =
        b.apply("Reshape", scope + "/Reshape",
                {x.name, b.integers(scope + "/rows", {-1, x.channels})}, x.channels);
    return b.apply("Gather", scope, {rows.name, places.name}, x.channels);
}

ZooValue maskedLanguageModel(ZooBuilder& b, TransformerParts& parts, ZooValue x,
                             std::int64_t vocabulary) {
    x = parts.gelu("MLM/Gelu", parts.dense("MLM/Dense", x, x.channels));
    x = parts.tied("MLM/Decoder", parts.norm("MLM/Norm", x), "Embedding/Token.weight", vocabulary);
    return b.apply("Add", "MLM/Decoder/Bias", {x.name, b.weight("MLM/Decoder.bias", {vocabulary})},
                   vocabulary);
}

onnx::ModelProto build(const std::string& name, std::int64_t hidden, std::int64_t heads,
                       const ZooSettings& settings) {
    const std::int64_t sequence = settings.size("sequenceLength");
    const std::int64_t vocabulary = settings.size("vocabulary");
    const bool tensorflow = settings.text("graph") != "popart";
    ZooBuilder b(name);
    if (settings.text("packed") == "on" && settings.text("store") == "half")
        throw UserError(fmt::format("{}: model option packed is for training, store=half for "
                                    "inference; leave one of the two out",
                                    name));
    b.storeHalf(settings.text("store") == "half");
    TransformerParts parts(
        b, {sequence, hidden, heads, epsilon, settings.text("attentionBias") == "on", 0,
            tensorflow || settings.text("splitQkv") == "on", settings.text("graph") == "tensorflow",
            settings.text("dropout") == "on" ? droppedShare : 0});
    const bool packed = settings.text("packed") == "on";
    const Inputs in{b.addIndices("input_ids", {sequence}), b.addIndices("position_ids", {sequence}),
                    b.addIndices("token_type_ids", {sequence}),
                    packed ? b.addIndices("input_mask", {sequence})
                           : b.addIndices("sequence_length", {1})};
    ZooValue x = embeddings(b, parts, in, vocabulary);
    ZooValue mask = packed ? ZooValue() : paddingMask(b, in, sequence, tensorflow);
    for (std::int64_t layer = 0; layer < settings.size("layers"); ++layer) {
        const std::string scope = "Layer" + std::to_string(layer);
        if (packed)
            mask = packingMask(b, scope + "/Attention/Z/Mask", in, sequence);
        const ZooValue attended = parts.attention(scope + "/Attention", x, mask);
        x = parts.norm(scope + "/Attention/Norm", b.add(scope + "/Attention/Add", x, attended));
        const ZooValue fed = parts.feedForward(scope + "/FF", x);
        x = parts.norm(scope + "/FF/Norm", b.add(scope + "/FF/Add", x, fed));
    }
    const std::int64_t masked = settings.size("maskedTokens");
    if (settings.text("head") == "squad") {
        if (masked > 0)
            throw UserError(fmt::format("{}: model option maskedTokens belongs to head=mlm; leave "
                                        "one of the two out",
                                        name));
        x = parts.dense("Squad/Dense", x, 2);
        return b.finish(x, {sequence, x.channels});
    }
    if (masked > sequence)
        throw UserError(fmt::format("{}: model option maskedTokens: {} tokens are more than the {} "
                                    "of the sequence (sequenceLength)",
                                    name, masked, sequence));
    if (masked > 0)
        x = maskedPositions(b, x, masked);
    x = maskedLanguageModel(b, parts, x, vocabulary);
    return b.finish(x, {masked > 0 ? masked : sequence, x.channels});
}

} // namespace

onnx::ModelProto zooBertBase(const ZooSettings& settings) {
    return build("bert-base", 768, 12, settings);
}

onnx::ModelProto zooBertLarge(const ZooSettings& settings) {
    return build("bert-large", 1024, 16, settings);
}

} // namespace tilescope::sim
