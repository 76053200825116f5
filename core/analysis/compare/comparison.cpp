#include "core/analysis/compare/comparison.h"

#include <algorithm>
#include <cstdlib>
#include <fmt/format.h>
#include <map>

#include "core/analysis/compare/table_builder.h"
#include "core/analysis/programs/programs.h"

namespace tilescope {
namespace {

/// Where the pieces of both sides are matched: index of the operation, or -1, and the use.
using UseKey = std::pair<std::int32_t, std::string>;

struct BeforeAfter {
    std::int64_t before = 0;
    std::int64_t after = 0;
};

class Comparer {
public:
    Comparer(const ProfilePair& pair, const std::stop_token& stop)
        : stop_(stop)
        , source_(*pair.source)
        , target_(*pair.target)
        , matching_(*pair.matching)
        , operations_(*matching_.operations(stop)) {}

    Comparison run() {
        result_.source = source_.info();
        result_.target = target_.info();
        result_.sourceMemory = memorySummary(source_, stop_);
        result_.targetMemory = memorySummary(target_, stop_);
        result_.sourcePeak = LivenessCurve::peakOf(*source_.notAlwaysLive(stop_));
        result_.targetPeak = LivenessCurve::peakOf(*target_.notAlwaysLive(stop_));
        result_.sourcePeakName = stepName(source_, result_.sourcePeak);
        result_.targetPeakName = stepName(target_, result_.targetPeak);
        result_.cycleBasis = source_.info().hasExecution && target_.info().hasExecution
                                 ? CycleBasis::Executed
                                 : CycleBasis::Estimated;
        compareMetrics();
        result_.options = optionChanges(source_.info(), target_.info());
        comparePlans();
        const CycleBasis basis = result_.cycleBasis;
        result_.memory = causes(
            memoryPieces(source_, stop_), memoryPieces(target_, stop_), [](const MemoryUse& use) {
                return fmt::format("{}, {}", displayName(use.category),
                                   use.alwaysLive ? "always live" : "at the peak");
            });
        result_.cycles =
            causes(cyclePieces(source_, basis, stop_), cyclePieces(target_, basis, stop_),
                   [](CycleUse use) { return std::string(displayName(use)); });
        result_.tables = comparedTables(source_, target_, matching_, basis, stop_);
        align();
        return std::move(result_);
    }

private:
    [[nodiscard]] std::string stepName(const ProfileView& profile, StepId step) const {
        const auto& programs = *profile.programs(stop_);
        const auto& steps = *profile.steps(stop_);
        if (!step.valid() || step.index() >= steps.size())
            return {};
        const ProgramId program = steps[step];
        return program.valid() && program.index() < programs.size()
                   ? programLabel(programs[program])
                   : std::string();
    }

    void compareMetrics() {
        const auto before = metricValues(source_, stop_);
        const auto after = metricValues(target_, stop_);
        for (std::size_t i = 0; i < before.size(); ++i)
            result_.metrics.push_back({before[i], after[i]});
    }

    void comparePlans() {
        if (!source_.info().has(ProfilePart::Plans) || !target_.info().has(ProfilePart::Plans))
            return; // what is not known has not changed
        for (std::size_t i = 0; i < operations_.matches().size(); ++i) {
            const Match& match = operations_.matches()[i];
            if (!match.both())
                continue;
            const Operation& a = (*source_.operations(stop_))[OperationId(match.source)];
            const Operation& b = (*target_.operations(stop_))[OperationId(match.target)];
            if (a.plan.empty() && b.plan.empty())
                continue;
            ++result_.plannedOperations;
            std::vector<PlanDifference> differences = planDifferences(a.plan, b.plan);
            if (differences.empty())
                continue;
            planTexts_[static_cast<std::int32_t>(i)] = planText(differences);
            result_.plans.push_back({OperationId(match.source), OperationId(match.target), a.name,
                                     std::move(differences), planEstimate(a.plan),
                                     planEstimate(b.plan)});
        }
        const auto change = [](const PlanChange& plan) {
            return std::abs(plan.targetEstimate.tempBytes.value_or(0) -
                            plan.sourceEstimate.tempBytes.value_or(0));
        };
        std::stable_sort(
            result_.plans.begin(), result_.plans.end(),
            [&](const PlanChange& a, const PlanChange& b) { return change(a) > change(b); });
    }

    template <class Pieces, class UseText>
    CauseList causes(const Pieces& before, const Pieces& after, UseText useText) const {
        CauseList list;
        std::map<UseKey, BeforeAfter> sums;
        for (const auto& [piece, amount] : before) {
            sums[{operations_.placeInSource(piece.first), useText(piece.second)}].before += amount;
            list.before += amount;
        }
        for (const auto& [piece, amount] : after) {
            sums[{operations_.placeInTarget(piece.first), useText(piece.second)}].after += amount;
            list.after += amount;
        }
        for (const auto& [key, sum] : sums)
            if (sum.before != sum.after)
                list.causes.push_back(causeOf(key, sum));
        sortByChange(list);
        return list;
    }

