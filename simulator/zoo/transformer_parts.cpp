#include "simulator/zoo/transformer_parts.h"

#include <cmath>
#include <numbers>

#include <onnx/onnx_pb.h>

namespace tilescope::sim {

ZooValue TransformerParts::dense(const std::string& name, const ZooValue& x, std::int64_t features,
                                 bool hasBias) {
    const std::string weights = b_.weight(name + ".weight", {x.channels, features});
    const ZooValue product = b_.apply("MatMul", name, {x.name, weights}, features);
    if (!hasBias)
        return product;
    const std::string bias = b_.weight(name + ".bias", {features});
    return b_.apply("Add", name + "/Bias", {product.name, bias}, features);
}

ZooValue TransformerParts::tied(const std::string& name, const ZooValue& x,
                                const std::string& table, std::int64_t rows) {
    const ZooValue weights = b_.apply("Transpose", name + "/Transpose", {table}, rows,
                                      {{"perm", std::vector<std::int64_t>{1, 0}}});
    return b_.apply("MatMul", name, {x.name, weights.name}, rows);
}

ZooValue TransformerParts::embedding(const std::string& name, const ZooValue& indices,
                                     std::int64_t rows) {
    const std::string table = b_.weight(name + ".weight", {rows, sizes_.hidden});
    return b_.apply("Gather", name, {table, indices.name}, sizes_.hidden);
}

ZooValue TransformerParts::inSingle(const std::string& name, const ZooValue& x,
                                    const std::function<ZooValue(const ZooValue&)>& make) {
    if (!b_.storesHalf())
        return make(x);
    const ZooValue wide = b_.apply("Cast", name + "/ToSingle", {x.name}, x.channels,
                                   {{"to", std::int64_t{onnx::TensorProto::FLOAT}}});
    b_.storeHalf(false);
    const ZooValue made = make(wide);
    b_.storeHalf(true);
    return b_.apply("Cast", name + "/ToHalf", {made.name}, made.channels,
                    {{"to", std::int64_t{onnx::TensorProto::FLOAT16}}});
}

ZooValue TransformerParts::norm(const std::string& name, const ZooValue& x) {
    return inSingle(name, x, [&](const ZooValue& wide) {
        if (sizes_.composed)
            return composedNorm(name, wide);
        const std::string scale = b_.weight(name + ".weight", {x.channels});
        const std::string bias = b_.weight(name + ".bias", {x.channels});
        return b_.apply("LayerNormalization", name, {wide.name, scale, bias}, x.channels,
                        {{"axis", std::int64_t{-1}}, {"epsilon", sizes_.epsilon}});
    });
}

ZooValue TransformerParts::composedNorm(const std::string& name, const ZooValue& x) {
    const auto step = [&](const std::string& type, const std::string& part,
                          const std::vector<std::string>& inputs) {
        return b_.apply(type, name + part, inputs, x.channels).name;
    };
    const auto mean = [&](const std::string& part, const std::string& of) {
        return b_
            .apply("ReduceMean", name + part, {of}, 1,
                   {{"axes", std::vector<std::int64_t>{-1}}, {"keepdims", std::int64_t{1}}})
            .name;
    };
    const std::string scale = b_.weight(name + ".weight", {x.channels});
    const std::string bias = b_.weight(name + ".bias", {x.channels});
    const std::string average = mean("/Mean", x.name);
    const std::string difference = step("Sub", "/Difference", {x.name, average});
    const std::string squares = step("Mul", "/Squares", {difference, difference});
    const std::string variance = mean("/Variance", squares);
    const std::string least =
        step("Add", "/Add", {variance, b_.real(name + "/epsilon", sizes_.epsilon)});
    const std::string inverse = step("Reciprocal", "/Inverse", {step("Sqrt", "/Sqrt", {least})});
    const std::string factor = step("Mul", "/Factor", {inverse, scale});
    const std::string scaled = step("Mul", "/Scaled", {x.name, factor});
    const std::string shift =
        step("Sub", "/Shift", {bias, step("Mul", "/Moved", {average, factor})});
    return {step("Add", "", {scaled, shift}), x.channels};
}

ZooValue TransformerParts::gelu(const std::string& name, const ZooValue& x) {
    return inSingle(name, x, [&](const ZooValue& wide) {
        return sizes_.composed ? composedGelu(name, wide) : erfGelu(name, wide);
    });
}

ZooValue TransformerParts::erfGelu(const std::string& name, const ZooValue& x) {
    const auto step = [&](const std::string& type, const std::string& part,
                          const std::vector<std::string>& inputs) {
        return b_.apply(type, name + part, inputs, x.channels).name;
    };
    const std::string scaled =
        step("Div", "/Div", {x.name, b_.real(name + "/sqrt2", std::numbers::sqrt2)});
    const std::string erf = step("Erf", "/Erf", {scaled});
    const std::string sum = step("Add", "/Add", {erf, b_.real(name + "/one", 1)});
    const std::string product = step("Mul", "/Mul", {x.name, sum});
    return {step("Mul", "", {product, b_.real(name + "/half", 0.5)}), x.channels};
}

ZooValue TransformerParts::composedGelu(const std::string& name, const ZooValue& x) {
    const auto step = [&](const std::string& type, const std::string& part,
                          const std::vector<std::string>& inputs) {
        return b_.apply(type, name + part, inputs, x.channels).name;
    };
    const std::string square = step("Pow", "/Square", {x.name, b_.real(name + "/two", 2)});
    const std::string cube = step("Mul", "/Cube", {square, x.name});
    const std::string term = step("Mul", "/Term", {cube, b_.real(name + "/cubic", 0.044715)});
    const std::string sum = step("Add", "/Sum", {x.name, term});
    const std::string scaled = step(
        "Mul", "/Scaled", {sum, b_.real(name + "/scale", std::sqrt(2 * std::numbers::inv_pi))});
    const std::string tanh = step("Tanh", "/Tanh", {scaled});
    const std::string above = step("Add", "/Add", {tanh, b_.real(name + "/one", 1)});
    const std::string half = step("Mul", "/Half", {above, b_.real(name + "/half", 0.5)});
    return {step("Mul", "", {x.name, half}), x.channels};
}

ZooValue TransformerParts::heads(const std::string& name, const ZooValue& x, bool transposed) {
    const std::int64_t size = sizes_.hidden / sizes_.heads;
    const ZooValue split = b_.apply(
        "Reshape", name + "/Reshape",
        {x.name, b_.integers(name + "/heads", {0, sizes_.sequence, sizes_.heads, size})}, size);
    const std::vector<std::int64_t> order =
        transposed ? std::vector<std::int64_t>{0, 2, 3, 1} : std::vector<std::int64_t>{0, 2, 1, 3};
    return b_.apply("Transpose", name + "/Transpose", {split.name},
                    transposed ? sizes_.sequence : size, {{"perm", order}});
}

ZooValue TransformerParts::dropped(const std::string& name, const ZooValue& x) {
    if (sizes_.dropout == 0)
        return x;
    return b_.apply("Dropout", name, {x.name, b_.real(name + "/ratio", sizes_.dropout)},
                    x.channels);
}

std::vector<ZooValue> TransformerParts::projections(const std::string& scope, const ZooValue& x) {
    if (sizes_.splitsQkv)
        return {dense(scope + "/Q", x, sizes_.hidden, sizes_.attentionBias),
                dense(scope + "/K", x, sizes_.hidden, sizes_.attentionBias),
                dense(scope + "/V", x, sizes_.hidden, sizes_.attentionBias)};
    const ZooValue qkv = dense(scope + "/QKV", x, 3 * sizes_.hidden, sizes_.attentionBias);
    return b_.split(scope + "/Split", qkv, 2, 3);
}

ZooValue TransformerParts::attention(const std::string& scope, const ZooValue& x,
                                     const std::optional<ZooValue>& mask) {
    const std::int64_t size = sizes_.hidden / sizes_.heads;
    const std::vector<ZooValue> parts = projections(scope, x);
    const ZooValue q = heads(scope + "/Q", parts[0], false);
    const ZooValue k = heads(scope + "/K", parts[1], true);
    const ZooValue v = heads(scope + "/V", parts[2], false);
    ZooValue z = b_.apply("MatMul", scope + "/Z/QK", {q.name, k.name}, sizes_.sequence);
    z = b_.apply("Mul", scope + "/Z/Scale",
                 {z.name, b_.real(scope + "/Z/factor", 1 / std::sqrt(static_cast<double>(size)))},
                 z.channels);
    if (mask)
        z = b_.apply("Add", scope + "/Z/ApplyMask", {z.name, mask->name}, z.channels);
    z = b_.apply("Softmax", scope + "/Z/Softmax", {z.name}, z.channels,
                 {{"axis", std::int64_t{-1}}});
    z = b_.apply("MatMul", scope + "/Z/AV", {z.name, v.name}, size);
    z = b_.apply("Transpose", scope + "/Z/Transpose", {z.name}, size,
                 {{"perm", std::vector<std::int64_t>{0, 2, 1, 3}}});
    z = b_.apply("Reshape", scope + "/Z/Reshape",
                 {z.name, b_.integers(scope + "/Z/joined", {0, sizes_.sequence, sizes_.hidden})},
                 sizes_.hidden);
    return dropped(scope + "/Dropout",
                   dense(scope + "/Out", z, sizes_.hidden, sizes_.attentionBias));
}

ZooValue TransformerParts::feedForward(const std::string& scope, const ZooValue& x) {
    constexpr std::int64_t widening = 4;
    const ZooValue wide =
        dense(scope + "/1", x, sizes_.feedForward > 0 ? sizes_.feedForward : widening * x.channels);
    return dropped(scope + "/Dropout",
                   dense(scope + "/2", gelu(scope + "/Gelu", wide), x.channels));
}

} // namespace tilescope::sim
