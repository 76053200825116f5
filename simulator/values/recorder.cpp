#include "simulator/values/recorder.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "core/base/parallel_for.h"

namespace tilescope::sim {
namespace {

/// Samples in a profile at most: 40 MB of memory where it is read.
constexpr std::int64_t mostValueSamples = 100'000;

template <std::size_t size>
bool isOneOf(std::string_view type, const std::array<std::string_view, size>& types) {
    return std::find(types.begin(), types.end(), type) != types.end();
}

/// Intermediate results of an optimizer between a gradient and the new weight and its state.
constexpr std::array<std::string_view, 14> optimizerSteps{
    "Accumulate", "SparseAccumulate", "AccumulatorZero",     "AdamUpdater", "GradientUnscale",
    "LambRatio",  "LambScale",        "LambSquare",          "LarsDecay",   "LarsRatio",
    "LarsScale",  "LarsSquare",       "ReplicatedAllGather", "WeightDecay"};
constexpr std::array<std::string_view, 2> stateUpdates{"Accl1Update", "Accl2Update"};
constexpr std::string_view weightUpdate = "VarUpdate";

/// The kind of an operation's result; none if it is not recorded.
std::optional<ValueKind> valueKindOf(const Op& op) {
    if (op.type == weightUpdate)
        return ValueKind::Weight;
    if (isOneOf(op.type, stateUpdates))
        return ValueKind::OptimizerState;
    if (isOneOf(op.type, optimizerSteps) || isView(op.attributes) ||
        std::holds_alternative<FillAttributes>(op.attributes))
        return std::nullopt;
    const bool isCollective = std::holds_alternative<CollectiveAttributes>(op.attributes);
    if (!isCollective && !isKernel(op.attributes))
        return std::nullopt;
    if (op.pass == Pass::Update)
        return isCollective || op.type == "AccumulatorScale" ? std::optional(ValueKind::Gradient)
                                                             : std::nullopt;
    return op.pass == Pass::Backward ? ValueKind::Gradient : ValueKind::Activation;
}

bool isRectifier(const Op& op) {
    const auto* function = std::get_if<ElementwiseAttributes>(&op.attributes);
    return function != nullptr && function->function == ElementwiseFunction::Relu &&
           op.pass == Pass::Forward;
}

std::vector<std::string> namesOf(std::span<const Op* const> calls) {
    std::vector<std::string> names;
    for (const Op* call : calls)
        if (std::holds_alternative<CallAttributes>(call->attributes))
            names.push_back(call->name);
    return names;
}

/// Marks elements of a sample that are not zero in some of the samples that `values` holds.
void markAlive(std::span<const float> values, std::vector<unsigned char>& alive) {
    constexpr std::size_t together = 4096;
    const std::size_t each = alive.size();
    parallelFor((each + together - 1) / together, [&](std::size_t part) {
        const std::size_t end = std::min(each, (part + 1) * together);
        for (std::size_t first = 0; first + each <= values.size(); first += each)
            for (std::size_t i = part * together; i < end; ++i)
                alive[i] |= static_cast<unsigned char>(values[first + i] != 0);
    });
}

void countDead(const std::vector<unsigned char>& alive, ValueTensor& tensor) {
    const auto dead = [](auto first, auto end) { return std::find(first, end, 1) == end; };
    tensor.deadElements = std::count(alive.begin(), alive.end(), 0);
    const std::int64_t each = tensor.elementsOfSample / std::max<std::int64_t>(tensor.channels, 1);
    for (std::int64_t c = 0; c < tensor.channels; ++c)
        tensor.deadChannels += dead(alive.begin() + c * each, alive.begin() + (c + 1) * each);
}

} // namespace

std::vector<std::int64_t> sampledIterations(std::int64_t iterations, std::int64_t samples) {
    std::vector<std::int64_t> sampled;
    const std::int64_t count = std::min(iterations, samples);
    for (std::int64_t i = 0; i < count; ++i)
        sampled.push_back(
            1 + (count == 1 ? 0 : (i * (iterations - 1) + (count - 1) / 2) / (count - 1)));
    return sampled;
}

void addValues(Profile& profile, RunValues run) {
    std::unordered_map<std::string_view, OperationId> ids;
    for (std::size_t i = 0; i < profile.operations.size(); ++i)
        ids.emplace(profile.operations[OperationId(i)].name, OperationId(i));
    for (std::size_t i = 0; i < run.operations.size(); ++i)
        if (const auto found = ids.find(run.operations[i]); found != ids.end())
            run.values.tensors[ValueTensorId(i)].operation = found->second;
    profile.values = std::move(run.values);
}

ValueRecorder::ValueRecorder(const Graph& prepared, const BatchOptions& batch,
                             const ComputeOptions& options, std::optional<std::int64_t> iterations)
    : graph_(prepared)
    , batch_(batch) {
    if (options.values == RecordedValues::All) {
        constexpr std::int64_t least = 2;
        const auto nodes = static_cast<std::int64_t>(prepared.model.nodes.size());
        const std::int64_t most =
            std::max(least, mostValueSamples / std::max<std::int64_t>(nodes, 1));
        most_ = std::min(options.valueSamples, most);
        if (iterations)
            sampled_ = sampledIterations(*iterations, most_);
        else
            stride_ = 1;
    }
    for (const ModelNode& node : prepared.model.nodes)
        nodes_.emplace(node.name, &node);
    for (const auto& [name, place] : prepared.functionPlaces)
        places_.try_emplace({place.operation, place.calls}, name);
}

void ValueRecorder::beginCall(HostPort& port) {
    bool looks = false;
    if (stride_ > 0) {
        const std::int64_t next = 1 + (before_ + stride_ - 1) / stride_ * stride_;
        looks = next <= before_ + batch_.deviceIterations;
    } else {
        const auto first = std::upper_bound(sampled_.begin(), sampled_.end(), before_);
        looks = first != sampled_.end() && *first <= before_ + batch_.deviceIterations;
    }
    port.record = nullptr;
    if (looks)
        port.record = [this](const MadeValue& made) { see(made); };
}

bool ValueRecorder::isSampled(std::int64_t iteration) const {
    return stride_ > 0 ? (iteration - 1) % stride_ == 0
                       : std::binary_search(sampled_.begin(), sampled_.end(), iteration);
}

/// Whether an iteration is sampled. In a run of unknown length, every second sample is dropped once
/// there is one too many.
bool ValueRecorder::begin(std::int64_t iteration) {
    if (!isSampled(iteration))
        return false;
    if (stride_ == 0 || iteration == latest_)
        return true;
    latest_ = iteration;
    if (++begun_ <= most_)
        return true;
    while (begun_ > most_) {
        stride_ *= 2;
        begun_ = (iteration - 1) / stride_ + 1;
    }
    std::erase_if(values_.samples,
                  [this](const ValueSample& sample) { return !isSampled(sample.iteration); });
    return isSampled(iteration);
}

void ValueRecorder::see(const MadeValue& made) {
    const std::int64_t iteration = before_ + made.place.iteration + 1;
    if (made.place.replica != 0 || made.place.microBatch != 0 || !made.value.isReal() ||
        made.value.elements() <= 1 || !begin(iteration))
        return;
    const ValueTensorId id = seenAt(made);
    if (!id.valid())
        return;
    look(id, iteration, made.value.reals());
    if (made.inFloatSums)
        compareSums(id, made);
}

void ValueRecorder::compareSums(ValueTensorId id, const MadeValue& made) {
    const TensorData inFloat = made.inFloatSums();
    const std::span<const float> exact = inFloat.reals();
    const std::span<const float> value = made.value.reals();
    double squares = 0;
    double differences = 0;
    for (std::size_t i = 0; i < exact.size(); ++i) {
        const double difference = double{value[i]} - double{exact[i]};
        squares += double{exact[i]} * double{exact[i]};
        differences += difference * difference;
    }
    const double error = std::sqrt(differences / squares);
    if (std::isfinite(error))
        seen_[id].partialsError = std::max(seen_[id].partialsError.value_or(0), error);
}

ValueTensorId ValueRecorder::seenAt(const MadeValue& made) {
    Key key{&made.op, made.result, {made.calls.begin(), made.calls.end()}};
    if (const auto known = ids_.find(key); known != ids_.end())
        return known->second;
    ValueTensorId id;
    if (const std::optional<ValueKind> kind = valueKindOf(made.op))
        id = seen_.add(describe(made, *kind));
    ids_.emplace(std::move(key), id);
    return id;
}

const ModelNode* ValueRecorder::nodeOf(const MadeValue& made) const {
    std::string_view name = made.op.name;
    const std::vector<std::string> calls = namesOf(made.calls);
    if (const auto place = places_.find({made.op.name, calls});
        !calls.empty() && place != places_.end())
        name = place->second;
    const auto node = nodes_.find(name);
    return node == nodes_.end() ? nullptr : node->second;
}

const ModelNode* ValueRecorder::firstReader(std::string_view weight) const {
    for (const ModelNode& node : graph_.model.nodes)
        for (const ModelTensorId read : node.reads)
            if (graph_.model.tensors[read].name == weight)
                return &node;
    return nullptr;
}

void ValueRecorder::placeAtReader(Seen& weight) const {
    const ModelNode* reader = firstReader(weight.tensor.name);
    if (reader == nullptr)
        return;
    weight.tensor.place = reader->name;
    weight.tensor.stage = reader->stage;
    const auto inFunction = graph_.functionPlaces.find(reader->name);
    weight.operation =
        inFunction == graph_.functionPlaces.end() ? reader->name : inFunction->second.operation;
}

ValueRecorder::Seen ValueRecorder::describe(const MadeValue& made, ValueKind kind) const {
    const Tensor& tensor = made.graph.tensors[made.op.outputs[made.result]];
    Seen seen;
    seen.tensor = {
        tensor.name,  kind,         std::string(toString(tensor.type)), toString(tensor.shape), {},
        made.op.name, made.op.stage};
    seen.operation = made.op.name;
    if (const ModelNode* node = nodeOf(made)) {
        const auto& tensors = graph_.model.tensors;
        const bool isUpdate = kind == ValueKind::Weight || kind == ValueKind::OptimizerState;
        if (isUpdate && !node->reads.empty())
            seen.tensor.name = tensors[node->reads.front()].name;
        else if (made.result < node->writes.size())
            seen.tensor.name = tensors[node->writes[made.result]].name;
        seen.tensor.place = node->name;
        seen.tensor.stage = node->stage;
    }
    if (kind == ValueKind::Weight)
        placeAtReader(seen);
    if (isRectifier(made.op) && !tensor.shape.empty() && tensor.shape[0] > 0) {
        seen.tensor.elementsOfSample = tensor.elements() / tensor.shape[0];
        seen.tensor.channels = tensor.shape.size() > 1 ? tensor.shape[1] : 1;
        seen.alive.assign(static_cast<std::size_t>(seen.tensor.elementsOfSample), 0);
    }
    return seen;
}

void ValueRecorder::look(ValueTensorId id, std::int64_t iteration, std::span<const float> values) {
    Seen& seen = seen_[id];
    if (seen.iteration != iteration)
        finish(id);
    seen.iteration = iteration;
    if (!seen.statistics)
        seen.statistics.emplace(seen.tensor.type == toString(DataType::Half) ? DataType::Half
                                                                             : DataType::Float);
    seen.statistics->add(values);
    markAlive(values, seen.alive);
}

void ValueRecorder::finish(ValueTensorId id) {
    Seen& seen = seen_[id];
    if (seen.statistics && (stride_ == 0 || isSampled(seen.iteration))) {
        values_.samples.push_back(seen.statistics->sample(id, seen.iteration));
        values_.samples.back().partialsError = seen.partialsError;
    }
    seen.statistics.reset();
    seen.partialsError.reset();
}

void ValueRecorder::seeWeights(const Machine& machine) {
    if (sampled_.empty() && stride_ == 0)
        return;
    for (const std::string& name : machine.weights()) {
        const TensorData value = machine.weight(name);
        if (!value.isReal() || value.elements() <= 1)
            continue;
        Seen seen;
        seen.tensor = {name,
                       ValueKind::Weight,
                       std::string(toString(value.type())),
                       toString(value.shape()),
                       {},
                       name};
        placeAtReader(seen);
        look(seen_.add(std::move(seen)), 1, value.reals());
    }
}

void ValueRecorder::add(const CurvePoint& point) {
    values_.curve.push_back(point);
}

void ValueRecorder::add(const EpochPoint& point) {
    values_.epochs.push_back(point);
}

RunValues ValueRecorder::take() {
    RunValues run;
    for (std::size_t i = 0; i < seen_.size(); ++i) {
        Seen& seen = seen_[ValueTensorId(i)];
        finish(ValueTensorId(i));
        countDead(seen.alive, seen.tensor);
        values_.tensors.add(std::move(seen.tensor));
        run.operations.push_back(std::move(seen.operation));
    }
    std::sort(values_.samples.begin(), values_.samples.end(),
              [](const ValueSample& a, const ValueSample& b) {
                  return std::pair(a.tensor, a.iteration) < std::pair(b.tensor, b.iteration);
              });
    run.values = std::move(values_);
    return run;
}

} // namespace tilescope::sim
