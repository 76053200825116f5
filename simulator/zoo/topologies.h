// The topologies of the zoo, one function each.
#pragma once

#include <cstdint>
#include <map>
#include <string>

namespace onnx {
class ModelProto;
}

namespace tilescope::sim {

/// Checked options of a model, with every key present.
class ZooSettings {
public:
    explicit ZooSettings(std::map<std::string, std::string> values)
        : values_(std::move(values)) {}
    [[nodiscard]] std::int64_t size(const std::string& key) const {
        return std::stoll(values_.at(key));
    }
    [[nodiscard]] const std::string& text(const std::string& key) const { return values_.at(key); }

private:
    std::map<std::string, std::string> values_;
};

onnx::ModelProto zooMlp(const ZooSettings&);
onnx::ModelProto zooMnistCnn(const ZooSettings&);
onnx::ModelProto zooMnistTutorial(const ZooSettings&);
onnx::ModelProto zooPlainPlusTransposed(const ZooSettings&);
onnx::ModelProto zooTransposedPlusPlain(const ZooSettings&);
/// Settings: norm ("batch", "group", "proxy").
onnx::ModelProto zooResNet50(const ZooSettings& settings);
onnx::ModelProto zooResNext50(const ZooSettings& settings);
onnx::ModelProto zooResNext101(const ZooSettings& settings);
/// Settings: variant ("b0" to "b4").
onnx::ModelProto zooEfficientNet(const ZooSettings& settings);
/// Settings: sequenceLength, layers, head ("mlm", "squad").
onnx::ModelProto zooBertBase(const ZooSettings& settings);
onnx::ModelProto zooBertLarge(const ZooSettings& settings);
/// Settings: sequenceLength, layers.
onnx::ModelProto zooGpt2Small(const ZooSettings& settings);
/// Settings: layers.
onnx::ModelProto zooVitBase(const ZooSettings& settings);
onnx::ModelProto zooVitSo400m(const ZooSettings& settings);

} // namespace tilescope::sim
