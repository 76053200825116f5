#include "simulator/lowering/modes/output_returns.h"

#include "simulator/cost/elementwise_cycles.h"

namespace tilescope::sim {
namespace {

/// The part of a series on an IPU, counted from that IPU's first tile.
TileSeries ofIpu(const TileSeries& series, IpuId ipu, const Target& target) {
    const std::int32_t first = ipu.value() * target.tilesPerIpu;
    return series.slice(first, first + target.tilesPerIpu).shifted(-first);
}

} // namespace

OutputReturns::OutputReturns(LoweringContext& context)
    : context_(context)
    , b_(context.builder())
    , mode_(context.options().host.outputMode)
    , streams_(outputStreams(context)) {
    if (sums())
        makeSums();
}

void OutputReturns::makeSums() {
    for (HostStream& one : streams_) {
        const Variable result = b_.lowered().profile.variables[one.variable];
        const IpuId ipu = context_.graph().ipuOf(one.stage);
        results_[one.stream] = one.variable;
        b_.setIpu(ipu);
        one.variable = b_.alwaysLive(
            "OutputSum___" + context_.tensor(one.tensor).name, MemoryCategory::Variable,
            ofIpu(result.bytes, ipu, b_.machine()), result.type, result.shape);
        b_.setIpu(IpuId(0));
    }
}

void OutputReturns::execute(const HostStream& result, ElementwiseFunction function,
                            const char* what) {
    const bool adds = function == ElementwiseFunction::Add;
    const Operands operands = adds ? Operands::Binary : Operands::Unary;
    const Tensor& tensor = context_.tensor(result.tensor);
    const Target& target = b_.machine();
    const IpuId ipu = context_.graph().ipuOf(result.stage);
    const TileSeries bytes =
        ofIpu(b_.lowered().profile.variables[result.variable].bytes, ipu, target);
    const TileSeries cycles = bytes.mapped([&](std::int64_t size) {
        return elementwiseCycles(target, function, operands, true, tensor.type,
                                 size / bytesOf(tensor.type));
    });
    Access access{{}, {result.variable}};
    if (adds)
        access.reads = {result.variable, results_.at(result.stream)};
    b_.setIpu(ipu);
    b_.execute(
        tensor.name + what, cycles,
        {{elementwiseVertex(function, operands, true, tensor.type, tensor.type), bytes.ones()}},
        std::move(access));
    b_.setIpu(IpuId(0));
}

void OutputReturns::afterMicroBatch(std::int32_t stage) {
    if (mode_ == OutputMode::All)
        emitStreams(b_, streams_, stage);
    if (sums())
        for (const HostStream& one : streams_)
            if (stage < 0 || one.stage == stage)
                execute(one, ElementwiseFunction::Add, "/OutputSum/Op/Add");
}

void OutputReturns::afterLoops() {
    if (mode_ == OutputMode::All)
        return;
    b_.beginSequence("ToHostFinalCopy");
    emitStreams(b_, streams_);
    if (sums())
        for (const HostStream& one : streams_)
            execute(one, ElementwiseFunction::Zero, "/OutputSum/Zero");
    b_.end();
}

} // namespace tilescope::sim
