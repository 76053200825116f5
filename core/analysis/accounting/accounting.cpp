#include "core/analysis/accounting/accounting.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <optional>
#include <unordered_map>
#include <utility>

#include "core/analysis/accounting/executed_steps.h"
#include "core/analysis/accounting/place_names.h"
#include "core/base/error.h"
#include "core/base/saturating.h"
#include "core/trace/range_sums.h"

namespace tilescope {

class AccountingMaker {
public:
    AccountingMaker(const ProfileView& profile, const std::stop_token& stop)
        : profile_(profile)
        , stop_(stop)
        , operations_(*profile.operations(stop))
        , programs_(*profile.programs(stop))
        , graph_(*profile.modelGraph(stop))
        , computeSets_(*profile.computeSets(stop))
        , exchanges_(*profile.exchanges(stop))
        , streams_(*profile.streams(stop))
        , sites_(programs_)
        , names_(graph_, operations_, sites_)
        , estimates_(programs_.size()) {
        made_.placesOf_.assign(operations_.size(), 0);
        made_.totals_.measured.assign(static_cast<std::size_t>(profile.machine().ipus), 0);
        made_.totals_.overlapped = made_.totals_.measured;
    }

    Accounting make(std::int32_t run) {
        for (const PlacedLeaf& leaf :
             placedLeaves(programs_, *profile_.controlPrograms(stop_), sites_))
            addLeaf(leaf);
        addWithoutSteps();
        sortByModel();
        if (profile_.info().hasExecution)
            addRun(run);
        else if (run >= 0)
            throw UserError("there is no run: nothing was executed");
        return std::move(made_);
    }

private:
    using PlaceKey = std::pair<CallSiteId, OperationId>;
    struct StepKey {
        PlaceId place;
        ProgramId program;
        IpuId ipu;
        friend bool operator==(const StepKey&, const StepKey&) = default;
    };
    struct StepHash {
        std::size_t operator()(const StepKey& key) const {
            constexpr std::uint64_t odd = 0x9E3779B97F4A7C15; // 2^64 by the golden ratio
            const auto place = static_cast<std::uint64_t>(key.place.value());
            const auto program = static_cast<std::uint64_t>(key.program.value());
            return ((place * odd + program) * odd + key.ipu.index()) * odd >> 16;
        }
    };
    using StepPlaces = std::unordered_map<StepKey, std::size_t, StepHash>;

    [[nodiscard]] OperationId operationOf(ProgramId program) const {
        const OperationId id = programs_[program].operation;
        return id.valid() && id.index() < operations_.size() ? id : OperationId();
    }

    /// The place of an operation at the end of a chain of calls.
    PlaceId placeAt(CallSiteId site, OperationId operation) {
        const auto [known, isNew] = places_.try_emplace({site, operation}, PlaceId());
        if (!isNew)
            return known->second;
        const PlaceName name = names_.of(site, operation);
        ++made_.placesOf_[operation.index()];
        return known->second = addPlace(name.path, operation, name.node);
    }

    PlaceId addPlace(std::string path, OperationId operation, ModelNodeId node) {
        CostPlace place;
        place.path = path.empty() ? "(no name)" : std::move(path);
        place.operation = operation;
        place.node = node;
        if (node.valid()) {
            place.pass = graph_.nodes[node].phase;
            place.stage = graph_.nodes[node].stage;
        }
        return made_.places_.add(std::move(place));
    }

    PlaceId placeOf(CostKind kind) {
        const auto [known, isNew] = kinds_.try_emplace(kind, PlaceId());
        if (isNew) {
            known->second = addPlace(fmt::format("({})", displayName(kind)), {}, {});
            made_.places_[known->second].kind = kind;
        }
        return known->second;
    }

    [[nodiscard]] PlaceId placeOfStep(CallSiteId site, ProgramId program) {
        const OperationId operation = operationOf(program);
        return operation.valid() ? placeAt(site, operation)
                                 : placeOf(costKindOf(programs_[program].kind));
    }

    /// Steps without an operation belong to no place of the model, whatever their name.
    void addLeaf(const PlacedLeaf& leaf) {
        const CostKind kind = costKindOf(programs_[leaf.program].kind);
        if (kind == CostKind::Other && !operationOf(leaf.program).valid())
            return; // marks of lives, which take no time
        const PlaceId place = placeOfStep(leaf.site, leaf.program);
        for (const StepEstimate& once : estimates(leaf.program))
            stepOf({place, leaf.program, once.ipu}, kind).once = once;
    }

    const std::vector<StepEstimate>& estimates(ProgramId program) {
        std::optional<std::vector<StepEstimate>>& known = estimates_[program.index()];
        if (!known)
            known = estimatedStep(programs_[program], computeSets_, exchanges_, streams_,
                                  profile_.machine().tilesPerIpu);
        return *known;
    }

    PlacedStep& stepOf(const StepKey& key, CostKind kind) {
        std::vector<PlacedStep>& steps = made_.places_[key.place].steps;
        const auto [known, isNew] = steps_.try_emplace(key, steps.size());
        if (isNew) {
            PlacedStep& step = steps.emplace_back();
            step.program = key.program;
            step.kind = kind;
            step.once.ipu = key.ipu;
        }
        return steps[known->second];
    }

    /// Operations that lowering turned into nothing, such as reshapes, are still places.
    void addWithoutSteps() {
        for (const ModelNodeId node : names_.unused()) {
            const ModelNode& of = graph_.nodes[node];
            if (!of.operation.valid() || of.operation.index() >= operations_.size())
                continue;
            addPlace(of.name, of.operation, node);
            ++made_.placesOf_[of.operation.index()];
        }
        if (!graph_.recorded())
            for (std::size_t i = 0; i < operations_.size(); ++i)
                if (made_.placesOf_[i] == 0)
                    placeAt(CallSites::outside(), OperationId(i));
    }

