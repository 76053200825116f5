#include "core/analysis/compare/calibration.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <map>
#include <optional>
#include <type_traits>

#include "core/analysis/accounting/executed_steps.h"
#include "core/base/error.h"
#include "core/base/saturating.h"
#include "core/trace/lane_cursor.h"
#include "core/trace/trace_index.h"

namespace tilescope {
namespace {

constexpr std::size_t mostSyncs = 200'000; // values that are looked at; more change no median
constexpr double leastRateCycles = 100;    // a transfer; rounding would show in shorter ones

/// A value, and how many executions had it.
struct Measured {
    double value = 0;
    std::int64_t count = 1;
};

Spread spreadOf(std::vector<Measured> values) {
    Spread spread;
    std::sort(values.begin(), values.end(),
              [](const Measured& a, const Measured& b) { return a.value < b.value; });
    for (const Measured& each : values)
        spread.count = saturatingSum(spread.count, each.count);
    const auto at = [&](double share) {
        const double place = share * static_cast<double>(spread.count);
        double before = 0;
        for (const Measured& each : values) {
            before += static_cast<double>(each.count);
            if (before >= place)
                return each.value;
        }
        return values.empty() ? 0.0 : values.back().value;
    };
    spread.p10 = at(0.1);
    spread.median = at(0.5);
    spread.p90 = at(0.9);
    return spread;
}

/// What a program, or all syncs, did in all runs on all IPUs.
struct Executed {
    std::int64_t count = 0;
    std::int64_t cycles = 0;
    [[nodiscard]] double mean() const {
        return count == 0 ? 0 : static_cast<double>(cycles) / static_cast<double>(count);
    }
};

/// The steps of one profile.
class ExecutedSide {
public:
    ExecutedSide(const ProfileView& profile, const std::stop_token& stop)
        : profile_(profile)
        , stop_(stop)
        , programs_(profile.programs(stop))
        , trace_(profile.trace(stop)) {
        CallSites sites(*programs_);
        for (const TraceRun& run : trace_->runs())
            for (const ExecutedStepTotal& total : executedSteps(trace_->lanes(), run.body, sites)) {
                add(executed_[total.program], total);
                add(byIpu_[{total.program, total.ipu}], total);
            }
    }

    [[nodiscard]] const ProfileView& profile() const { return profile_; }
    [[nodiscard]] const Program& program(ProgramId id) const { return (*programs_)[id]; }
    /// By program; none: syncs.
    [[nodiscard]] const std::map<ProgramId, Executed>& executed() const { return executed_; }
    [[nodiscard]] const std::map<std::pair<ProgramId, IpuId>, Executed>& byIpu() const {
        return byIpu_;
    }
    [[nodiscard]] ProgramKind kindOf(ProgramId id) const {
        return id.valid() ? program(id).kind : ProgramKind::Sync;
    }

    /// Cycles of the syncs that tiles of an IPU make before they exchange or compute.
    [[nodiscard]] std::vector<Measured> internalSyncs() const {
        std::vector<Measured> cycles;
        const TraceLanes& lanes = trace_->lanes();
        for (const TraceBodyId body : lanes.calleesFirst())
            for (std::int32_t ipu = 0; ipu < lanes.ipus(); ++ipu)
                addSyncs(cycles, LaneCursor(lanes, body, IpuId(ipu), TraceLanes::Keep::No));
        return cycles;
    }

private:
    static void add(Executed& sum, const ExecutedStepTotal& total) {
        sum.count = saturatingSum(sum.count, total.count);
        sum.cycles = saturatingSum(sum.cycles, total.cycles);
    }

    void addSyncs(std::vector<Measured>& cycles, LaneCursor cursor) const {
        std::optional<std::int64_t> sync;
        for (std::size_t i = 0; i < cursor.lane().count && cycles.size() < mostSyncs; ++i) {
            if (stop_.stop_requested())
                throw Cancelled();
            const LaneEntry& entry = cursor.at(i);
            const bool isStep = entry.call < 0;
            if (sync && isStep &&
                (entry.kind == ProgramKind::DoExchange || entry.kind == ProgramKind::OnTileExecute))
                cycles.push_back({static_cast<double>(*sync), 1});
            sync.reset();
            if (isStep && entry.kind == ProgramKind::Sync)
                sync = entry.end - entry.begin;
        }
    }

    const ProfileView& profile_;
    const std::stop_token& stop_;
    std::shared_ptr<const IdVector<ProgramId, Program>> programs_;
    std::shared_ptr<const TraceIndex> trace_;
    std::map<ProgramId, Executed> executed_;
    std::map<std::pair<ProgramId, IpuId>, Executed> byIpu_;
};

/// Compares the steps of both sides.
class Comparing {
public:
    Comparing(const ExecutedSide& simulated, const ExecutedSide& measured, const Matching& programs,
              Calibration& result)
        : simulated_(simulated)
        , measured_(measured)
        , programs_(programs)
        , result_(result) {}

