#include "simulator/values/training.h"

#include <algorithm>
#include <chrono>
#include <fmt/format.h>
#include <memory>
#include <numeric>
#include <random>

#include "core/base/error.h"
#include "simulator/compute/machine.h"
#include "simulator/data/digits.h"
#include "simulator/frontend/onnx_types/weight_values.h"
#include "simulator/prepare/prepare.h"
#include "simulator/values/model_values.h"
#include "simulator/values/planned_sums.h"
#include "simulator/values/scores.h"

namespace tilescope::sim {
namespace {

/// Samples of a set in some order, cut into micro-batches for the inputs of a graph: the first one
/// takes the images, one of whole numbers the labels, a further one of reals their encoding.
class Batches {
public:
    /// The folder `origin` has to outlive this.
    Batches(const LabelledImages& set, const std::string& origin)
        : set_(set)
        , origin_(origin)
        , order_(static_cast<std::size_t>(set.count())) {
        std::iota(order_.begin(), order_.end(), 0);
    }

    /// Throws UserError if images do not fit the input, or a label is not one of the classes.
    void check(const Tensor& input, std::optional<std::int64_t> classes) const {
        const std::int64_t pixels = set_.images.elements() / set_.count();
        const std::int64_t samples = input.shape.empty() ? 1 : input.shape.front();
        if (elementsOf(input.shape) != pixels * samples || !isFloating(input.type))
            throw UserError(fmt::format("{}: images of {} pixels do not fit input '{}' of shape {} "
                                        "({})",
                                        origin_, pixels, input.name, toString(input.shape),
                                        toString(input.type)));
        if (classes)
            for (const std::int32_t label : set_.labels.ints())
                if (label >= *classes)
                    refuseLabel(label, *classes);
    }

    /// Fisher and Yates: the library's own shuffle differs between libraries.
    void shuffle(std::mt19937_64& engine) {
        for (std::size_t i = order_.size(); i > 1; --i)
            std::swap(order_[i - 1], order_[engine() % i]);
    }

    /// Values of an input from sample `first` on, starting again after the last one.
    [[nodiscard]] TensorData values(const Tensor& input, bool isImage, std::int64_t first) const {
        const std::int64_t samples = input.shape.empty() ? 1 : input.shape.front();
        TensorData data = TensorData::filled(input.type, input.shape, 0);
        const std::int64_t each = data.elements() / std::max<std::int64_t>(samples, 1);
        for (std::int64_t s = 0; s < samples; ++s) {
            const std::int64_t sample =
                order_[static_cast<std::size_t>((first + s) % set_.count())];
            if (isImage) {
                std::copy_n(set_.images.reals().data() + sample * each, each,
                            data.reals().data() + s * each);
                continue;
            }
            setLabel(input, data, s, each, set_.labels.ints()[static_cast<std::size_t>(sample)]);
        }
        if (isImage && input.type == DataType::Half)
            roundToHalf(data.reals());
        return data;
    }

    [[nodiscard]] std::int64_t label(std::int64_t at) const {
        return set_.labels
            .ints()[static_cast<std::size_t>(order_[static_cast<std::size_t>(at % set_.count())])];
    }

    [[noreturn]] void refuseLabel(std::int64_t label, std::int64_t classes) const {
        throw UserError(fmt::format("{}: label {} is not one of {} classes, which begin with 0",
                                    origin_, label, classes));
    }

private:
    void setLabel(const Tensor& input, TensorData& data, std::int64_t sample, std::int64_t each,
                  std::int64_t label) const {
        if (isFloating(input.type)) {
            if (label >= each)
                refuseLabel(label, each);
            data.setNumber(sample * each + label, 1);
        } else if (each == 1) {
            data.setNumber(sample, static_cast<double>(label));
        } else {
            throw UserError(fmt::format("{}: the model takes {} labels a sample ('{}' of shape "
                                        "{}), the data have one",
                                        origin_, each, input.name, toString(input.shape)));
        }
    }