    /// Called last: places keep their ids while steps are added to them.
    void sortByModel() {
        std::vector<PlaceId> order;
        for (std::size_t i = 0; i < made_.places_.size(); ++i)
            order.emplace_back(i);
        const auto rank = [&](PlaceId id) {
            const CostPlace& place = made_.places_[id];
            const bool none = !place.operation.valid();
            // Places that the model's graph lacks follow those that it has.
            return std::tuple(none, place.node.valid() ? place.node.index() : graph_.nodes.size(),
                              none ? static_cast<int>(place.kind) : 0);
        };
        std::stable_sort(order.begin(), order.end(),
                         [&](PlaceId a, PlaceId b) { return rank(a) < rank(b); });
        std::vector<PlaceId> moved(order.size());
        IdVector<PlaceId, CostPlace> sorted;
        for (const PlaceId id : order)
            moved[id.index()] = sorted.add(std::move(made_.places_[id]));
        made_.places_ = std::move(sorted);
        for (auto& [key, place] : places_)
            place = moved[place.index()];
        for (auto& [kind, place] : kinds_)
            place = moved[place.index()];
        StepPlaces steps;
        steps.reserve(steps_.size());
        for (const auto& [key, at] : steps_)
            steps.emplace(StepKey{moved[key.place.index()], key.program, key.ipu}, at);
        steps_ = std::move(steps);
    }

    void addRun(std::int32_t wanted) {
        const auto trace = profile_.trace(stop_);
        const std::vector<TraceRun>& runs = trace->runs();
        if (wanted >= static_cast<std::int32_t>(runs.size()))
            throw UserError(fmt::format("there is no run {}: runs are 0 to {}", wanted,
                                        runs.empty() ? 0 : runs.size() - 1));
        if (runs.empty())
            return;
        const std::size_t chosen = wanted < 0 ? runs.size() - 1 : static_cast<std::size_t>(wanted);
        for (std::size_t i = 0; i < runs.size(); ++i)
            if (i != chosen)
                made_.otherRuns_.push_back(runs[i]);
        const TraceRun& run = runs[chosen];
        RunTotals& totals = made_.totals_;
        totals.run = static_cast<std::int32_t>(chosen);
        totals.name = run.name;
        totals.cycles = run.cycles;
        for (const ExecutedStepTotal& step : executedSteps(trace->lanes(), run.body, sites_))
            addExecuted(step);
        addIdle(trace->lanes(), run);
    }

    void addExecuted(const ExecutedStepTotal& step) {
        const bool isSync = !step.program.valid() || step.program.index() >= programs_.size();
        const CostKind kind = isSync ? CostKind::Sync : costKindOf(programs_[step.program].kind);
        const PlaceId place = isSync ? placeOf(kind) : placeOfStep(step.site, step.program);
        PlacedStep& into = stepOf({place, isSync ? ProgramId() : step.program, step.ipu}, kind);
        std::int64_t& measured = made_.totals_.measured[step.ipu.index()];
        into.executions = saturatingSum(into.executions, step.count);
        into.cycles = saturatingSum(into.cycles, step.cycles);
        measured = saturatingSum(measured, step.cycles);
    }

    /// What remains of the run once everything that happens is counted, overlapping steps only
    /// once.
    void addIdle(const TraceLanes& lanes, const TraceRun& run) {
        for (std::int32_t ipu = 0; ipu < profile_.machine().ipus; ++ipu) {
            const Lane& lane = lanes.lane(run.body, IpuId(ipu));
            const std::int64_t busy =
                RangeSums(lanes, IpuId(ipu)).busy(run.body, 0, lane.length, lane.total);
            std::int64_t& measured = made_.totals_.measured[static_cast<std::size_t>(ipu)];
            const std::int64_t idle = std::max<std::int64_t>(0, run.cycles - busy);
            if (idle > 0)
                stepOf({placeOf(CostKind::Idle), {}, IpuId(ipu)}, CostKind::Idle).cycles = idle;
            measured += idle;
            made_.totals_.overlapped[static_cast<std::size_t>(ipu)] = measured - run.cycles;
        }
    }

    const ProfileView& profile_;
    const std::stop_token& stop_;
    const IdVector<OperationId, Operation>& operations_;
    const IdVector<ProgramId, Program>& programs_;
    const ModelGraph& graph_;
    const IdVector<ComputeSetId, ComputeSet>& computeSets_;
    const IdVector<ExchangeId, Exchange>& exchanges_;
    const IdVector<StreamId, Stream>& streams_;
    CallSites sites_;
    PlaceNames names_;
    Accounting made_;
    std::map<PlaceKey, PlaceId> places_;
    std::map<CostKind, PlaceId> kinds_;
    StepPlaces steps_; ///< index among its place's steps
    std::vector<std::optional<std::vector<StepEstimate>>> estimates_; ///< by program
};

Accounting Accounting::make(const ProfileView& profile, std::int32_t run,
                            const std::stop_token& stop) {
    return AccountingMaker(profile, stop).make(run);
}

std::int32_t Accounting::placesOf(OperationId operation) const {
    return operation.valid() && operation.index() < placesOf_.size()
               ? std::max(1, placesOf_[operation.index()])
               : 1;
}

std::shared_ptr<const Accounting> accountingOf(const ProfileView& profile,
                                               const std::stop_token& stop) {
    return profile.derived<Accounting>([&] { return Accounting::make(profile, -1, stop); });
}

} // namespace tilescope
