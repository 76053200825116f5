// A model with test data beside it, as ONNX publishes them: run and compared.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "simulator/graph/graph.h"

namespace tilescope::test {

enum class CaseResult { Right, Wrong, Refused };

struct CaseOutcome {
    CaseResult result = CaseResult::Right;
    std::string reason;        ///< what is wrong, or why it is refused
    bool byStatistics = false; ///< numbers by chance: only shapes and statistics are compared
    std::vector<std::string> operators; ///< of the model's nodes, each once, without Constant
};

/// How near a real has to be: |difference| <= absolute + relative |expected|.
struct Tolerance {
    double relative = 1e-3, absolute = 1e-7; ///< of onnx.backend.test
};

/// Imports a model with its values, runs it on one IPU with the inputs of each test_data_set_*
/// beside it, and compares with the outputs there. A refusal (UserError) is told from a wrong
/// answer; any other exception is a wrong one.
CaseOutcome runCase(const std::filesystem::path& model, const Tolerance& tolerance = {});

/// The values of a .pb file (TensorProto).
sim::TensorData readData(const std::filesystem::path& file);

/// The values of an input of a graph.
using InputValues = std::function<sim::TensorData(const sim::Tensor& input)>;

/// Runs an imported graph, or a model, on one IPU. Values of the outputs in the model's order.
std::vector<sim::TensorData> computedOutputs(const sim::Graph& graph, const InputValues& inputs);
std::vector<sim::TensorData> computedOutputs(const std::filesystem::path& model,
                                             const InputValues& inputs);

/// Where and how two values differ beyond the tolerance; empty: they do not.
std::string differenceOf(const sim::TensorData& got, const sim::TensorData& expected,
                         const Tolerance& tolerance);

} // namespace tilescope::test