    [[nodiscard]] Cause causeOf(const UseKey& key, const BeforeAfter& sum) const {
        Cause cause;
        cause.use = key.second;
        cause.before = sum.before;
        cause.after = sum.after;
        if (key.first < 0) {
            cause.name = "(whole program)";
            return cause;
        }
        const Match& match = operations_.matches()[static_cast<std::size_t>(key.first)];
        cause.source = OperationId(match.source);
        cause.target = OperationId(match.target);
        cause.name = nameOf(match);
        if (const auto plan = planTexts_.find(key.first); plan != planTexts_.end())
            cause.planChange = plan->second;
        return cause;
    }

    [[nodiscard]] const std::string& nameOf(const Match& match) const {
        return match.source >= 0 ? (*source_.operations(stop_))[OperationId(match.source)].name
                                 : (*target_.operations(stop_))[OperationId(match.target)].name;
    }

    /// First step and most live bytes of each operation of one side.
    struct Live {
        StepId first;
        std::int64_t most = 0;
    };
    [[nodiscard]] std::vector<Live> liveByOperation(const ProfileView& profile) const {
        const auto& steps = *profile.steps(stop_);
        const auto& programs = *profile.programs(stop_);
        const auto& curve = *profile.notAlwaysLive(stop_);
        std::vector<Live> live(profile.operations(stop_)->size());
        for (std::size_t i = 0; i < std::min(steps.size(), curve.size()); ++i) {
            const ProgramId program = steps[StepId(i)];
            if (!program.valid() || program.index() >= programs.size())
                continue;
            const OperationId operation = programs[program].operation;
            if (!operation.valid() || operation.index() >= live.size())
                continue;
            Live& entry = live[operation.index()];
            if (!entry.first.valid())
                entry.first = StepId(i);
            entry.most = std::max(entry.most, curve[i]);
        }
        return live;
    }

    void align() {
        const std::vector<Live> before = liveByOperation(source_);
        const std::vector<Live> after = liveByOperation(target_);
        std::map<std::pair<std::int32_t, std::int32_t>, const ComparedRow*> rows;
        for (const ComparedRow& row : result_.tables.front().rows)
            rows[{row.source, row.target}] = &row;
        for (const Match& match : operations_.matches()) {
            AlignedOperation aligned;
            aligned.source = OperationId(match.source);
            aligned.target = OperationId(match.target);
            aligned.name = nameOf(match);
            const auto fill = [](const std::vector<Live>& live, OperationId id, StepId& step,
                                 std::optional<std::int64_t>& most) {
                if (!id.valid() || !live[id.index()].first.valid())
                    return;
                step = live[id.index()].first;
                most = live[id.index()].most;
            };
            fill(before, aligned.source, aligned.sourceStep, aligned.liveBefore);
            fill(after, aligned.target, aligned.targetStep, aligned.liveAfter);
            const ComparedRow& row = *rows.at({match.source, match.target});
            aligned.cyclesBefore = row.before.front().value_or(0);
            aligned.cyclesAfter = row.after.front().value_or(0);
            result_.aligned.push_back(std::move(aligned));
        }
    }

    const std::stop_token& stop_;
    const ProfileView& source_;
    const ProfileView& target_;
    const ProfileMatching& matching_;
    const MatchedOperations& operations_;
    std::map<std::int32_t, std::string> planTexts_; ///< by place of the operation
    Comparison result_;
};

} // namespace

std::optional<double> ComparedMetric::difference() const {
    return source && target ? std::optional<double>(*target - *source) : std::nullopt;
}

std::optional<double> ComparedMetric::relative() const {
    return source && target && *source != 0 ? std::optional<double>(*target / *source - 1)
                                            : std::nullopt;
}

bool Comparison::empty() const {
    const auto unchanged = [](const AlignedOperation& o) {
        return o.liveBefore == o.liveAfter && o.cyclesBefore == o.cyclesAfter &&
               o.sourceStep == o.targetStep;
    };
    return options.empty() && plans.empty() && memory.causes.empty() && cycles.causes.empty() &&
           std::none_of(metrics.begin(), metrics.end(),
                        [](const ComparedMetric& metric) { return metric.changed(); }) &&
           std::all_of(tables.begin(), tables.end(),
                       [](const ComparedTable& table) { return table.changes() == 0; }) &&
           std::all_of(aligned.begin(), aligned.end(), unchanged);
}

Comparison compareProfiles(const ProfilePair& pair, const std::stop_token& stop) {
    return Comparer(pair, stop).run();
}

} // namespace tilescope
