#include "tests/support/sample_profile.h"

#include "core/profile/host.h"
#include "tests/support/sample_memory.h"
#include "tests/support/sample_trace.h"
#include "tests/support/sample_values.h"

namespace tilescope::test {
namespace {

class Builder {
public:
    explicit Builder(const SampleOptions& options)
        : options_(options)
        , tiles_(options.tilesPerIpu) {}

    Profile build() {
        describe();
        addOperations();
        addFunction();
        addWeightsProgram();
        addMainProgram();
        if (options_.withGraph)
            addModelGraph();
        numberSteps();
        addTensors();
        addCodeAndState();
        placeVariables(p_);
        addMessages();
        countGraph();
        if (p_.info.fits)
            traceExecution(p_);
        addHost();
        if (options_.withRecord)
            p_.hostRecord = sampleRecord();
        if (options_.withValues)
            p_.values = sampleValues(options_.changed);
        return std::move(p_);
    }

private:
    /// The same runs on every IPU.
    [[nodiscard]] TileSeries onEachIpu(const TileSeries& one) const {
        TileSeries all;
        for (std::int32_t ipu = 0; ipu < options_.ipus; ++ipu)
            for (const TileRun& run : one.runs())
                all.append(ipu * tiles_ + run.first, ipu * tiles_ + run.end, run.value);
        return all;
    }
    [[nodiscard]] TileSeries tiles(std::int32_t first, std::int32_t count,
                                   std::int64_t value) const {
        return onEachIpu(TileSeries(TileId(first), count, value));
    }
    [[nodiscard]] TileSeries everyTile(std::int64_t value) const { return tiles(0, tiles_, value); }

    void describe() {
        ProfileInfo& info = p_.info;
        info.creator = "TileScope 0.1.0";
        info.createdAt = "2024-05-01T12:00:00Z";
        info.model = options_.changed ? "sample-changed" : "sample";
        info.mode = "inference";
        info.target = targetPreset("mk2");
        info.target.ipus = options_.ipus;
        info.target.tilesPerIpu = tiles_;
        info.batchSize = options_.changed ? 2 : 1;
        info.deviceIterations = options_.repeats;
        info.options = {{"target", "mk2"}, {"availableMemoryProportion", "0.6"}};
        info.engineOptions = {{"debug.allowOutOfMemory", "true"}};
        info.timings = {{"import", 0.01}, {"lower", 0.02}};
        info.fits = !options_.tooLarge;
    }

    void addOperations() {
        const auto add = [&](std::string name, std::string type, double flops, std::string shape) {
            return p_.operations.add(
                {std::move(name), std::move(type), flops, std::move(shape), "", ""});
        };
        conv1_ = add("conv1", "Conv", 236027904, "[1,64,112,112]");
        p_.operations[conv1_].plan = R"({"method":"amp","partialsType":"float"})";
        p_.operations[conv1_].options = R"({"availableMemoryProportion":0.6})";
        relu1_ = add("relu1", "Relu", 802816, "[1,64,112,112]");
        layer1_ = add("layer1/conv", "Conv", 231211008, "[1,64,56,56]");
        prob_ = add("prob", "Softmax", 5000, "[1,1000]");
        if (options_.changed)
            extra_ = add("layer2/conv", "Conv", 115605504, "[1,128,28,28]");
    }

    ProgramId program(ProgramKind kind, std::string name, ProgramId parent,
                      OperationId operation = {}) {
        Program program;
        program.kind = kind;
        program.name = std::move(name);
        program.parent = parent;
        program.operation = operation;
        if (!isControl(kind))
            program.controlCode = everyTile(8);
        const ProgramId id = p_.programs.add(std::move(program));
        if (parent.valid())
            p_.programs[parent].children.push_back(id);
        return id;
    }

