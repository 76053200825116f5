#include "app/python/simulator/compiled_model.h"

#include <algorithm>
#include <fmt/format.h>
#include <onnx/onnx_pb.h>
#include <utility>

#include "core/base/digest.h"
#include "core/base/enum_names.h"
#include "core/base/error.h"
#include "core/options/option_table.h"
#include "simulator/frontend/import.h"
#include "simulator/frontend/onnx_types/weight_values.h"
#include "simulator/graph/model_record.h"
#include "simulator/import_model.h"
#include "simulator/message_log.h"
#include "simulator/prepare/prepare.h"
#include "simulator/report_contents.h"
#include "simulator/simulate.h"
#include "simulator/values/planned_sums.h"

namespace tilescope::python {

using sim::DataType;
using sim::Graph;
using sim::Shape;
using sim::Tensor;
using sim::TensorData;
using sim::TensorId;

namespace {

onnx::ModelProto parsed(const CompileRequest& request) {
    onnx::ModelProto model;
    if (!model.ParseFromString(request.onnx))
        throw UserError(fmt::format("{}: the exported model cannot be read", request.name));
    return model;
}

RunOptions optionsOf(const CompileRequest& request) {
    RunOptions options;
    options.compute.byProgram = request.computes;
    setRunOptions(options, request.options);
    return options;
}

/// Parameters, buffers that change and running statistics: programs do not depend on their initial
/// values, as the importer folds none of them.
std::set<std::string> changingValues(const onnx::ModelProto& model, const CompileRequest& request) {
    constexpr int firstStatistic = 3;
    std::set<std::string> names{request.parameters.begin(), request.parameters.end()};
    for (const Buffer& buffer : request.state)
        names.insert(buffer.name);
    for (const auto& node : model.graph().node())
        if (node.op_type() == "BatchNormalization" && node.domain().empty())
            for (int i = firstStatistic; i < node.input_size(); ++i)
                names.insert(node.input(i));
    return names;
}

/// Identifies a model, apart from values that change.
std::string contentOf(onnx::ModelProto model, const CompileRequest& request) {
    const std::set<std::string> changing = changingValues(model, request);
    for (auto& tensor : *model.mutable_graph()->mutable_initializer())
        if (changing.contains(tensor.name()) &&
            (tensor.data_type() == onnx::TensorProto::FLOAT ||
             tensor.data_type() == onnx::TensorProto::DOUBLE ||
             tensor.data_type() == onnx::TensorProto::FLOAT16)) {
            tensor.clear_raw_data();
            tensor.clear_float_data();
            tensor.clear_double_data();
            tensor.clear_int32_data();
        }
    for (auto& node : *model.mutable_graph()->mutable_node())
        node.clear_doc_string(); // lines of the program, see renewSources()
    return request.name + '\n' + textDigest(model.SerializeAsString());
}

Graph imported(const onnx::ModelProto& model, const CompileRequest& request,
               const RunOptions& options) {
    sim::ImportOptions import = sim::sourceOf(request.name, options.batch, options.model).import;
    import.doublesAreFloats = true;
    import.values = request.computes;
    import.parameters = {request.parameters.begin(), request.parameters.end()};
    for (const Buffer& buffer : request.state)
        import.parameters.insert(buffer.name);
    Graph graph = sim::importOnnx(model, request.name, import);
    graph.name = request.name;
    return graph;
}

std::string severityName(Severity severity) {
    return severity == Severity::Error     ? "error"
           : severity == Severity::Warning ? "warning"
                                           : "info";
}

CompiledFigures figuresOf(const Profile& profile) {
    const ProfileInfo& info = profile.info;
    CompiledFigures figures;
    figures.fits = info.fits;
    figures.cycles = info.cycles;
    figures.seconds = info.seconds();
    figures.callSeconds = info.callSeconds();
    figures.throughput = info.throughput;
    figures.ipus = info.target.ipus * info.replicas;
    for (const Message& message : profile.messages)
        figures.messages.emplace_back(severityName(message.severity), message.text,
                                      message.operation.valid() ? sim::logLine(profile, message)
                                                                : "");
    return figures;
}

/// The graph's name for an output; an output behind an Identity has the name of its operand.
std::string nameInGraph(const onnx::ModelProto& model, const Graph& graph,
                        const std::string& output) {
    const auto& outputs = model.graph().output();
    for (int i = 0; i < outputs.size(); ++i)
        if (outputs.Get(i).name() == output)
            return graph.tensors[graph.outputs.at(static_cast<std::size_t>(i))].name;
    return output;
}

/// All weights of the graph except those trained.
std::vector<std::string> frozenWeights(const onnx::ModelProto& model, const Graph& graph,
                                       const std::set<std::string>& trained) {
    std::set<std::string> changing;
    for (const auto& [name, weight] : storedWeights(model, graph))
        if (trained.contains(name))
            changing.insert(weight.name);
    std::vector<std::string> frozen;
    for (const Tensor& tensor : graph.tensors)
        if (tensor.role == sim::TensorRole::Weight && sim::isFloating(tensor.type) &&
            !changing.contains(tensor.name))
            frozen.push_back(tensor.name);
    return frozen;
}

/// Renames the weights of groups to their names in the graph, and drops those not in it.
void nameInGraph(const onnx::ModelProto& model, const Graph& graph,
                 std::vector<ParameterGroup>& groups) {
    const auto stored = storedWeights(model, graph);
    for (ParameterGroup& group : groups) {
        std::set<std::string> names;
        for (const std::string& name : group.weights)
            if (const auto found = stored.find(name); found != stored.end())
                names.insert(found->second.name);
        group.weights.assign(names.begin(), names.end());
    }
}

} // namespace

CompiledModel::CompiledModel(CompileRequest request, const CompileProgress& progress) {
    onnx::ModelProto model = parsed(request);
    request.onnx.clear();
    placeBlocks(model, request.blocks);
    applyNotes(model);
    for (auto& output : *model.mutable_graph()->mutable_output()) // inferred again in any case
        output.mutable_type()->mutable_tensor_type()->mutable_shape();
    for (const auto& tensor : model.graph().initializer())
        initialisers_.push_back(tensor.name());
    markBatchNormalizations(model);
    updateState(model, request.state);
    if (request.losses)
        figures_.loss = lossOf(model, *request.losses);
    options_ = optionsOf(request);
    validate(options_);
    imported_ = imported(model, request, options_);
    addNotes(imported_.source, request.source);
    if (request.losses)
        options_.training.lossOutput = figures_.loss = nameInGraph(model, imported_, figures_.loss);
    if (request.trained)
        options_.training.frozen = frozenWeights(model, imported_, *request.trained);
    nameInGraph(model, imported_, options_.training.parameterGroups);
    weights_ = storedWeights(model, imported_);
    findAnchors(request.anchors);
    compile(options_.engine.executableCache.empty() ? std::string() : contentOf(model, request),
            request, progress);
    if (!figures_.fits || !request.computes)
        return;
    // A function's tensors have other names than the model's.
    options_.outline.enabled = options_.outline.enabled && anchors_.empty();
    prepared_ = sim::preparedGraph(imported_, options_);
    for (std::size_t i = 0; i < prepared_.tensors.size(); ++i)
        if (const Tensor& tensor = prepared_.tensors[TensorId(i)];
            tensor.role == sim::TensorRole::Weight)
            tensors_.emplace(tensor.name, TensorId(i));
    std::erase_if(weights_,
                  [&](const auto& weight) { return !tensors_.contains(weight.second.name); });
    machine_ = std::make_unique<sim::Machine>(
        prepared_, options_, static_cast<std::uint64_t>(options_.compute.seed),
        sim::plannedSums(prepared_, options_.machine, options_.planning));
    if (request.values != RecordedValues::Off && !figures_.profile.empty())
        startRecording(request);
}

void CompiledModel::compile(const std::string& content, const CompileRequest& request,
                            const CompileProgress& progress) {
    Profile profile = sim::simulate(imported_, content, options_, progress);
    if (!content.empty() && !imported_.source.frames.empty())
        sim::renewSources(profile, sim::preparedGraph(imported_, options_));
    const std::string loss = figures_.loss;
    figures_ = figuresOf(profile);
    figures_.loss = loss;
    if (!request.profile.empty() && sim::wantsProfile(options_.engine) &&
        (profile.info.fits || sim::allowsOutOfMemory(options_.engine))) {
        sim::writeWantedPart(profile, options_.engine, request.profile);
        figures_.profile = request.profile;
    }
    if (!profile.info.fits)
        figures_.failure = sim::failureText(profile, options_.engine, figures_.profile);
}

std::vector<TensorInfo> CompiledModel::infos(const std::vector<TensorId>& ids) const {
    std::vector<TensorInfo> list;
    for (const TensorId id : ids) {
        const Tensor& tensor = prepared_.tensors[id];
        list.push_back({tensor.name, tensor.shape, tensor.type});
    }
    return list;
}

std::vector<TensorInfo> CompiledModel::inputs() const {
    return infos(prepared_.inputs);
}

std::vector<TensorInfo> CompiledModel::outputs() const {
    return infos(prepared_.outputs);
}

std::int64_t CompiledModel::microBatches() const {
    return options_.batch.microBatchesOfCall() * options_.replication.replicas;
}

std::vector<std::vector<TensorData>>
CompiledModel::run(const std::map<std::string, InputElements>& inputs,
                   std::span<const std::int64_t> wanted,
                   const std::map<std::string, std::vector<std::int64_t>>& anchored) {
    for (const TensorInfo& info : this->inputs()) {
        const auto given = inputs.find(info.name);
        const auto needed = static_cast<std::size_t>(sim::elementsOf(info.shape) * microBatches());
        if (given == inputs.end())
            throw UserError(fmt::format("input '{}' has no value", info.name));
        const std::size_t has =
            sim::isFloating(info.type) ? given->second.reals.size() : given->second.ints.size();
        if (has != needed)
            throw UserError(
                fmt::format("input '{}' has {} elements; {} micro-batches of shape {} take {}",
                            info.name, has, microBatches(), sim::toString(info.shape), needed));
    }
    std::vector<std::ptrdiff_t> placeOf(static_cast<std::size_t>(microBatches()), -1);
    for (std::size_t i = 0; i < wanted.size(); ++i)
        placeOf.at(static_cast<std::size_t>(wanted[i])) = static_cast<std::ptrdiff_t>(i);
    std::multimap<std::string_view, std::size_t> outputs; // several may be the same tensor
    for (std::size_t i = 0; i < prepared_.outputs.size(); ++i)
        outputs.emplace(prepared_.tensors[prepared_.outputs[i]].name, i);
    std::vector<std::vector<TensorData>> results(prepared_.outputs.size(),
                                                 std::vector<TensorData>(wanted.size()));
    sim::HostPort port;
    port.input = [&](const Tensor& input, const sim::BatchPlace& place) {
        return microBatchOf(input, inputs.at(input.name),
                            sim::indexOf(place, options_.batch, options_.replication.replicas));
    };
    port.output = [&](const Tensor& output, const sim::BatchPlace& place, const TensorData& value) {
        const auto at = placeOf[static_cast<std::size_t>(
            sim::indexOf(place, options_.batch, options_.replication.replicas))];
        if (at < 0)
            return;
        const auto [first, last] = outputs.equal_range(output.name);
        for (auto i = first; i != last; ++i)
            results[i->second][static_cast<std::size_t>(at)] = value.copy();
    };
    watchAnchors(port, anchored);
    LossSum loss;
    if (recorder_)
        recordCall(port, loss);
    else
        machine().run(port);
    for (std::size_t i = 0; i < results.size(); ++i)
        for (const TensorData& value : results[i])
            if (value.isEmpty())
                throw InternalError(fmt::format("output '{}' was not sent for all micro-batches",
                                                prepared_.tensors[prepared_.outputs[i]].name));
    return results;
}

sim::Machine& CompiledModel::machine() const {
    if (!machine_)
        throw UserError("the model was compiled without values, or does not fit the machine; it "
                        "cannot run");
    return *machine_;
}

const StoredWeight& CompiledModel::stored(const std::string& name) const {
    const auto found = weights_.find(name);
    if (found == weights_.end())
        throw UserError(fmt::format("the compiled model has no weight '{}'", name));
    return found->second;
}

std::vector<std::string> CompiledModel::weights() const {
    std::vector<std::string> names;
    for (const auto& [name, weight] : weights_)
        names.push_back(name);
    return names;
}

TensorData CompiledModel::weight(const std::string& name) const {
    const StoredWeight& where = stored(name);
    return asInModel(machine().weight(where.name), where);
}

void CompiledModel::setWeight(const std::string& name, const TensorData& value) {
    const StoredWeight& where = stored(name);
    if (value.elements() != sim::elementsOf(where.shape))
        throw UserError(fmt::format("weight '{}' has shape {}, not {}", name,
                                    sim::toString(where.shape), sim::toString(value.shape())));
    machine().setWeight(where.name, asInGraph(value.reshaped(where.shape), where,
                                              prepared_.tensors[tensors_.at(where.name)]));
}

void CompiledModel::setLearningRates(std::vector<std::vector<double>> rates) {
    const std::size_t wanted = learningRates(options_.training).size();
    if (rates.empty())
        throw UserError("no learning rates are given");
    for (const std::vector<double>& ofIteration : rates)
        if (ofIteration.size() != wanted)
            throw UserError(
                fmt::format("the model has {} learning rates, not {}", wanted, ofIteration.size()));
    machine().setLearningRates(std::move(rates));
}

} // namespace tilescope::python