    void run() {
        addSide(simulated_, &CalibratedKind::simulatedCycles);
        addSide(measured_, &CalibratedKind::measuredCycles);
        for (const auto& [id, executed] : simulated_.executed())
            match(id, executed);
        finish();
    }

private:
    struct Sums {
        std::int64_t simulated = 0; ///< cycles of steps that match
        std::int64_t measured = 0;
        double expected = 0; ///< measured cycles, as often as simulated
        std::vector<Measured> ratios;
    };

    void addSide(const ExecutedSide& side, std::int64_t CalibratedKind::*cycles) {
        for (const auto& [id, executed] : side.executed()) {
            CalibratedKind& kind = kinds_[side.kindOf(id)];
            kind.kind = side.kindOf(id);
            kind.*cycles += executed.cycles;
        }
    }

    void match(ProgramId id, const Executed& simulated) {
        const ProgramId other = id.valid() ? programs_.targetOf(id) : ProgramId();
        const auto measured = measured_.executed().find(other);
        if ((id.valid() && !other.valid()) || measured == measured_.executed().end())
            return;
        const MatchedStep step{id,
                               other,
                               simulated_.kindOf(id),
                               simulated.count,
                               simulated.mean(),
                               measured->second.mean()};
        Sums& sums = sums_[step.kind];
        sums.simulated += simulated.cycles;
        sums.measured += measured->second.cycles;
        sums.expected += step.measuredCycles * static_cast<double>(simulated.count);
        if (step.simulatedCycles > 0)
            sums.ratios.push_back({step.measuredCycles / step.simulatedCycles, 1});
        if (id.valid())
            result_.steps.push_back(step);
    }

    static double share(std::int64_t part, std::int64_t whole) {
        return whole == 0 ? 0 : static_cast<double>(part) / static_cast<double>(whole);
    }

    void finish() {
        Sums all;
        std::int64_t simulated = 0, measured = 0;
        for (auto& [name, kind] : kinds_) {
            Sums& sums = sums_[name];
            kind.simulatedMatched = share(sums.simulated, kind.simulatedCycles);
            kind.measuredMatched = share(sums.measured, kind.measuredCycles);
            kind.ratio =
                sums.simulated == 0 ? 0 : sums.expected / static_cast<double>(sums.simulated);
            kind.ratios = spreadOf(std::move(sums.ratios));
            result_.kinds.push_back(kind);
            if (name == ProgramKind::Sync)
                continue;
            simulated += kind.simulatedCycles;
            measured += kind.measuredCycles;
            all.simulated += sums.simulated;
            all.measured += sums.measured;
        }
        result_.matched = std::min(share(all.simulated, simulated), share(all.measured, measured));
        std::stable_sort(result_.kinds.begin(), result_.kinds.end(),
                         [](const CalibratedKind& a, const CalibratedKind& b) {
                             return a.measuredCycles > b.measuredCycles;
                         });
        std::stable_sort(result_.steps.begin(), result_.steps.end(),
                         [](const MatchedStep& a, const MatchedStep& b) {
                             return a.simulatedCycles * static_cast<double>(a.executions) >
                                    b.simulatedCycles * static_cast<double>(b.executions);
                         });
    }

    const ExecutedSide& simulated_;
    const ExecutedSide& measured_;
    const Matching& programs_;
    Calibration& result_;
    std::map<ProgramKind, CalibratedKind> kinds_;
    std::map<ProgramKind, Sums> sums_;
};

/// Fits constants of the simulated machine to steps of the other.
class Fitting {
public:
    Fitting(const ExecutedSide& simulated, const ExecutedSide& measured, const Matching& programs,
            const std::stop_token& stop, Calibration& result)
        : simulated_(simulated)
        , measured_(measured)
        , programs_(programs)
        , stop_(stop)
        , result_(result)
        , target_(simulated.profile().machine())
        , constants_(targetConstants(target_))
        , clockHz_(measured.profile().machine().clockHz) {}

    void run() {
        add("internalSyncCycles", target_.internalSyncCycles, measured_.internalSyncs());
        const double external =
            add("externalSyncCycles", target_.externalSyncCycles, externalSyncs());
        add("hostLatencySeconds", target_.hostLatencySeconds, latencies(external));
        add("hostBytesPerSecond", target_.hostBytesPerSecond, rates(false));
        add("streamingMemoryBytesPerSecond", target_.streamingMemoryBytesPerSecond, rates(true));
    }

private:
    /// The median of the values, or what is assumed where they are too few.
    double add(const std::string& name, double assumed, std::vector<Measured> values) {
        const auto constant =
            std::find_if(constants_.begin(), constants_.end(),
                         [&name](const TargetConstant& each) { return each.name == name; });
        const Spread fitted = spreadOf(std::move(values));
        if (fitted.count < leastValues)
            return assumed;
        if (constant != constants_.end() && constant->assumed)
            result_.constants.push_back(
                {name, constant->unit, assumed, fitted,
                 std::abs(fitted.median - assumed) > calibrationTolerance * assumed});
        return fitted.median;
    }

