#include "simulator/compute/machine.h"

#include <algorithm>
#include <fmt/format.h>
#include <utility>

#include "core/base/error.h"

namespace tilescope::sim {
namespace {

/// A RemoteLoad of each row, by the tensor that it brings.
template <class Visit> void eachRemoteLoad(const Graph& graph, const Visit& visit) {
    for (const Op& op : graph.ops)
        if (const auto* load = std::get_if<RemoteLoadAttributes>(&op.attributes))
            visit(graph.tensors[op.outputs[0]], *load);
}

} // namespace

std::int64_t indexOf(const BatchPlace& place, const BatchOptions& batch, std::int32_t replicas) {
    return (place.iteration * replicas + place.replica) * batch.microBatchesOfUpdate() +
           place.microBatch;
}

Machine::Machine(const Graph& prepared, ComputingOptions options, std::uint64_t seed,
                 PartialSumsTable partials)
    : graph_(prepared)
    , options_(std::move(options))
    , seed_(seed)
    , plan_(planStep(
          prepared, executionSchedule(prepared, options_.batch, options_.execution, options_.host)))
    , partials_(std::move(partials))
    , top_{&graph_, {}}
    , learningRates_{learningRates(options_.training)}
    , lossScale_(prepared, options_.training, options_.compute.automaticLossScaling) {
    context_.rounding = {options_.compute.stochasticRounding,
                         options_.compute.fpExceptions.nanOnOverflow};
    context_.exceptions = options_.compute.fpExceptions;
    start();
}

void Machine::start() {
    const auto replicas = static_cast<std::size_t>(options_.replication.replicas);
    top_.values.assign(replicas, Values(graph_.tensors.size()));
    waiting_.resize(replicas);
    fifos_.resize(replicas);
    remote_.resize(replicas);
    for (std::size_t i = 0; i < graph_.tensors.size(); ++i) {
        const Tensor& tensor = graph_.tensors[TensorId(i)];
        if (tensor.role != TensorRole::Weight && tensor.role != TensorRole::Constant)
            continue;
        const TensorData value = initialValue(tensor);
        const bool isFixed = tensor.role == TensorRole::Constant;
        for (Values& values : top_.values)
            values[TensorId(i)] = isFixed ? value : value.copy();
        if (!options_.batch.isTraining())
            for (const Values& values : top_.values)
                context_.keep(values[TensorId(i)]);
    }
    eachRemoteLoad(graph_, [&](const Tensor& landing, const RemoteLoadAttributes& load) {
        startRemote(landing, load);
    });
}

void Machine::startRemote(const Tensor& landing, const RemoteLoadAttributes& load) {
    const RowKey row{load.buffer, load.row};
    if (remote_.front().contains(row))
        return;
    (landing.state == StateKind::None ? remoteWeights_ : remoteStates_)
        .try_emplace(landing.name, row);
    const TensorData value = initialValue(landing);
    for (auto& rows : remote_)
        rows[row] = value.copy();
}

TensorData Machine::initialValue(const Tensor& tensor) const {
    if (tensor.value)
        return lossScale_.constant(tensor);
    if (tensor.state != StateKind::None)
        return TensorData::filled(tensor.type, tensor.shape, 0);
    throw UserError(fmt::format("{}: {} '{}' of shape {} has no value; give the file with its "
                                "data, or leave --compute out",
                                graph_.name,
                                tensor.role == TensorRole::Constant ? "constant" : "weight",
                                tensor.name, toString(tensor.shape)));
}

void Machine::run(const HostPort& port) {
    port_ = &port;
    for (iteration_ = 0; iteration_ < plan_.schedule.iterations; ++iteration_) {
        executed_.assign(plan_.sections.size(), 0);
        for (auto* held : {&waiting_, &fifos_})
            for (auto& rows : *held)
                rows.clear();
        for (const SchedulePart& part : plan_.schedule.parts)
            for (std::int64_t i = 0; i < part.repeats; ++i)
                for (const ScheduleSlot& slot : part.slotList)
                    runSlot(slot);
        if (plan_.schedule.update.valid())
            runSection(plan_.schedule.update);
        endIteration();
    }
    port_ = nullptr;
    ++calls_;
}

void Machine::runSlot(const ScheduleSlot& slot) {
    for (const SectionId id : slot.first)
        bindInputs(id);
    for (const SectionId id : slot.first)
        runSection(id);
    for (const SectionId id : slot.first) {
        sendOutputs(id);
        ++executed_[id.index()];
    }
    for (const SectionId id : slot.then)
        runSection(id);
}

/// A backward program draws the random numbers of its own micro-batch, which is an older one.
void Machine::runSection(SectionId id) {
    switch (plan_.schedule.sections[id].kind) {
    case ScheduleSection::Kind::Copies:
        return copyBetweenIpus(plan_.sections[id]);
    case ScheduleSection::Kind::Program:
        return runOps(top_, plan_.sections[id], executed_[id.index()]);
    case ScheduleSection::Kind::Fifos:
    case ScheduleSection::Kind::Update:
        return runOps(top_, plan_.sections[id], 0);
    }
}

/// All sources are read before any target is written.
void Machine::copyBetweenIpus(const Section& copies) {
    for (Values& values : top_.values) {
        std::vector<TensorData> sent;
        for (const PlannedOp& copy : copies)
            sent.push_back(values[graph_.ops[copy.op].inputs[0]]);
        for (std::size_t i = 0; i < copies.size(); ++i)
            values[graph_.ops[copies[i].op].outputs[0]] = std::move(sent[i]);
    }
}

/// In a pipeline in inference each micro-batch is a device iteration.
BatchPlace Machine::placeOf(std::size_t replica, std::int64_t microBatch) const {
    const auto r = static_cast<std::int64_t>(replica);
    if (plan_.schedule.pipeline && !plan_.schedule.pipeline->training)
        return {microBatch, r, 0};
    return {iteration_, r, microBatch};
}

void Machine::bindInputs(SectionId program) {
    for (std::size_t i = 0; i < graph_.inputs.size(); ++i) {
        if (plan_.schedule.inputs[i] != program)
            continue;
        const Tensor& tensor = graph_.tensors[graph_.inputs[i]];
        for (std::size_t r = 0; r < top_.values.size(); ++r) {
            TensorData value = port_->input(tensor, placeOf(r, executed_[program.index()]));
            if (value.type() != tensor.type || value.shape() != tensor.shape)
                throw InternalError(
                    fmt::format("input '{}' got values of the wrong shape or type", tensor.name));
            top_.values[r][graph_.inputs[i]] = std::move(value);
        }
    }
}

void Machine::sendOutputs(SectionId program) {
    if (!port_->output)
        return;
    for (std::size_t i = 0; i < graph_.outputs.size(); ++i) {
        if (plan_.schedule.outputs[i] != program)
            continue;
        for (std::size_t r = 0; r < top_.values.size(); ++r)
            port_->output(graph_.tensors[graph_.outputs[i]], placeOf(r, executed_[program.index()]),
                          top_.values[r][graph_.outputs[i]]);
    }
}

/// A new scale takes effect with the next iteration's losses.
void Machine::endIteration() {
    if (!lossScale_.update())
        return;
    for (std::size_t i = 0; i < graph_.tensors.size(); ++i) {
        const Tensor& tensor = graph_.tensors[TensorId(i)];
        if (tensor.role == TensorRole::Constant && LossScale::dependsOn(tensor))
            for (Values& values : top_.values)
                values[TensorId(i)] = initialValue(tensor);
    }
}

void Machine::runOps(Frame& frame, const Section& section, std::int64_t microBatch) {
    for (const PlannedOp& planned : section) {
        runOp(frame, planned, microBatch);
        for (Values& values : frame.values)
            for (const TensorId id : planned.last)
                values[id] = {};
    }
}

const PartialSums* Machine::partialsOf(const Frame& frame, const Op& op) const {
    if (partials_.empty() || !isPlanned(op.attributes))
        return nullptr;
    const OpId id(static_cast<std::size_t>(&op - &frame.graph->ops[OpId(0)]));
    const auto found = partials_.find({frame.function, id});
    return found == partials_.end() ? nullptr : &found->second;
}

void Machine::runOp(Frame& frame, const PlannedOp& planned, std::int64_t microBatch) {
    const Op& op = frame.graph->ops[planned.op];
    ++executions_;
    const auto replicas = static_cast<std::int64_t>(frame.values.size());
    if (const auto* collective = std::get_if<CollectiveAttributes>(&op.attributes)) {
        runCollective(frame, op, *collective);
    } else if (std::holds_alternative<CallAttributes>(op.attributes)) {
        runCall(frame, op, microBatch);
    } else if (const auto* loop = std::get_if<LoopAttributes>(&op.attributes)) {
        runLoop(frame, op, *loop, microBatch);
    } else if (isKernel(op.attributes)) {
        const std::vector<std::int32_t> streams = streamsOf(frame, op);
        for (std::int64_t r = 0; r < replicas; ++r)
            runKernelOn(frame, planned,
                        {seed_, calls_ * options_.batch.deviceIterations + iteration_, microBatch,
                         r, streams.empty() ? 0 : streams.front(), executions_});
    } else {
        for (std::int64_t r = 0; r < replicas; ++r)
            runMovement(frame, op, r);
    }
    if (port_ != nullptr && (port_->watch || port_->record))
        for (std::int64_t r = 0; r < replicas; ++r)
            watch(frame, op, r, microBatch);
}

void Machine::watch(const Frame& frame, const Op& op, std::int64_t replica,
                    std::int64_t microBatch) {
    const Values& values = frame.values[static_cast<std::size_t>(replica)];
    const BatchPlace place = placeOf(static_cast<std::size_t>(replica), microBatch);
    for (std::size_t i = 0; i < op.outputs.size(); ++i) {
        const TensorData& value = values[op.outputs[i]];
        if (value.isEmpty())
            continue;
        if (port_->watch)
            port_->watch(*frame.graph, op.outputs[i], place, value);
        if (port_->record)
            port_->record(
                {*frame.graph, op, i, place, frame.calls, value, inFloatSums(frame, op, place, i)});
    }
}

std::function<TensorData()> Machine::inFloatSums(const Frame& frame, const Op& op,
                                                 const BatchPlace& place, std::size_t result) {
    if (partialsOf(frame, op) == nullptr)
        return {};
    return [this, &frame, &op, place, result] {
        const Values& values = frame.values[static_cast<std::size_t>(place.replica)];
        KernelCall call{*frame.graph, op, context_, {}, {}};
        call.place.replica = place.replica;
        for (const TensorId in : op.inputs)
            call.inputs.push_back(values[in]);
        call.outputs.resize(op.outputs.size());
        runKernel(call);
        return call.outputs[result];
    };
}

/// An operation of a function takes as many streams as it has from those of the call.
std::vector<std::int32_t> Machine::streamsOf(Frame& frame, const Op& op) {
    if (op.randomStreams.empty() || frame.streams.empty())
        return op.randomStreams;
    const auto first = frame.streams.begin() + static_cast<std::ptrdiff_t>(frame.nextStream);
    frame.nextStream += op.randomStreams.size();
    return {first, first + static_cast<std::ptrdiff_t>(op.randomStreams.size())};
}

void Machine::setLearningRates(std::vector<std::vector<double>> rates) {
    if (rates.empty())
        throw InternalError("updates without learning rates");
    learningRates_ = std::move(rates);
}

const std::vector<double>& Machine::presentRates() const {
    return learningRates_[std::min(static_cast<std::size_t>(iteration_),
                                   learningRates_.size() - 1)];
}

void Machine::runKernelOn(Frame& frame, const PlannedOp& planned, const ComputePlace& place) {
    const Op& op = frame.graph->ops[planned.op];
    Values& values = frame.values[static_cast<std::size_t>(place.replica)];
    const std::optional<Op> adjusted = lossScale_.adjusted(op);
    const auto* function = std::get_if<ElementwiseAttributes>(&op.attributes);
    const double rate =
        presentRates().at(function == nullptr ? 0 : static_cast<std::size_t>(function->rate));
    KernelCall call{*frame.graph, adjusted ? *adjusted : op, context_, {}, {}, place,
                    rate,         partialsOf(frame, op)};
    for (const TensorId in : op.inputs) {
        if (values[in].isEmpty())
            throw InternalError(fmt::format("{} reads '{}' before it is made", op.name,
                                            frame.graph->tensors[in].name));
        call.inputs.push_back(values[in]);
    }
    // The kernel has them alone and may overwrite them; a record reads them once more.
    if (port_ == nullptr || !port_->record)
        for (const TensorId id : planned.last)
            values[id] = {};
    call.outputs.resize(op.outputs.size());
    runKernel(call);
    lossScale_.see(op, call.outputs);
    for (std::size_t i = 0; i < op.outputs.size(); ++i)
        values[op.outputs[i]] = std::move(call.outputs[i]);
}

} // namespace tilescope::sim
