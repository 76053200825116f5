// A model's results on data, and their comparison with expected ones.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/options/run_options.h"
#include "simulator/data/array_files.h"
#include "simulator/values/recorder.h"

namespace tilescope::sim {

/// Where a result differs most from what was expected, by the tolerance.
struct Difference {
    std::string output;
    std::vector<std::int64_t> position; ///< of the worst element
    double got = 0, wanted = 0;
    std::int64_t elements = 0; ///< that are beyond the tolerance
    std::int64_t of = 0;       ///< elements in all
};

struct InferenceResult {
    std::vector<NamedArray> outputs;     ///< of all micro-batches of a call, one after the other
    bool generatedInputs = false;        ///< the inputs were made up
    std::vector<Difference> differences; ///< from options.compute.expect
    RunValues values;                    ///< for the profile, according to options.compute.values
};

/// Computes one call of the host with options.compute.inputs. Throws UserError for inputs that do
/// not fit the model: names, shapes, types, values that are not numbers.
InferenceResult computeResults(const std::string& model, const RunOptions& options);

/// Values for an input that was not given: normal numbers for reals, small whole numbers for
/// others, the same for the same name and seed.
TensorData generatedInput(const std::string& name, DataType type, const Shape& shape,
                          std::uint64_t seed);

/// The elements of `got` that differ from `wanted` by more than atol + rtol * |wanted|; none if no
/// one does. NaN equals NaN. Throws UserError if the shapes differ.
std::optional<Difference> differenceOf(const std::string& name, const TensorData& got,
                                       const TensorData& wanted, double rtol, double atol);

} // namespace tilescope::sim