    /// The last step of a copy from or to the host is nothing but a sync with it.
    [[nodiscard]] std::vector<Measured> externalSyncs() const {
        std::vector<Measured> cycles;
        for (const auto& [where, executed] : measured_.byIpu())
            if (measured_.kindOf(where.first) == ProgramKind::StreamCopyEnd)
                cycles.push_back({executed.mean(), executed.count});
        return cycles;
    }

    /// Executions on an IPU of both sides' programs of a kind.
    template <class Take> void forMatched(ProgramKind kind, Take take) const {
        for (const auto& [where, executed] : simulated_.byIpu()) {
            const auto [id, ipu] = where;
            if (!id.valid() || simulated_.kindOf(id) != kind)
                continue;
            const ProgramId other = programs_.targetOf(id);
            const auto measured = measured_.byIpu().find({other, ipu});
            if (other.valid() && measured != measured_.byIpu().end())
                take(id, ipu, executed, measured->second);
        }
    }

    /// Of copies whose first step waited for nothing but the host's answer.
    [[nodiscard]] std::vector<Measured> latencies(double external) const {
        const double alone =
            target_.externalSyncCycles + std::floor(target_.hostLatencySeconds * target_.clockHz);
        std::vector<Measured> seconds;
        forMatched(ProgramKind::StreamCopyBegin,
                   [&](ProgramId, IpuId, const Executed& simulated, const Executed& measured) {
                       if (std::abs(simulated.mean() - alone) < 1)
                           seconds.push_back({std::max(0.0, measured.mean() - external) / clockHz_,
                                              measured.count});
                   });
        return seconds;
    }

    /// Bytes a second of copies from and to the host, or streaming memory. The bytes are those of
    /// the simulated copy, which is the same.
    [[nodiscard]] std::vector<Measured> rates(bool ofStreamingMemory) const {
        const auto streams = simulated_.profile().streams(stop_);
        std::vector<Measured> rates;
        forMatched(ProgramKind::StreamCopyMid, [&](ProgramId id, IpuId ipu, const Executed&,
                                                   const Executed& measured) {
            const StreamId stream = simulated_.program(id).stream;
            if (!stream.valid() || (*streams)[stream].remoteBuffer.valid() != ofStreamingMemory)
                return;
            const std::int32_t first = ipu.value() * target_.tilesPerIpu;
            const std::int64_t bytes =
                (*streams)[stream].bytes.sum(first, first + target_.tilesPerIpu);
            if (bytes > 0 && measured.mean() >= leastRateCycles)
                rates.push_back(
                    {static_cast<double>(bytes) * clockHz_ / measured.mean(), measured.count});
        });
        return rates;
    }

    const ExecutedSide& simulated_;
    const ExecutedSide& measured_;
    const Matching& programs_;
    const std::stop_token& stop_;
    Calibration& result_;
    const Target& target_;
    std::vector<TargetConstant> constants_;
    double clockHz_;
};

} // namespace

Calibration calibrate(const ProfilePair& pair, const std::stop_token& stop) {
    Calibration result;
    const ExecutedSide simulated(*pair.source, stop);
    const ExecutedSide measured(*pair.target, stop);
    const auto programs = pair.matching->programs(stop);
    Comparing(simulated, measured, *programs, result).run();
    if (result.matched < leastMatched)
        result.whyNoConstants = fmt::format(
            "No constants are fitted: steps with only {:.0f} % of the cycles match, and {:.0f} % "
            "are needed. Simulate the same model with the same options.",
            100 * result.matched, 100 * leastMatched);
    else
        Fitting(simulated, measured, *programs, stop, result).run();
    return result;
}

Target calibratedTarget(const Calibration& calibration, const Target& simulated) {
    Target target = simulated;
    visitTargetFields(target, [&](const char* name, auto& field, int) {
        using Type = std::remove_reference_t<decltype(field)>;
        if constexpr (std::is_arithmetic_v<Type>)
            for (const FittedConstant& constant : calibration.constants)
                if (constant.differs && constant.name == name) {
                    if constexpr (std::is_integral_v<Type>)
                        field = static_cast<Type>(std::llround(constant.fitted.median));
                    else
                        field = constant.fitted.median;
                }
    });
    return target;
}

} // namespace tilescope
