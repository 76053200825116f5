#include "core/analysis/insights/loss_split.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

namespace tilescope {
namespace {

constexpr std::size_t at(LossKind kind) {
    return static_cast<std::size_t>(kind);
}

/// What the other IPUs of a pipeline wait for, the longest waits first.
constexpr std::array waitedFor{LossKind::Host, LossKind::StreamingMemory, LossKind::GlobalExchange};

/// Divisions leave parts of a cycle; a place that loses less than half a cycle is not listed.
constexpr double leastOfPlace = 0.5;

/// Sums of a damaged profile may be more than a number of cycles can be.
constexpr double mostCycles = 0x1p57;

using Parts = std::array<double, lossKinds.size()>;

class Splitter {
public:
    explicit Splitter(const Facts& facts)
        : facts_(facts) {
        ipus_.resize(static_cast<std::size_t>(std::max(1, facts.info().target.ipus)));
    }

    LossSplit run() {
        for (const CostRow& row : facts_.places())
            if (row.ipu.valid() && row.ipu.index() < ipus_.size())
                add(row);
        for (std::size_t ipu = 0; ipu < ipus_.size(); ++ipu)
            takeOverlapped(ipu);
        takeSlotWaits();
        if (isPipeline())
            takeWaitsForCopies();
        for (std::vector<LossPlace>& places : split_.places)
            sortByCycles(places);
        for (const Parts& parts : ipus_)
            split_.ipus.push_back(wholeCycles(parts));
        return std::move(split_);
    }

private:
    /// Most first, and those with equal cycles as they are. Places are moved only once.
    static void sortByCycles(std::vector<LossPlace>& places) {
        std::vector<std::pair<std::int64_t, std::size_t>> order; // less cycles, and where it is
        order.reserve(places.size());
        for (std::size_t i = 0; i < places.size(); ++i)
            order.emplace_back(-places[i].cycles, i);
        std::sort(order.begin(), order.end());
        std::vector<LossPlace> sorted;
        sorted.reserve(places.size());
        for (const auto& [less, at] : order)
            sorted.push_back(std::move(places[at]));
        places = std::move(sorted);
    }

    [[nodiscard]] bool isPipeline() const { return facts_.pipeline().stages.size() > 1; }

    void add(const CostRow& row) {
        addCompute(row);
        add(row, LossKind::Exchange, static_cast<double>(row.measured(CostKind::Exchange)));
        add(row, LossKind::GlobalExchange,
            static_cast<double>(row.measured(CostKind::GlobalExchange)));
        const auto remote =
            static_cast<double>(std::min(remoteCycles(row), row.measured(CostKind::Host)));
        add(row, LossKind::StreamingMemory, remote);
        add(row, LossKind::Host, static_cast<double>(row.measured(CostKind::Host)) - remote);
        add(row, LossKind::Sync, static_cast<double>(row.measured(CostKind::Sync)));
        add(row, LossKind::Idle,
            static_cast<double>(row.measured(CostKind::Idle) + row.measured(CostKind::Other)));
    }

    void addCompute(const CostRow& row) {
        const std::int64_t all = row.measured(CostKind::Compute);
        const auto copies = static_cast<double>(std::min(row.measuredCopies, all));
        const double rest = static_cast<double>(all) - copies;
        const bool tilesKnown = facts_.info().has(ProfilePart::ActiveTiles);
        const double busy = tilesKnown ? rest * std::clamp(row.balance, 0.0, 1.0) : rest;
        const auto peakCycles = static_cast<double>(all + row.measured(CostKind::Exchange) +
                                                    row.measured(CostKind::GlobalExchange));
        const double ideal = std::min(busy, row.utilisation() * peakCycles);
        add(row, LossKind::Copies, copies);
        add(row, LossKind::TileImbalance, rest - busy);
        add(row, LossKind::Compute, ideal);
        add(row, LossKind::Utilisation, busy - ideal);
    }

    void add(const CostRow& row, LossKind kind, double cycles) {
        // A damaged file may yield values that are not numbers.
        if (!(cycles > 0))
            return;
        ipus_[row.ipu.index()][at(kind)] += cycles;
        if (cycles < leastOfPlace)
            return;
        split_.places[at(kind)].push_back(
            {nameOf(row), row.operation, row.ipu, std::llround(cycles)});
    }

    /// Steps without an operation are named after the longest of them: a copy, a stream.
    [[nodiscard]] std::string nameOf(const CostRow& row) const {
        const auto longest = std::max_element(
            row.steps.begin(), row.steps.end(),
            [](const RowStep& a, const RowStep& b) { return a.cycles < b.cycles; });
        if (row.operation.valid() || longest == row.steps.end() || !longest->program.valid() ||
            longest->program.index() >= facts_.programs().size())
            return row.path;
        const std::string& name = facts_.programs()[longest->program].name;
        return name.empty() ? row.path : name;
    }

