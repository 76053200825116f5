#include "simulator/values/inference.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <map>
#include <numbers>
#include <random>

#include "core/base/error.h"
#include "simulator/compute/machine.h"
#include "simulator/frontend/onnx_types/weight_values.h"
#include "simulator/prepare/prepare.h"
#include "simulator/values/model_values.h"
#include "simulator/values/planned_sums.h"

namespace tilescope::sim {
namespace {

/// Rows of the first dimension, or the whole tensor where all micro-batches get the same.
TensorData rowsOf(const TensorData& all, const Shape& shape, std::int64_t microBatch) {
    if (all.elements() == elementsOf(shape))
        return all.reshaped(shape);
    TensorData part(all.type(), shape);
    const std::int64_t first = microBatch * part.elements();
    if (all.isReal())
        std::copy_n(all.reals().data() + first, part.elements(), part.reals().data());
    else
        std::copy_n(all.ints().data() + first, part.elements(), part.ints().data());
    return part;
}

class InputFeed {
public:
    InputFeed(const Graph& graph, const RunOptions& options, const std::string& path)
        : options_(options)
        , path_(path)
        , microBatches_(options.batch.microBatchesOfCall() * options.replication.replicas) {
        if (path.empty()) {
            for (const TensorId id : graph.inputs) {
                const Tensor& tensor = graph.tensors[id];
                values_[tensor.name] =
                    generatedInput(tensor.name, tensor.type, tensor.shape,
                                   static_cast<std::uint64_t>(options.compute.seed));
            }
            return;
        }
        if (const auto set = readTestData(path, "input"); !set.empty()) {
            for (std::size_t i = 0; i < graph.inputs.size(); ++i)
                takeFromTestData(graph, i, set);
            return;
        }
        const std::vector<NamedArray> given = readArrays(path);
        for (std::size_t i = 0; i < graph.inputs.size(); ++i) {
            const Tensor& tensor = graph.tensors[graph.inputs[i]];
            values_[tensor.name] = fitted(tensor, arrayFor(tensor, i, given, graph));
        }
    }

    [[nodiscard]] TensorData at(const Tensor& input, const BatchPlace& place) const {
        return rowsOf(values_.at(input.name), input.shape,
                      indexOf(place, options_.batch, options_.replication.replicas));
    }

private:
    /// By position, as in ONNX's own runner. Inputs that decide shapes have become constants.
    void takeFromTestData(const Graph& graph, std::size_t i,
                          const std::map<std::size_t, NamedArray>& set) {
        const Tensor& tensor = graph.tensors[graph.inputs[i]];
        const std::vector<std::string>& all = graph.modelInputs;
        const auto named = std::find(all.begin(), all.end(), tensor.name);
        const auto position =
            named == all.end() ? i : static_cast<std::size_t>(named - all.begin());
        const auto found = set.find(position);
        if (found == set.end())
            throw UserError(fmt::format("{}: has no input_{}.pb for input '{}' of shape {}", path_,
                                        position, tensor.name, toString(tensor.shape)));
        values_[tensor.name] = fitted(tensor, found->second);
    }

    /// By name if the file has all names of the model, else by position.
    const NamedArray& arrayFor(const Tensor& tensor, std::size_t position,
                               const std::vector<NamedArray>& given, const Graph& graph) const {
        const auto named = [&](const std::string& name) {
            return std::find_if(given.begin(), given.end(),
                                [&](const NamedArray& array) { return array.name == name; });
        };
        if (const auto found = named(tensor.name); found != given.end())
            return *found;
        if (given.size() != graph.inputs.size())
            throw UserError(fmt::format("{}: has {} arrays where the model has {} inputs; the "
                                        "first without a value is '{}' of shape {}",
                                        path_, given.size(), graph.inputs.size(), tensor.name,
                                        toString(tensor.shape)));
        return given[position];
    }

