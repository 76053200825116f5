// Layers that BERT, GPT-2 and ViT share. Sequences are [N, sequence, hidden].
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "simulator/zoo/builder.h"

namespace tilescope::sim {

struct TransformerSizes {
    std::int64_t sequence = 0;
    std::int64_t hidden = 0;
    std::int64_t heads = 0;
    double epsilon = 1e-5;        ///< of the layer normalisations
    bool attentionBias = true;    ///< whether the dense layers of attention have biases
    std::int64_t feedForward = 0; ///< width of the feed-forward layers; 0: four times `hidden`
    bool splitsQkv = false;       ///< queries, keys and values by a dense layer each, not by one
    /// Normalisations and GELU in single operations, as TensorFlow's exported BERT has them.
    bool composed = false;
    double dropout = 0; ///< of what attention and feed-forward part add to their input
};

class TransformerParts {
public:
    TransformerParts(ZooBuilder& builder, const TransformerSizes& sizes)
        : b_(builder)
        , sizes_(sizes) {}

    /// MatMul `name`, and Add `name`/Bias if it has one.
    ZooValue dense(const std::string& name, const ZooValue& x, std::int64_t features,
                   bool hasBias = true);
    /// A product with the transposed table of an embedding (tied weights).
    ZooValue tied(const std::string& name, const ZooValue& x, const std::string& table,
                  std::int64_t rows);
    /// Rows of a new table [rows, hidden] chosen by `indices`.
    ZooValue embedding(const std::string& name, const ZooValue& indices, std::int64_t rows);
    /// In single precision whatever the model stores, as are GELUs.
    ZooValue norm(const std::string& name, const ZooValue& x);
    /// x / 2 * (1 + erf(x / sqrt 2)), as exporters write it; composed: by tanh.
    ZooValue gelu(const std::string& name, const ZooValue& x);
    ZooValue add(const std::string& name, const ZooValue& a, const ZooValue& b) {
        return b_.add(name, a, b);
    }
    /// x, of which training drops a share where that is wanted.
    ZooValue dropped(const std::string& name, const ZooValue& x);
    /// Self-attention with its output projection; `mask` is added to the scores
    /// [N, heads, sequence, sequence].
    ZooValue attention(const std::string& scope, const ZooValue& x,
                       const std::optional<ZooValue>& mask);
    /// Two dense layers with a GELU between.
    ZooValue feedForward(const std::string& scope, const ZooValue& x);

private:
    /// What `make` makes of x in single precision, with casts around it where the model stores
    /// half.
    ZooValue inSingle(const std::string& name, const ZooValue& x,
                      const std::function<ZooValue(const ZooValue&)>& make);
    /// tf.nn.batch_normalization() of the moments of each row: its products and sums are of whole
    /// tensors (google-research/bert, modeling.py, layer_norm).
    ZooValue composedNorm(const std::string& name, const ZooValue& x);
    /// google-research/bert, modeling.py, gelu; the cube is a square and a product (PopRT's pass
    /// replace_pow).
    ZooValue composedGelu(const std::string& name, const ZooValue& x);
    ZooValue erfGelu(const std::string& name, const ZooValue& x);
    /// Queries, keys and values of `x`, [N, sequence, hidden] each.
    std::vector<ZooValue> projections(const std::string& scope, const ZooValue& x);
    /// [N, sequence, hidden] as [N, heads, sequence, size of a head], or the last two exchanged.
    ZooValue heads(const std::string& name, const ZooValue& x, bool transposed);

    ZooBuilder& b_;
    TransformerSizes sizes_;
};

} // namespace tilescope::sim
