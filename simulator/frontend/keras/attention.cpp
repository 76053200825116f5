// Attention: products of queries, keys and values by heads.
#include <cmath>

#include <fmt/format.h>

#include "simulator/frontend/keras/emitter.h"

namespace tilescope::sim {
namespace {

using Tensors = std::vector<KerasTensor>;

/// Keras's MultiHeadAttention over sequences [steps, features].
class MultiHeadAttention {
public:
    explicit MultiHeadAttention(KerasEmitter& emitter)
        : e_(emitter)
        , layer_(emitter.layer())
        , heads_(layer_.integer("num_heads"))
        , keySize_(layer_.integer("key_dim"))
        , valueSize_(layer_.has("value_dim") ? layer_.integer("value_dim") : keySize_)
        , biased_(layer_.flag("use_bias", true)) {
        if (heads_ > largestKerasSize / std::max(keySize_, valueSize_))
            throw layer_.keyError("num_heads", "makes more features than any model has");
    }

    /// Operands: query, value and, unless it is the value, key.
    Tensors run(const Tensors& inputs) {
        const KerasTensor query = sequence(inputs.at(0));
        const KerasTensor value = inputs.size() > 1 ? sequence(inputs[1]) : query;
        const KerasTensor key = inputs.size() > 2 ? sequence(inputs[2]) : value;
        const std::string q = projected("query", query, keySize_, {0, 2, 1, 3});
        const std::string k = projected("key", key, keySize_, {0, 2, 3, 1});
        const std::string v = projected("value", value, valueSize_, {0, 2, 1, 3});
        std::string scores = e_.apply("MatMul", "scores", {q, k});
        scores = e_.apply(
            "Mul", "scale",
            {scores, e_.real("scale/factor", 1 / std::sqrt(static_cast<double>(keySize_)))});
        scores = e_.apply("Softmax", "softmax", {scores}, {{"axis", std::int64_t{-1}}});
        if (const double rate = layer_.realOr("dropout", 0); rate > 0)
            scores = e_.apply("Dropout", "dropout", {scores, e_.real("dropout/rate", rate)});
        const std::string context = e_.apply("MatMul", "context", {scores, v});
        const std::string rows = e_.apply("Transpose", "context/transpose", {context},
                                          {{"perm", std::vector<std::int64_t>{0, 2, 1, 3}}});
        KerasTensor joined{e_.apply("Reshape", "context/join",
                                    {rows, e_.integers("context/shape",
                                                       {0, query.shape[0], heads_ * valueSize_})}),
                           {query.shape[0], heads_ * valueSize_}};
        const std::int64_t width =
            layer_.has("output_shape") ? layer_.list("output_shape").back() : query.shape[1];
        joined.value = product("attention_output", "", joined, width);
        joined.shape.back() = width;
        return {joined};
    }

private:
    KerasTensor sequence(const KerasTensor& x) {
        KerasTensor plain = e_.asKeras(x);
        if (plain.shape.size() != 2)
            throw layer_.error(fmt::format("its operand has the shape {} instead of steps and "
                                           "features",
                                           toString(plain.shape)));
        return plain;
    }

    std::string product(const std::string& weights, const std::string& part, const KerasTensor& x,
                        std::int64_t width) {
        const std::string kernel = e_.weight(weights + "/kernel", {x.shape[1], width});
        if (!biased_)
            return e_.apply("MatMul", part, {x.value, kernel});
        const std::string made =
            e_.apply("MatMul", (part.empty() ? weights : part) + "/matmul", {x.value, kernel});
        return e_.apply("Add", part, {made, e_.weight(weights + "/bias", {width})});
    }

    /// [batch, steps, heads * size] by heads, in the order that the next product needs.
    std::string projected(const std::string& part, const KerasTensor& x, std::int64_t size,
                          const std::vector<std::int64_t>& order) {
        const std::string all = product(part, part, x, heads_ * size);
        const std::string split =
            e_.apply("Reshape", part + "/split",
                     {all, e_.integers(part + "/shape", {0, x.shape[0], heads_, size})});
        return e_.apply("Transpose", part + "/heads", {split}, {{"perm", order}});
    }

    KerasEmitter& e_;
    const LayerReader& layer_;
    std::int64_t heads_, keySize_, valueSize_;
    bool biased_;
};

Tensors convertAttention(KerasEmitter& e, const Tensors& inputs) {
    return MultiHeadAttention(e).run(inputs);
}

} // namespace

void addKerasAttention(KerasConversions& table) {
    table["MultiHeadAttention"] = convertAttention;
}

} // namespace tilescope::sim
