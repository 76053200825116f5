#include "core/analysis/accounting/step_costs.h"

#include <algorithm>

#include "core/base/saturating.h"

namespace tilescope {
namespace {

class ByIpu {
public:
    explicit ByIpu(std::int32_t tilesPerIpu)
        : tilesPerIpu_(std::max(1, tilesPerIpu)) {}

    /// Calls use(estimate, tiles, value) for each piece of a run that lies on one IPU.
    template <class Use> void each(const TileSeries& series, Use use) {
        for (const TileRun& run : series.runs())
            for (std::int32_t at = run.first; at < run.end;) {
                if (at < first_ || at >= end_) {
                    ipu_ = at / tilesPerIpu_;
                    first_ = ipu_ * tilesPerIpu_;
                    end_ = first_ + tilesPerIpu_;
                }
                const std::int32_t end = std::min(run.end, end_);
                use(on(IpuId(ipu_)), end - at, run.value);
                at = end;
            }
    }

    std::vector<StepEstimate> take() {
        if (found_.empty())
            found_.push_back({IpuId(0)});
        return std::move(found_);
    }

private:
    StepEstimate& on(IpuId ipu) {
        const auto place = std::find_if(found_.begin(), found_.end(),
                                        [ipu](const StepEstimate& one) { return one.ipu == ipu; });
        return place != found_.end() ? *place : found_.emplace_back(StepEstimate{ipu});
    }

    std::int32_t tilesPerIpu_;
    std::int32_t ipu_ = 0; ///< the last one, with its tiles: dividing takes long
    std::int32_t first_ = 0;
    std::int32_t end_ = 0;
    std::vector<StepEstimate> found_;
};

} // namespace

CostKind costKindOf(ProgramKind kind) {
    switch (kind) {
    case ProgramKind::OnTileExecute:
        return CostKind::Compute;
    case ProgramKind::DoExchange:
        return CostKind::Exchange;
    case ProgramKind::GlobalExchange:
        return CostKind::GlobalExchange;
    case ProgramKind::StreamCopyBegin:
    case ProgramKind::StreamCopyMid:
    case ProgramKind::StreamCopyEnd:
        return CostKind::Host;
    case ProgramKind::Sync:
        return CostKind::Sync;
    case ProgramKind::Sequence:
    case ProgramKind::Repeat:
    case ProgramKind::Call:
    case ProgramKind::Switch:
    case ProgramKind::WriteUndef:
    case ProgramKind::Unknown:
    case ProgramKind::UnknownControl:
        break;
    }
    return CostKind::Other;
}

std::vector<StepEstimate> estimatedStep(const Program& program,
                                        const IdVector<ComputeSetId, ComputeSet>& computeSets,
                                        const IdVector<ExchangeId, Exchange>& exchanges,
                                        const IdVector<StreamId, Stream>& streams,
                                        std::int32_t tilesPerIpu) {
    ByIpu found(tilesPerIpu);
    const auto cycles = [](StepEstimate& on, std::int32_t, std::int64_t value) {
        on.cycles = std::max(on.cycles, value);
    };
    const auto bytes = [](StepEstimate& on, std::int32_t tiles, std::int64_t value) {
        on.bytes += tiles * value;
    };
    if (program.computeSet.valid() && program.computeSet.index() < computeSets.size()) {
        found.each(computeSets[program.computeSet].cycles,
                   [](StepEstimate& on, std::int32_t tiles, std::int64_t value) {
                       on.cycles = std::max(on.cycles, value);
                       on.tileCycles += tiles * value;
                   });
    } else if (program.exchange.valid() && program.exchange.index() < exchanges.size()) {
        found.each(exchanges[program.exchange].cycles, cycles);
        found.each(exchanges[program.exchange].bytesReceived, bytes);
    } else if (program.stream.valid() && program.stream.index() < streams.size()) {
        found.each(streams[program.stream].bytes, bytes);
    }
    return found.take();
}

std::int64_t repeatsInOperation(const IdVector<ProgramId, Program>& programs, ProgramId program) {
    const OperationId operation = programs[program].operation;
    std::int64_t repeats = 1;
    ProgramId above = programs[program].parent;
    // A damaged file may have parents in a circle.
    for (std::size_t i = 0; i < programs.size(); ++i) {
        if (!operation.valid() || !above.valid() || above.index() >= programs.size() ||
            programs[above].operation != operation)
            break;
        if (programs[above].kind == ProgramKind::Repeat)
            repeats = saturatingProduct(repeats, std::max<std::int64_t>(0, programs[above].count));
        above = programs[above].parent;
    }
    return repeats;
}

} // namespace tilescope