    const LabelledImages& set_;
    const std::string& origin_;
    std::vector<std::int64_t> order_;
};

/// The number of classes of a model's labels: those of its own encoding, or of its scores. None for
/// a regression.
std::optional<std::int64_t> labelledClasses(const Graph& graph, LossFunction loss) {
    std::vector<bool> isLabel(graph.tensors.size());
    for (const TensorId input : graph.inputs)
        isLabel[input.index()] = !isFloating(graph.tensors[input].type);
    for (const Op& op : graph.ops) {
        if (op.inputs.empty() || op.outputs.empty() || !isLabel[op.inputs[0].index()])
            continue;
        const auto* function = std::get_if<ElementwiseAttributes>(&op.attributes);
        if (function != nullptr && function->function == ElementwiseFunction::OneHot)
            return graph.tensors[op.outputs[0]].shape.back();
        isLabel[op.outputs[0].index()] =
            std::visit([](const auto& one) { return one.traits.isView; }, op.attributes);
    }
    const Shape& scores = graph.tensors[graph.outputs.front()].shape;
    const auto axis =
        std::find_if(scores.rbegin(), scores.rend(), [](std::int64_t size) { return size > 1; });
    return sortsIntoClasses(loss) && axis != scores.rend() ? std::optional(*axis) : std::nullopt;
}

RunOptions evaluationOptions(const RunOptions& options, std::int64_t batch) {
    RunOptions plain;
    plain.machine.target = options.machine.target;
    plain.machine.target.ipus = 1;
    plain.model.precision = options.model.precision;
    plain.planning.partialsType = options.planning.partialsType;
    plain.model.sizes = options.model.sizes;
    plain.model.customOperations = options.model.customOperations;
    plain.outline.enabled = false;
    plain.batch.batchSize = batch;
    plain.compute = options.compute;
    plain.compute.automaticLossScaling = false;
    return plain;
}

/// The model in inference with the current weights of training.
class Evaluation {
public:
    Evaluation(const std::string& model, const RunOptions& options, const LabelledImages& set,
               const std::string& origin)
        : set_(set)
        , batches_(set, origin)
        , options_(evaluationOptions(options, std::min(set.count(), mostSamples)))
        , graph_(valuedModel(model, options_)) {}

    void run(const NamedWeights& weights, EpochResult& result) {
        takeWeights(graph_, weights);
        const Graph prepared = preparedGraph(graph_, options_);
        Machine machine(prepared, options_, static_cast<std::uint64_t>(options_.compute.seed),
                        partials_ ? *partials_
                                  : partials_.emplace(plannedSums(prepared, options_.machine,
                                                                  options_.planning)));
        const std::int64_t batch = *options_.batch.batchSize;
        ScoreCount count;
        for (std::int64_t first = 0; first < set_.count(); first += batch) {
            HostPort port;
            port.input = [&](const Tensor& input, const BatchPlace&) {
                return batches_.values(input, true, first);
            };
            bool isFirst = true;
            port.output = [&](const Tensor&, const BatchPlace&, const TensorData& scores) {
                if (std::exchange(isFirst, false))
                    add(count, scores, first, std::min(batch, set_.count() - first));
            };
            machine.run(port);
        }
        result.evalLoss = count.loss / static_cast<double>(count.of);
        result.evalAccuracy = static_cast<double>(count.right) / static_cast<double>(count.of);
    }

private:
    static constexpr std::int64_t mostSamples = 250; ///< computed at a time, for memory's sake

    /// Scores are [batch, classes], before a softmax, after one, or after its logarithm.
    void add(ScoreCount& count, const TensorData& scores, std::int64_t first,
             std::int64_t samples) const {
        const std::int64_t classes = scores.elements() / scores.shape().front();
        for (std::int64_t s = 0; s < samples; ++s) {
            const auto score = [&](std::int64_t c) { return scores.number(s * classes + c); };
            std::int64_t best = 0;
            double sum = 0;
            bool areProbabilities = true;
            for (std::int64_t c = 0; c < classes; ++c) {
                if (score(c) > score(best))
                    best = c;
                areProbabilities = areProbabilities && score(c) >= 0;
                sum += score(c);
            }
            const std::int64_t label = batches_.label(first + s);
            if (label >= classes)
                batches_.refuseLabel(label, classes);
            constexpr double tolerance = 1e-2; // of halves
            areProbabilities = areProbabilities && std::fabs(sum - 1) < tolerance;
            double exponentials = 0;
            for (std::int64_t c = 0; c < classes; ++c)
                exponentials += std::exp(score(c) - score(best));
            count.loss += areProbabilities ? -std::log(std::max(score(label), 1e-30))
                                           : std::log(exponentials) + score(best) - score(label);
            count.right += best == label ? 1 : 0;
            ++count.of;
        }
    }

    const LabelledImages& set_;
    Batches batches_;
    RunOptions options_;
    Graph graph_;
    std::optional<PartialSumsTable> partials_; ///< of the graph as it is prepared each time
};

class Trainer {
public:
    Trainer(const std::string& model, const RunOptions& options, const TrainingProgress& progress)
        : model_(model)
        , options_(options)
        , progress_(progress)
        , origin_(options.compute.data)
        , evalOrigin_(options.compute.evalData.empty() ? origin_ : options.compute.evalData)
        , training_(required(readImages(origin_, ImageSet::Training, standard_)))
        , test_(readImages(evalOrigin_, ImageSet::Test, standard_))
        , batches_(training_, origin_)
        , engine_(static_cast<std::uint64_t>(options.compute.seed)) {}