    [[nodiscard]] std::int64_t remoteCycles(const CostRow& row) const {
        std::int64_t cycles = 0;
        for (const RowStep& step : row.steps)
            if (step.program.valid() && facts_.isRemote(step.program))
                cycles += step.cycles;
        return cycles;
    }

    /// Steps that run beside others cost the run nothing: copies with the host are taken off first,
    /// then those of the tiles that hold the data.
    void takeOverlapped(std::size_t ipu) {
        const std::vector<std::int64_t>& all = facts_.accounting().totals().overlapped;
        double left = ipu < all.size() ? static_cast<double>(all[ipu]) : 0;
        for (const LossKind kind :
             {LossKind::Host, LossKind::StreamingMemory, LossKind::Exchange, LossKind::Sync,
              LossKind::Idle, LossKind::Utilisation, LossKind::TileImbalance}) {
            double& cycles = ipus_[ipu][at(kind)];
            const double taken = std::clamp(left, 0.0, cycles);
            cycles -= taken;
            left -= taken;
        }
    }

    /// Moves up to `cycles` from syncs and idle time to a kind; returns the cycles moved.
    double explain(std::size_t ipu, LossKind kind, double cycles) {
        double moved = 0;
        for (const LossKind from : {LossKind::Sync, LossKind::Idle}) {
            double& waits = ipus_[ipu][at(from)];
            const double taken = std::clamp(cycles - moved, 0.0, waits);
            waits -= taken;
            moved += taken;
        }
        ipus_[ipu][at(kind)] += moved;
        return moved;
    }

    void takeSlotWaits() {
        for (const PipelineWait& wait : facts_.pipeline().waits) {
            if (!wait.ipu.valid() || wait.ipu.index() >= ipus_.size())
                continue;
            const std::size_t ipu = wait.ipu.index();
            place(LossKind::Bubbles, ipu,
                  explain(ipu, LossKind::Bubbles, static_cast<double>(wait.bubbles)));
            place(LossKind::StageImbalance, ipu,
                  explain(ipu, LossKind::StageImbalance, static_cast<double>(wait.imbalance)));
        }
    }

    /// The places of an IPU's waits are its stages.
    void place(LossKind kind, std::size_t ipu, double cycles) {
        for (const PipelineStage& stage : facts_.pipeline().stages)
            if (stage.ipu.index() == ipu && cycles >= leastOfPlace) {
                split_.places[at(kind)].push_back(
                    {"stage " + std::to_string(stage.stage), {}, stage.ipu, std::llround(cycles)});
                return;
            }
    }

    void takeWaitsForCopies() {
        double own = ipus_.front()[at(LossKind::Sync)];
        for (const Parts& cycles : ipus_)
            own = std::min(own, cycles[at(LossKind::Sync)]);
        for (const LossKind kind : waitedFor) {
            double longest = 0;
            for (const Parts& cycles : ipus_)
                longest = std::max(longest, cycles[at(kind)]);
            for (std::size_t ipu = 0; ipu < ipus_.size(); ++ipu) {
                const Parts& cycles = ipus_[ipu];
                const double spare = std::max(0.0, cycles[at(LossKind::Sync)] - own);
                explain(ipu, kind, std::min(spare, longest - cycles[at(kind)]));
            }
        }
    }

    const Facts& facts_;
    std::vector<Parts> ipus_;
    LossSplit split_;
};

} // namespace

LossCycles wholeCycles(const std::array<double, lossKinds.size()>& parts) {
    LossCycles whole{};
    std::array<std::size_t, lossKinds.size()> order{};
    std::iota(order.begin(), order.end(), std::size_t{0});
    const auto remainder = [&](std::size_t i) { return parts[i] - std::floor(parts[i]); };
    std::stable_sort(order.begin(), order.end(),
                     [&](auto a, auto b) { return remainder(a) > remainder(b); });
    const auto bounded = [](double cycles) { return std::min(cycles, mostCycles); };
    std::int64_t left = std::llround(bounded(std::accumulate(parts.begin(), parts.end(), 0.0)));
    for (std::size_t i = 0; i < parts.size(); ++i) {
        whole[i] = static_cast<std::int64_t>(std::floor(bounded(parts[i])));
        left -= whole[i];
    }
    for (const std::size_t i : order)
        if (left > 0 && parts[i] > 0) {
            ++whole[i];
            --left;
        }
    return whole;
}

LossCycles LossSplit::mean() const {
    std::array<double, lossKinds.size()> means{};
    for (const LossCycles& cycles : ipus)
        for (std::size_t i = 0; i < means.size(); ++i)
            means[i] += static_cast<double>(cycles[i]) / static_cast<double>(ipus.size());
    return wholeCycles(means);
}

LossSplit splitOf(const Facts& facts) {
    return Splitter(facts).run();
}

} // namespace tilescope