    [[nodiscard]] TensorData fitted(const Tensor& tensor, const NamedArray& array) const {
        const auto refuse = [&](const std::string& text) {
            throw UserError(fmt::format("{}: array '{}' for input '{}' {}", path_, array.name,
                                        tensor.name, text));
        };
        Shape all = tensor.shape;
        if (!all.empty())
            all[0] *= microBatches_;
        if (array.data.shape() != tensor.shape && array.data.shape() != all)
            refuse(fmt::format(
                "has shape {}; it takes {}{}", toString(array.data.shape()), toString(tensor.shape),
                all == tensor.shape
                    ? std::string()
                    : fmt::format(", or {} for all micro-batches of a call", toString(all))));
        if (array.data.isReal() != isFloating(tensor.type))
            refuse(fmt::format("has {} values; it takes {}", array.data.isReal() ? "real" : "whole",
                               toString(tensor.type)));
        if (array.data.isReal())
            for (const float value : array.data.reals())
                if (!std::isfinite(value))
                    refuse("holds values that are not finite (NaN or infinity)");
        return converted(array.data, tensor.type);
    }

    const RunOptions& options_;
    const std::string path_;
    std::int64_t microBatches_;
    std::map<std::string, TensorData> values_;
};

/// Results of a call in the order of their micro-batches.
class OutputGathering {
public:
    void take(const Tensor& output, const TensorData& value) {
        if (!parts_.contains(output.name))
            names_.push_back(output.name);
        parts_[output.name].push_back(value.copy());
    }

    [[nodiscard]] std::vector<NamedArray> joined() const {
        std::vector<NamedArray> arrays;
        for (const std::string& name : names_) {
            const auto& parts = parts_.at(name);
            if (parts.size() == 1) {
                arrays.push_back({name, parts.front()});
                continue;
            }
            Shape shape = parts.front().shape();
            if (shape.empty())
                shape = {1};
            shape[0] *= static_cast<std::int64_t>(parts.size());
            TensorData all(parts.front().type(), shape);
            std::int64_t at = 0;
            for (const TensorData& part : parts)
                for (std::int64_t i = 0; i < part.elements(); ++i)
                    all.setNumber(at++, part.number(i));
            arrays.push_back({name, std::move(all)});
        }
        return arrays;
    }

private:
    std::vector<std::string> names_;
    std::map<std::string, std::vector<TensorData>> parts_;
};

/// The expected results.
class Expectation {
public:
    /// Reads the files.
    Expectation(const Graph& graph, const ComputeOptions& options)
        : options_(options) {
        if (options.expect.empty())
            return;
        set_ = readTestData(options.expect, "output");
        if (set_.empty())
            arrays_ = readArrays(options.expect);
        for (const TensorId output : graph.outputs)
            outputs_.push_back(graph.tensors[output].name);
    }

    [[nodiscard]] std::vector<Difference>
    differences(const std::vector<NamedArray>& results) const {
        std::vector<Difference> differences;
        for (std::size_t i = 0; i < results.size(); ++i)
            if (auto difference =
                    differenceOf(results[i].name, results[i].data, expectedOf(results, i).data,
                                 options_.rtol, options_.atol))
                differences.push_back(std::move(*difference));
        return differences;
    }

private:
    /// By position in ONNX's test data, else by name, else in the order of the file.
    [[nodiscard]] const NamedArray& expectedOf(const std::vector<NamedArray>& results,
                                               std::size_t i) const {
        const std::string& name = results[i].name;
        if (!set_.empty()) {
            const auto position = static_cast<std::size_t>(
                std::find(outputs_.begin(), outputs_.end(), name) - outputs_.begin());
            const auto found = set_.find(position);
            if (found == set_.end())
                throw UserError(fmt::format("{}: has no output_{}.pb for result '{}'",
                                            options_.expect, position, name));
            return found->second;
        }
        const auto named =
            std::find_if(arrays_.begin(), arrays_.end(),
                         [&](const NamedArray& array) { return array.name == name; });
        if (named == arrays_.end() && arrays_.size() != results.size())
            throw UserError(
                fmt::format("{}: has no array '{}'; it needs one for each of {} results",
                            options_.expect, name, results.size()));
        return named == arrays_.end() ? arrays_[i] : *named;
    }