    /// An exchange in which every tile receives `bytes` and as many are sent by the first half.
    ProgramId exchange(const std::string& name, ProgramId parent, OperationId operation,
                       std::int64_t bytes, std::int64_t runBytes,
                       ProgramKind kind = ProgramKind::DoExchange) {
        Exchange e;
        e.name = name;
        e.operation = operation;
        e.bytesReceived = everyTile(bytes);
        e.bytesSent = tiles(0, tiles_ / 2, 2 * bytes);
        if (kind == ProgramKind::DoExchange)
            e.codeBytes = everyTile(runBytes < 8 ? 640 : 160);
        e.cycles = everyTile(bytes / 4);
        e.runBytes = runBytes;
        const ProgramId id = program(kind, name, parent, operation);
        p_.programs[id].exchange = p_.exchanges.add(std::move(e));
        return id;
    }

    ProgramId compute(const std::string& name, ProgramId parent, OperationId operation,
                      VertexTypeId type, const TileSeries& cycles, std::int64_t verticesPerTile,
                      std::int64_t stateBytes) {
        ComputeSet set;
        set.name = name;
        set.operation = operation;
        set.cycles = cycles;
        VertexInstances instances;
        instances.type = type;
        instances.edgesPerVertex = 3;
        for (const TileRun& run : cycles.runs()) {
            instances.count.append(run.first, run.end, verticesPerTile);
            instances.stateBytes.append(run.first, run.end, verticesPerTile * stateBytes);
        }
        set.vertices.push_back(std::move(instances));
        VertexType& vertex = p_.vertexTypes[type];
        vertex.codeBytes = TileSeries::maxOf(
            vertex.codeBytes, set.vertices[0].count.empty() ? TileSeries() : codeOn(cycles, type));
        const ProgramId id = program(ProgramKind::OnTileExecute, name, parent, operation);
        p_.programs[id].computeSet = p_.computeSets.add(std::move(set));
        return id;
    }

    [[nodiscard]] TileSeries codeOn(const TileSeries& used, VertexTypeId type) const {
        TileSeries code;
        for (const TileRun& run : used.runs())
            code.append(run.first, run.end, 256 + 128 * type.value());
        return code;
    }

    VertexTypeId vertexType(std::string name) { return p_.vertexTypes.add({std::move(name), {}}); }

    void addFunction() {
        convVertex_ = vertexType("poplin::ConvPartial1x1Out<half,float,true,false,16,4,false>");
        reduceVertex_ = vertexType("popops::ReducePartialsEqualSize<popops::ReduceAdd,half,float>");
        reluVertex_ = vertexType("popnn::NonLinearity1DInPlace<half,RELU>");
        softmaxVertex_ = vertexType("popops::UnaryOp1DInPlace<EXPONENT,half>");
        function_ = program(ProgramKind::Sequence, "layer1", {}, layer1_);
        p_.functions.push_back(function_);
        exchange("layer1/conv/ExchangePre", function_, layer1_, 2048, 64);
        compute("layer1/conv/Convolve", function_, layer1_, convVertex_, everyTile(4000), 6, 24);
        exchange("layer1/conv/Reduce0/ExchangePre", function_, layer1_, 512, 8);
        compute("layer1/conv/Reduce0", function_, layer1_, reduceVertex_,
                tiles(0, std::min(256, tiles_), 900), 6, 16);
    }

    void streamCopy(const std::string& name, ProgramId parent, StreamId stream) {
        for (const ProgramKind kind :
             {ProgramKind::StreamCopyBegin, ProgramKind::StreamCopyMid, ProgramKind::StreamCopyEnd})
            p_.programs[program(kind, name, parent)].stream = stream;
    }

    void addWeightsProgram() {
        const StreamId weights =
            p_.streams.add({"h2d_weights", true, tiles(0, 64, sample::conv1WeightBytes)});
        const ProgramId root = program(ProgramKind::Sequence, "weightsFromHost", {});
        p_.controlPrograms.push_back(root);
        streamCopy("copyFromHost/h2d_weights", root, weights);
    }