    TrainingResult run() {
        if (!options_.compute.saveModel.empty())
            checkSavable(model_, options_.compute.saveModel);
        Graph graph = valuedModel(model_, options_);
        checkData(graph);
        if (!options_.compute.resume.empty())
            resume(graph);
        batch_ = graph.inputs.empty() || graph.tensors[graph.inputs[0]].shape.empty()
                     ? 1
                     : graph.tensors[graph.inputs[0]].shape[0];
        const Graph prepared = preparedGraph(graph, options_);
        image_ = prepared.tensors[prepared.inputs.front()].name;
        Machine machine(prepared, options_, static_cast<std::uint64_t>(options_.compute.seed),
                        plannedSums(prepared, options_.machine, options_.planning));
        ScoreWatch watch(prepared);
        recorder_.emplace(prepared, options_.batch, options_.compute,
                          options_.compute.epochs * callsOfEpoch() *
                              options_.batch.deviceIterations);
        std::optional<Evaluation> evaluation;
        if (test_)
            evaluation.emplace(model_, options_, *test_, evalOrigin_);
        TrainingResult results;
        for (std::int64_t epoch = 1; epoch <= options_.compute.epochs; ++epoch) {
            EpochResult result = runEpoch(machine, watch, epoch);
            if (evaluation)
                evaluation->run(weightsOf(machine), result);
            if (progress_.epoch)
                progress_.epoch(result);
            if (options_.compute.values != RecordedValues::Off)
                recorder_->add(EpochPoint{epoch, result.updates, result.loss, result.accuracy,
                                          result.evalLoss, result.evalAccuracy});
            results.epochs.push_back(result);
        }
        results.values = recorder_->take();
        if (!options_.compute.saveModel.empty())
            saveModel(model_, options_, weightsOf(machine), options_.compute.saveModel);
        return results;
    }

private:
    /// Losses that the model itself returns.
    struct LossSum {
        double sum = 0;
        std::int64_t of = 0;
    };

    LabelledImages required(std::optional<LabelledImages> images) const {
        if (!images)
            throw UserError(fmt::format("{}: has no train-images-idx3-ubyte and "
                                        "train-labels-idx1-ubyte, gzipped or not",
                                        origin_));
        return std::move(*images);
    }

    /// Called before hours of work.
    void checkData(const Graph& graph) const {
        if (graph.inputs.empty())
            throw UserError(fmt::format("model '{}' has no input that images could go to", model_));
        const Tensor& input = graph.tensors[graph.inputs.front()];
        const std::optional<std::int64_t> classes = labelledClasses(graph, options_.training.loss);
        batches_.check(input, classes);
        if (test_)
            Batches(*test_, evalOrigin_).check(input, classes);
        else if (!options_.compute.evalData.empty())
            throw UserError(fmt::format("{}: has no t10k-images-idx3-ubyte and "
                                        "t10k-labels-idx1-ubyte, gzipped or not",
                                        evalOrigin_));
    }

    void resume(Graph& graph) const {
        const std::string& file = options_.compute.resume;
        const NamedWeights weights = readWeights(file);
        for (const Tensor& tensor : graph.tensors) {
            if (tensor.role != TensorRole::Weight || !isFloating(tensor.type))
                continue;
            const auto found = weights.find(tensor.name);
            if (found == weights.end())
                throw UserError(fmt::format("{}: has no weight '{}' of '{}'; give a file that "
                                            "--save-model has written for this model",
                                            file, tensor.name, model_));
            if (found->second.elements() != tensor.elements())
                throw UserError(fmt::format(
                    "{}: weight '{}' has shape {} where '{}' has {}; give a file that --save-model "
                    "has written for this model",
                    file, tensor.name, toString(found->second.shape()), model_,
                    toString(tensor.shape)));
        }
        takeWeights(graph, weights);
    }

    static NamedWeights weightsOf(const Machine& machine) {
        NamedWeights weights;
        for (const std::string& name : machine.weights())
            weights[name] = machine.weight(name);
        return weights;
    }

    /// Samples of a call of the host.
    [[nodiscard]] std::int64_t samplesOfCall() const {
        return batch_ * options_.batch.microBatchesOfCall() * options_.replication.replicas;
    }

