#include "core/analysis/insights/wait_causes.h"

#include <algorithm>

#include "core/analysis/insights/loss_split.h"

namespace tilescope {
namespace {

class Causes {
public:
    explicit Causes(const Facts& facts)
        : facts_(facts)
        , split_(splitOf(facts)) {}

    std::vector<CausedWait> run() {
        for (std::size_t ipu = 0; ipu < split_.ipus.size(); ++ipu)
            explain(IpuId(ipu));
        return std::move(waits_);
    }

private:
    /// Cycles of an IPU in rows without an operation.
    [[nodiscard]] std::int64_t waitsOf(IpuId ipu) const {
        std::int64_t cycles = 0;
        for (const CostRow& row : facts_.places())
            if (row.ipu == ipu && !row.kind.empty())
                cycles += row.measuredCycles;
        return cycles;
    }

    /// What operations have of a kind of cycles on an IPU: it is no wait.
    [[nodiscard]] std::int64_t ofOperations(IpuId ipu, CostKind kind) const {
        std::int64_t cycles = 0;
        for (const CostRow& row : facts_.places())
            if (row.ipu == ipu && row.kind.empty())
                cycles += row.measured(kind);
        return cycles;
    }

    [[nodiscard]] std::int64_t lost(IpuId ipu, LossKind kind) const {
        return split_.ipus[ipu.index()][static_cast<std::size_t>(kind)];
    }

    void explain(IpuId ipu) {
        std::int64_t left = waitsOf(ipu);
        const auto take = [&left](std::int64_t cycles) {
            const std::int64_t taken = std::clamp<std::int64_t>(cycles, 0, left);
            left -= taken;
            return taken;
        };
        add(ipu, SourceAnchorKind::Model, LossKind::Bubbles, take(lost(ipu, LossKind::Bubbles)));
        addLongestStage(ipu, take(lost(ipu, LossKind::StageImbalance)));
        add(ipu, SourceAnchorKind::Model, LossKind::GlobalExchange,
            take(lost(ipu, LossKind::GlobalExchange) -
                 ofOperations(ipu, CostKind::GlobalExchange)));
        const std::int64_t host = ofOperations(ipu, CostKind::Host);
        add(ipu, SourceAnchorKind::Call, LossKind::Host, take(lost(ipu, LossKind::Host) - host));
        add(ipu, SourceAnchorKind::Call, LossKind::StreamingMemory,
            take(lost(ipu, LossKind::StreamingMemory)));
        add(ipu, SourceAnchorKind::Model, LossKind::Sync, take(left));
    }

    void add(IpuId ipu, SourceAnchorKind anchor, LossKind kind, std::int64_t cycles) {
        if (cycles > 0)
            waits_.push_back({ipu, {}, anchor, kind, cycles});
    }

    void addLongestStage(IpuId ipu, std::int64_t cycles) {
        const auto& stages = facts_.pipeline().stages;
        const auto longest =
            std::max_element(stages.begin(), stages.end(),
                             [](const auto& a, const auto& b) { return a.cycles() < b.cycles(); });
        std::vector<const CostRow*> rows;
        std::int64_t all = 0;
        for (const CostRow& row : facts_.places())
            if (longest != stages.end() && row.kind.empty() && row.stage == longest->stage &&
                row.ipu == longest->ipu && row.pass != ModelPhase::Update &&
                row.measuredCycles > 0) {
                rows.push_back(&row);
                all += row.measuredCycles;
            }
        if (rows.empty())
            return add(ipu, SourceAnchorKind::Model, LossKind::StageImbalance, cycles);
        // Each gets what is left of its share, so that roundings do not add up.
        std::int64_t left = cycles;
        for (const CostRow* row : rows) {
            const auto share = static_cast<std::int64_t>(static_cast<double>(left) *
                                                         static_cast<double>(row->measuredCycles) /
                                                         static_cast<double>(all));
            const std::int64_t own = row == rows.back() ? left : std::min(left, share);
            if (own > 0)
                waits_.push_back({ipu, row->node, {}, LossKind::StageImbalance, own});
            left -= own;
            all -= row->measuredCycles;
        }
    }

    const Facts& facts_;
    LossSplit split_;
    std::vector<CausedWait> waits_;
};

} // namespace

std::vector<CausedWait> causedWaits(const ProfileView& profile, const std::stop_token& stop) {
    const Facts facts(profile, stop);
    if (facts.accounting().totals().run < 0)
        return {};
    return Causes(facts).run();
}

} // namespace tilescope