    void addMainProgram() {
        const StreamId input =
            p_.streams.add({"h2d_input_0", true, tiles(0, tiles_ / 2, sample::inputBytes)});
        const StreamId output = p_.streams.add({"anchor_d2h_prob_0", false, tiles(0, 16, 128)});
        const ProgramId root = program(ProgramKind::Sequence, "main", {});
        p_.controlPrograms.push_back(root);
        const ProgramId repeat = program(ProgramKind::Repeat, "deviceIterations", root);
        p_.programs[repeat].count = options_.repeats;
        const ProgramId loop = program(ProgramKind::Sequence, "batch", repeat);
        streamCopy("copyFromHost/h2d_input_0", loop, input);
        exchange("conv1/PreArrange-0/ExchangePre", loop, conv1_, 4096, 2);
        if (options_.withCopy)
            addCopy(loop);
        TileSeries convCycles = tiles(0, tiles_ / 2, sample::convCycles);
        convCycles += tiles(tiles_ / 2, tiles_ - tiles_ / 2, sample::convCycles / 4);
        compute("conv1/Convolve", loop, conv1_, convVertex_, convCycles, 12, 24);
        compute("relu1/Op/NonLinearity", loop, relu1_, reluVertex_, everyTile(1500), 6, 8);
        for (int call = 0; call < 2; ++call)
            p_.programs[program(ProgramKind::Call, "layer1", loop, layer1_)].target = function_;
        if (options_.changed)
            compute("layer2/conv/Convolve", loop, extra_, convVertex_, everyTile(2500), 6, 24);
        if (options_.ipus > 1)
            exchange("prob/GlobalPre", loop, prob_, 1024, 64, ProgramKind::GlobalExchange);
        compute("prob/SoftMax", loop, prob_, softmaxVertex_, tiles(0, 16, 700), 1, 12);
        streamCopy("copyToHost/anchor_d2h_prob_0", loop, output);
    }

    ModelTensorId tensor(std::string name, std::string shape, std::int64_t bytes,
                         TensorSource source = TensorSource::Operation) {
        return p_.modelGraph.tensors.add(
            {std::move(name), "half", std::move(shape), bytes, source, false});
    }

    /// Adds an operation that makes a tensor of its output's shape.
    ModelTensorId node(std::string name, OperationId operation, std::vector<ModelTensorId> reads,
                       std::int64_t bytes) {
        const Operation& op = p_.operations[operation];
        const ModelTensorId made = tensor(name + "/out", op.outputShape, bytes);
        p_.modelGraph.nodes.add({std::move(name),
                                 op.type,
                                 operation,
                                 ModelPhase::Forward,
                                 0,
                                 std::move(reads),
                                 {made}});
        return made;
    }

    void addModelGraph() {
        const ModelTensorId input = tensor("input", "[1,3,224,224]", 301056, TensorSource::Input);
        const ModelTensorId weights =
            tensor("conv1/weights", "[64,3,7,7]", 18816, TensorSource::Weight);
        const ModelTensorId conv1 = node("conv1", conv1_, {input, weights}, 1605632);
        const ModelTensorId relu = node("relu1", relu1_, {conv1}, 1605632);
        const ModelTensorId first = node("layer1/conv", layer1_, {relu}, 401408);
        ModelTensorId last = node("layer1/again/conv", layer1_, {first, relu}, 401408);
        if (options_.changed)
            last = node("layer2/conv", extra_, {last}, 200704);
        const ModelTensorId result = node("prob", prob_, {last}, 2000);
        p_.modelGraph.tensors[result].isOutput = true;
    }

    /// The operand of conv1 is put in order after its exchange.
    void addCopy(ProgramId parent) {
        const VertexTypeId vertex = vertexType("poplar_rt::StridedCopyDA32");
        Copy copy;
        copy.exchange = ExchangeId(p_.exchanges.size() - 1);
        copy.program = compute("conv1/PreArrange-0", parent, conv1_, vertex,
                               tiles(0, tiles_ / 2, sample::copyCycles), 6, 20);
        copy.computeSet = p_.programs[copy.program].computeSet;
        copy.cause = CopyCause::Plan;
        copy.shape = "[1,3,224,224]";
        copy.sourceOrder = "[C][HW]";
        copy.wantedOrder = "[HW][C]";
        copy.runElements = 1;
        copy.runBytes = 2;
        copy.strided = true;
        p_.copies.add(std::move(copy));
    }