    [[nodiscard]] std::int64_t callsOfEpoch() const {
        const std::int64_t each = samplesOfCall();
        const std::int64_t calls = training_.count() / each;
        if (calls == 0)
            throw UserError(fmt::format(
                "{}: has {} samples, fewer than one call takes ({}: batch size {} x device "
                "iterations {} x accumulation {} x replicas {}); choose smaller ones",
                origin_, training_.count(), each, batch_, options_.batch.deviceIterations,
                options_.batch.gradientAccumulation, options_.replication.replicas));
        return calls;
    }

    EpochResult runEpoch(Machine& machine, ScoreWatch& watch, std::int64_t epoch) {
        const auto start = std::chrono::steady_clock::now();
        const std::int64_t each = samplesOfCall();
        const std::int64_t calls = callsOfEpoch();
        batches_.shuffle(engine_);
        watch.reset();
        LossSum loss;
        HostPort port;
        std::int64_t first = 0;
        port.input = [&](const Tensor& input, const BatchPlace& place) {
            return batches_.values(
                input, input.name == image_,
                first + indexOf(place, options_.batch, options_.replication.replicas) * batch_);
        };
        port.output = [&](const Tensor&, const BatchPlace&, const TensorData& value) {
            loss.sum += value.number(0);
            ++loss.of;
        };
        if (!watch.isEmpty())
            port.watch = [&](const Graph& graph, TensorId tensor, const BatchPlace& place,
                             const TensorData& value) {
                watch.see(graph, tensor, place.replica, value);
            };
        for (std::int64_t call = 0; call < calls; ++call) {
            first = call * each;
            setLearningRates(machine, calls);
            const ScoreCount scoresBefore = watch.count();
            const LossSum lossBefore = loss;
            recorder_->beginCall(port);
            machine.run(port);
            recorder_->endCall();
            updates_ += options_.batch.deviceIterations;
            addPoint(machine, watch.count().since(scoresBefore),
                     {loss.sum - lossBefore.sum, loss.of - lossBefore.of});
            if (progress_.step)
                progress_.step(epoch, static_cast<double>(call + 1) / static_cast<double>(calls));
        }
        EpochResult result = resultOf(epoch, watch.count(), loss, start);
        result.learningRate = machine.learningRate();
        if (options_.compute.automaticLossScaling)
            result.lossScale = machine.lossScale();
        return result;
    }

    /// Sets the rates of the schedule, which all groups follow.
    void setLearningRates(Machine& machine, std::int64_t callsOfEpoch) {
        const std::int64_t each = options_.batch.deviceIterations;
        const std::int64_t all = options_.compute.epochs * callsOfEpoch * each;
        std::vector rates(static_cast<std::size_t>(each), learningRates(options_.training));
        for (std::int64_t i = 0; i < each; ++i)
            for (double& rate : rates[static_cast<std::size_t>(i)])
                rate *= options_.compute.schedule.factor(updates_ + i, all);
        machine.setLearningRates(std::move(rates));
    }

    /// From scores where the model has a cross-entropy, else from its result.
    static double meanLoss(const ScoreCount& count, const LossSum& loss) {
        return count.of > 0 ? count.loss / static_cast<double>(count.of)
                            : loss.sum / static_cast<double>(loss.of);
    }

    static std::optional<double> accuracyOf(const ScoreCount& count) {
        if (count.of == 0)
            return std::nullopt;
        return static_cast<double>(count.right) / static_cast<double>(count.of);
    }

    void addPoint(const Machine& machine, const ScoreCount& count, const LossSum& loss) {
        if (options_.compute.values != RecordedValues::Off)
            recorder_->add(CurvePoint{updates_, meanLoss(count, loss), accuracyOf(count),
                                      machine.learningRate(), machine.lossScale()});
    }

    EpochResult resultOf(std::int64_t epoch, const ScoreCount& count, const LossSum& loss,
                         std::chrono::steady_clock::time_point start) const {
        EpochResult result;
        result.epoch = epoch;
        result.updates = updates_;
        result.loss = meanLoss(count, loss);
        result.accuracy = accuracyOf(count);
        result.seconds =
            std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
        return result;
    }

    const std::string& model_;
    const RunOptions& options_;
    const TrainingProgress& progress_;
    const std::string origin_, evalOrigin_;
    std::optional<Standard> standard_;
    const LabelledImages training_;
    const std::optional<LabelledImages> test_;
    Batches batches_;
    std::mt19937_64 engine_;
    std::int64_t batch_ = 1, updates_ = 0;
    std::string image_; ///< the input that takes the images
    std::optional<ValueRecorder> recorder_;
};

} // namespace

TrainingResult trainModel(const std::string& model, const RunOptions& options,
                          const TrainingProgress& progress) {
    return Trainer(model, options, progress).run();
}

} // namespace tilescope::sim