    const ComputeOptions& options_;
    std::map<std::size_t, NamedArray> set_; ///< by position of the model's output
    std::vector<NamedArray> arrays_;
    std::vector<std::string> outputs_; ///< of the model, in its order
};

} // namespace

TensorData generatedInput(const std::string& name, DataType type, const Shape& shape,
                          std::uint64_t seed) {
    TensorData data(type, shape);
    std::seed_seq sequence(name.begin(), name.end());
    std::mt19937_64 engine(sequence);
    engine.discard(seed % 1024);
    const auto uniform = [&] { return static_cast<double>(engine() >> 11) * 0x1p-53; };
    constexpr double smallNumbers = 2; // valid indices and labels nearly everywhere
    for (std::int64_t i = 0; i < data.elements(); ++i) {
        const double u = uniform();
        data.setNumber(i, isFloating(type) ? std::sqrt(-2 * std::log(1 - u)) *
                                                 std::cos(2 * std::numbers::pi * uniform())
                                           : std::floor(u * smallNumbers));
    }
    return data;
}

std::optional<Difference> differenceOf(const std::string& name, const TensorData& got,
                                       const TensorData& wanted, double rtol, double atol) {
    if (got.shape() != wanted.shape())
        throw UserError(fmt::format("result '{}' has shape {} where {} is expected", name,
                                    toString(got.shape()), toString(wanted.shape())));
    Difference result{name, {}, 0, 0, 0, got.elements()};
    double worst = -1;
    std::int64_t worstAt = 0;
    for (std::int64_t i = 0; i < got.elements(); ++i) {
        const double a = got.number(i);
        const double b = wanted.number(i);
        if (a == b || (std::isnan(a) && std::isnan(b)))
            continue;
        const double allowed = atol + rtol * std::fabs(b);
        const double off = std::fabs(a - b);
        if (off <= allowed)
            continue;
        ++result.elements;
        const double excess = std::isfinite(off) ? off / std::max(allowed, 1e-300) : INFINITY;
        if (excess > worst) {
            worst = excess;
            worstAt = i;
        }
    }
    if (result.elements == 0)
        return std::nullopt;
    result.got = got.number(worstAt);
    result.wanted = wanted.number(worstAt);
    for (std::size_t d = got.shape().size(); d-- > 0;) {
        result.position.insert(result.position.begin(), worstAt % got.shape()[d]);
        worstAt /= got.shape()[d];
    }
    return result;
}

InferenceResult computeResults(const std::string& model, const RunOptions& options) {
    const Graph graph = valuedModel(model, options);
    const InputFeed feed(graph, options, options.compute.inputs);
    // Read before the work, so that damaged files are reported at once.
    const Expectation expectation(graph, options.compute);
    const Graph prepared = preparedGraph(graph, options);
    Machine machine(prepared, options, static_cast<std::uint64_t>(options.compute.seed),
                    plannedSums(prepared, options.machine, options.planning));
    OutputGathering outputs;
    HostPort port;
    port.input = [&](const Tensor& input, const BatchPlace& place) {
        return converted(feed.at(input, place), input.type);
    };
    port.output = [&](const Tensor& output, const BatchPlace&, const TensorData& value) {
        outputs.take(output, value);
    };
    ValueRecorder recorder(prepared, options.batch, options.compute,
                           options.batch.deviceIterations);
    recorder.seeWeights(machine);
    recorder.beginCall(port);
    machine.run(port);
    InferenceResult result;
    result.values = recorder.take();
    result.outputs = outputs.joined();
    result.generatedInputs = options.compute.inputs.empty();
    if (!options.compute.expect.empty())
        result.differences = expectation.differences(result.outputs);
    return result;
}

} // namespace tilescope::sim