    void numberSteps() {
        const auto walk = [&](auto&& self, ProgramId id) -> void {
            if (!isControl(p_.programs[id].kind))
                p_.steps.add(id);
            for (const ProgramId child : p_.programs[id].children)
                self(self, child);
        };
        for (const ProgramId root : p_.controlPrograms)
            walk(walk, root);
        firstFunctionStep_ = static_cast<std::int32_t>(p_.steps.size());
        for (const ProgramId root : p_.functions)
            walk(walk, root);
    }

    [[nodiscard]] std::int32_t stepOf(std::string_view name, ProgramKind kind) const {
        for (std::size_t i = 0; i < p_.steps.size(); ++i) {
            const Program& program = p_.programs[p_.steps[StepId(i)]];
            if (program.name == name && program.kind == kind)
                return static_cast<std::int32_t>(i);
        }
        return -1;
    }

    VariableId variable(std::string name, OperationId operation, std::string shape,
                        TileSeries bytes, LivenessClassId liveness = {}) {
        Variable v;
        v.name = std::move(name);
        v.operation = operation;
        v.alwaysLive = !liveness.valid();
        v.liveness = liveness;
        v.type = "half";
        v.shape = std::move(shape);
        v.bytes = std::move(bytes);
        return p_.variables.add(std::move(v));
    }

    LivenessClassId live(std::vector<std::pair<std::int32_t, std::int32_t>> intervals) {
        LivenessClass c;
        for (const auto& [first, end] : intervals)
            c.intervals.push_back({StepId(first), StepId(end)});
        return p_.livenessClasses.add(std::move(c));
    }

    /// A program reads and writes variables.
    void uses(std::int32_t step, std::vector<VariableId> read, std::vector<VariableId> written) {
        Program& program = p_.programs[p_.steps[StepId(step)]];
        program.variablesRead = std::move(read);
        program.variablesWritten = std::move(written);
    }

    void addTensors() {
        const std::int32_t inputStep =
            stepOf("copyFromHost/h2d_input_0", ProgramKind::StreamCopyMid);
        // What follows counts from the last step before the convolution.
        const std::int32_t arrange =
            options_.withCopy ? stepOf("conv1/PreArrange-0", ProgramKind::OnTileExecute)
                              : stepOf("conv1/PreArrange-0/ExchangePre", ProgramKind::DoExchange);
        const std::int32_t prob = stepOf("prob/SoftMax", ProgramKind::OnTileExecute);
        const std::int32_t out = stepOf("copyToHost/anchor_d2h_prob_0", ProgramKind::StreamCopyMid);
        const std::int32_t function = firstFunctionStep_;
        const LivenessClassId inputLive = live({{inputStep, arrange + 2}});
        const LivenessClassId activation =
            live({{arrange + 1, prob + 1}, {function, function + 2}});
        const LivenessClassId temporary = live({{function + 1, function + 4}});
        const LivenessClassId result = live({{prob, out + 1}});
        const VariableId weights =
            variable("conv1/weights", conv1_, "[64,3,7,7]", tiles(0, 64, sample::conv1WeightBytes));
        if (!options_.changed)
            variable("layer1/conv/bias", layer1_, "[64]", tiles(0, 64, 2));
        const VariableId input = variable("input", {}, "[1,3,224,224]",
                                          tiles(0, tiles_ / 2, sample::inputBytes), inputLive);
        TileSeries outBytes = tiles(0, tiles_ / 2, activationBytes());
        outBytes += tiles(tiles_ / 2, tiles_ - tiles_ / 2, 1024);
        const VariableId conv1Out =
            variable("conv1/out", conv1_, "[1,64,112,112]", outBytes, activation);
        const VariableId partials = variable("layer1/conv/partials", layer1_, "[4,1,64,56,56]",
                                             everyTile(sample::partialsBytes), temporary);
        p_.variables[partials].type = "float";
        const VariableId probability =
            variable("prob/out", prob_, "[1,1000]", tiles(0, 16, 128), result);
        uses(inputStep, {}, {input});
        if (options_.withCopy) {
            p_.copies[CopyId(0)].variable = input;
            p_.copies[CopyId(0)].result = input;
        }
        uses(arrange + 1, {input, weights}, {conv1Out});
        uses(function + 1, {conv1Out}, {partials});
        uses(prob, {conv1Out}, {probability});
    }

    [[nodiscard]] std::int64_t activationBytes() const {
        if (options_.tooLarge)
            return p_.info.target.bytesPerTile;
        return options_.changed ? 2 * sample::conv1OutBytes : sample::conv1OutBytes;
    }

    void pseudo(MemoryCategory category, const TileSeries& bytes) {
        Variable v;
        v.name = std::string(toString(category));
        v.category = category;
        v.alwaysLive = true;
        v.bytes = bytes;
        p_.variables.add(std::move(v));
    }

    void addCodeAndState() {
        TileSeries code;
        TileSeries state;
        TileSeries exchangeCode;
        TileSeries controlCode;
        for (const VertexType& type : p_.vertexTypes)
            code += type.codeBytes;
        for (const ComputeSet& set : p_.computeSets)
            for (const VertexInstances& instances : set.vertices)
                state += instances.stateBytes;
        for (const Exchange& e : p_.exchanges)
            exchangeCode += e.codeBytes;
        for (const Program& program : p_.programs)
            controlCode += program.controlCode;
        pseudo(MemoryCategory::Stack, everyTile(sample::stackBytes));
        pseudo(MemoryCategory::VertexCode, code);
        pseudo(MemoryCategory::VertexInstanceState, state);
        pseudo(MemoryCategory::ControlCode, controlCode);
        pseudo(MemoryCategory::InternalExchangeCode, exchangeCode);
        pseudo(MemoryCategory::HostExchangeCode, tiles(0, tiles_ / 2, 96));
    }

    void addMessages() {
        p_.messages.push_back({Severity::Info, "Folded 1 BatchNormalization.", {}});
        p_.messages.push_back({Severity::Warning,
                               "conv1: the plan exceeds the available memory proportion.", conv1_});
        if (!options_.tooLarge)
            return;
        for (std::size_t tile = 0; tile < p_.tileMemory.size(); ++tile) {
            const std::int64_t used = p_.tileMemory[TileId(tile)].includingGaps;
            if (used <= p_.info.target.bytesPerTile)
                continue;
            p_.messages.push_back({Severity::Error,
                                   "Out of memory on tile " + std::to_string(tile) + ": " +
                                       std::to_string(used) + " bytes used but tiles only have " +
                                       std::to_string(p_.info.target.bytesPerTile) +
                                       " bytes of memory",
                                   {}});
            return;
        }
    }

    void countGraph() {
        for (const ComputeSet& set : p_.computeSets)
            for (const VertexInstances& instances : set.vertices) {
                p_.info.vertices += instances.count.sum();
                p_.info.edges += instances.count.sum() * instances.edgesPerVertex;
            }
    }

    /// Three phases of the compilation and, where it fits, loading, 5 ms together.
    void addHost() {
        const std::string compilation(compilationLane);
        p_.hostSpans = {{compilation, "import", 0, 0.0005},
                        {compilation, "plan", 0.0005, 0.0025},
                        {compilation, "lower", 0.003, 0.001}};
        if (p_.info.fits)
            p_.hostSpans.push_back({std::string(loadingLane), "load executable", 0.004, 0.001});
    }

    SampleOptions options_;
    std::int32_t tiles_;
    Profile p_;
    OperationId conv1_, relu1_, layer1_, prob_, extra_;
    VertexTypeId convVertex_, reduceVertex_, reluVertex_, softmaxVertex_;
    ProgramId function_;
    std::int32_t firstFunctionStep_ = 0;
};

} // namespace

Profile sampleProfile(const SampleOptions& options) {
    return Builder(options).build();
}

} // namespace tilescope::test
