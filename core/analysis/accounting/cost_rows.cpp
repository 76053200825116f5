#include "core/analysis/accounting/cost_rows.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "core/analysis/accounting/place_names.h"
#include "core/analysis/accounting/step_costs.h"
#include "core/base/saturating.h"

namespace tilescope {
namespace {

std::int64_t repeatsIn(const IdVector<ProgramId, Program>& programs, const PlacedStep& step) {
    return step.program.valid()
               ? std::max<std::int64_t>(1, repeatsInOperation(programs, step.program))
               : 1;
}

class RowMaker {
public:
    RowMaker(const ProfileView& profile, const Accounting& accounting, CostLayer layer, int depth,
             const std::stop_token& stop, SourceReach reach)
        : target_(profile.machine())
        , accounting_(accounting)
        , layer_(layer)
        , depth_(std::max(1, depth))
        , operations_(*profile.operations(stop))
        , programs_(*profile.programs(stop))
        , pipeline_(*profile.pipeline(stop))
        , memory_(*memoryByOperation(profile, stop))
        , executed_(accounting.totals().run >= 0)
        , grain_(grainOf(layer)) {
        if (grain_)
            lines_.emplace(profile, reach, stop);
        for (const Copy& copy : *profile.copies(stop)) {
            if (!copy.computeSet.valid())
                continue;
            copySets_.insert(copy.computeSet);
            if (copy.strided)
                stridedSets_.insert(copy.computeSet);
        }
    }

    std::vector<CostRow> make() {
        for (std::size_t i = 0; i < accounting_.places().size(); ++i)
            if (byPlace())
                addPlace(PlaceId(i));
            else
                addSteps(PlaceId(i));
        if (byPlace())
            addMemory();
        for (std::size_t i = 0; i < rows_.size(); ++i)
            finish(rows_[i], work_[i]);
        std::stable_partition(rows_.begin(), rows_.end(),
                              [](const CostRow& row) { return row.kind.empty(); });
        return std::move(rows_);
    }

private:
    /// Working data of a row, until it is finished.
    struct Work {
        std::set<OperationId> operations;
        std::map<ProgramId, std::size_t> steps; ///< indices into the row's
        std::set<std::string_view> types;
        ModelNodeId node;
        std::int32_t places = 0;
        double tileCycles = 0;    ///< of compute sets: of the run, or of one execution without one
        double computeCycles = 0; ///< likewise
        bool half = false;
    };
    /// Several places may have the same path; each still gets its own row. The kind is a literal,
    /// and the name is empty where the place tells it. What is cheap to compare comes first.
    using Key = std::tuple<PlaceId, IpuId, std::string_view, std::string>;

    [[nodiscard]] bool byPlace() const { return layer_ < CostLayer::Library; }

    [[nodiscard]] std::string nameOf(const CostPlace& place) const {
        if (!place.operation.valid())
            return place.path;
        if (layer_ == CostLayer::Shared)
            return operations_[place.operation].name;
        if (layer_ == CostLayer::Scope)
            return firstParts(place.path, depth_);
        if (layer_ == CostLayer::Type)
            return operations_[place.operation].type;
        if (grain_) {
            std::string name = lines_->name(place.node, *grain_);
            return name.empty() ? "(no line)" : name;
        }
        return place.path;
    }

    [[nodiscard]] std::string nameOf(const CostPlace& place, const PlacedStep& step) const {
        if (!step.program.valid())
            return place.path;
        const std::string& name = programs_[step.program].name;
        std::string row = layer_ == CostLayer::Library ? libraryCall(name) : name;
        return row.empty() ? std::string(displayName(step.kind)) : row;
    }

    std::size_t rowOf(const std::string& name, PlaceId place, IpuId ipu, std::string_view kind) {
        // One place has many steps in a row.
        if (place.valid() && last_.place == place && last_.ipu == ipu && last_.kind == kind)
            return last_.row;
        const auto [known, isNew] = index_.try_emplace(
            {place, ipu, kind, place.valid() ? std::string() : name}, rows_.size());
        last_ = {place, ipu, kind, known->second};
        if (isNew) {
            CostRow& row = rows_.emplace_back();
            row.path = name;
            row.ipu = ipu;
            row.kind = kind;
            work_.emplace_back();
        }
        return known->second;
    }

    void addPlace(PlaceId id) {
        const CostPlace& place = accounting_.places()[id];
        const bool isOperation = place.operation.valid();
        const std::string_view kind = isOperation ? "" : toString(place.kind);
        const std::string name = nameOf(place);
        const PlaceId own = layer_ == CostLayer::Place && isOperation ? id : PlaceId();
        std::map<IpuId, std::int64_t> executions;
        std::map<IpuId, std::int64_t> compute;
        for (const PlacedStep& step : place.steps) {
            const IpuId ipu = step.once.ipu;
            addStep(rowOf(name, own, ipu, kind), step);
            std::int64_t& most = executions[ipu];
            most = std::max(most, step.executions / repeatsOf(step));
            compute[ipu] += step.kind == CostKind::Compute ? step.once.cycles : 0;
        }
        if (executions.empty())
            compute[ipuOf(place)] = executions[ipuOf(place)] = 0;
        for (const auto& [ipu, count] : executions)
            addOperation(rowOf(name, own, ipu, kind), place, count);
        if (!isOperation)
            return;
        addPass(place, name, own);
        // The IPU that computes most does the work.
        const IpuId works =
            std::max_element(compute.begin(), compute.end(), [](const auto& a, const auto& b) {
                return a.second < b.second;
            })->first;
        CostRow& row = rows_[rowOf(name, own, works, kind)];
        const double once = operations_[place.operation].flops;
        row.flopsOnce += once;
        row.flops += once * static_cast<double>(executions.at(works));
    }

    void addPass(const CostPlace& place, const std::string& name, PlaceId own) {
        for (const PlacedStep& step : place.steps) {
            CostRow& row = rows_[rowOf(name, own, step.once.ipu, "")];
            std::int64_t& cycles = row.measuredByPass[static_cast<std::size_t>(place.pass)];
            cycles = saturatingSum(cycles, step.cycles);
        }
    }

    [[nodiscard]] IpuId ipuOf(const CostPlace& place) const {
        const auto stage = static_cast<std::size_t>(std::max(0, place.stage));
        return stage < pipeline_.stages.size() ? pipeline_.stages[stage].ipu : IpuId(0);
    }

    [[nodiscard]] std::int64_t repeatsOf(const PlacedStep& step) const {
        return repeatsIn(programs_, step);
    }

    void addOperation(std::size_t at, const CostPlace& place, std::int64_t executions) {
        CostRow& row = rows_[at];
        row.executions = saturatingSum(row.executions, executions);
        if (!place.operation.valid())
            return;
        row.operations += operations_[place.operation].type == callType ? 0 : 1;
        if (work_[at].operations.empty()) {
            row.pass = place.pass;
            row.stage = place.stage;
            work_[at].node = place.node;
            if (grain_)
                row.source = lines_->frameOf(place.node);
        } else if (row.pass != place.pass) {
            row.pass.reset();
        }
        ++work_[at].places;
        gather(work_[at], place.operation);
        const auto [home, isFirst] = homes_.try_emplace({place.operation, row.ipu}, Home{at});
        home->second.isOnly = isFirst || (home->second.isOnly && home->second.row == at);
    }

    void gather(Work& work, OperationId operation) const {
        work.operations.insert(operation);
        work.types.insert(operations_[operation].type);
        work.half = work.half || memory_.half[operation.index()];
    }

    void addSteps(PlaceId id) {
        const CostPlace& place = accounting_.places()[id];
        const std::string_view kind = place.operation.valid() ? "" : toString(place.kind);
        for (const PlacedStep& step : place.steps) {
            const std::size_t at = rowOf(nameOf(place, step), {}, step.once.ipu, kind);
            addStep(at, step);
            rows_[at].executions = saturatingSum(rows_[at].executions, step.executions);
            if (place.operation.valid())
                gather(work_[at], place.operation);
        }
    }

    void addStep(std::size_t at, const PlacedStep& step) {
        CostRow& row = rows_[at];
        row.measuredCycles = saturatingSum(row.measuredCycles, step.cycles);
        std::int64_t& ofKind = row.measuredByKind[static_cast<std::size_t>(step.kind)];
        ofKind = saturatingSum(ofKind, step.cycles);
        if (!step.program.valid())
            return;
        const auto [known, isNew] = work_[at].steps.try_emplace(step.program, row.steps.size());
        if (isNew)
            row.steps.push_back({step.program});
        RowStep& sum = row.steps[known->second];
        sum.executions = saturatingSum(sum.executions, step.executions);
        sum.cycles = saturatingSum(sum.cycles, step.cycles);
        const std::int64_t repeats = repeatsOf(step);
        const std::int64_t once = cyclesOnce(programs_, step);
        const bool compute = step.kind == CostKind::Compute;
        std::int64_t& estimate = compute ? row.computeOnce : row.exchangeOnce;
        estimate = saturatingSum(estimate, once);
        if (compute && stridedSets_.contains(programs_[step.program].computeSet))
            row.copyOnce = saturatingSum(row.copyOnce, once);
        if (compute && copySets_.contains(programs_[step.program].computeSet))
            row.measuredCopies = saturatingSum(row.measuredCopies, step.cycles);
        const auto cycles = static_cast<double>(executed_ ? step.cycles : once);
        if (compute) {
            work_[at].tileCycles += static_cast<double>(executed_ ? step.executions : repeats) *
                                    static_cast<double>(step.once.tileCycles);
            work_[at].computeCycles += cycles;
        } else if (step.kind != CostKind::Host) {
            row.bytesExchanged = saturatingSum(row.bytesExchanged,
                                               saturatingProduct(step.executions, step.once.bytes));
            row.bytesOnce =
                saturatingSum(row.bytesOnce, saturatingProduct(repeats, step.once.bytes));
        }
        if (step.kind != CostKind::Host)
            row.workCycles += cycles;
    }

    /// An operation's memory exists only once. Unless a row covers all places that share it, it is
    /// listed in the row of their function.
    void addMemory() {
        const bool gathered = layer_ == CostLayer::Shared || layer_ == CostLayer::Type;
        for (std::size_t i = 0; i < memory_.byOperation.size(); ++i) {
            const OperationId operation(i);
            for (const auto& [ipu, bytes] : memory_.byOperation[i]) {
                if (bytes == OperationBytes{})
                    continue;
                const auto home = homes_.find({operation, ipu});
                const bool own =
                    home != homes_.end() && (gathered || accounting_.placesOf(operation) <= 1 ||
                                             (grain_ && home->second.isOnly));
                rows_[own ? home->second.row : memoryRow(functionOf(operation), ipu)].memory +=
                    bytes;
            }
        }
        for (std::size_t n = 0; n < memory_.withoutOperation.size(); ++n) {
            if (memory_.withoutOperation[n] != OperationBytes{})
                rows_[memoryRow("(no operation)", IpuId(n))].memory += memory_.withoutOperation[n];
            if (memory_.sharedVertexCode[n] > 0)
                rows_[memoryRow("(codelets of several operations)", IpuId(n))].memory.vertexCode +=
                    memory_.sharedVertexCode[n];
        }
    }

    std::size_t memoryRow(const std::string& name, IpuId ipu) {
        return rowOf(name, {}, ipu, "sharedCode");
    }

    /// The function that an operation's steps are in: "call_subgraph(3)".
    const std::string& functionOf(OperationId operation) {
        if (functions_.empty()) {
            functions_.assign(operations_.size(), "other tiles");
            for (std::size_t i = 0; i < programs_.size(); ++i)
                if (const OperationId of = programs_[ProgramId(i)].operation;
                    of.valid() && of.index() < functions_.size())
                    functions_[of.index()] = programs_[rootOf(ProgramId(i))].name;
        }
        return functions_[operation.index()];
    }

    [[nodiscard]] ProgramId rootOf(ProgramId program) const {
        // A damaged file may have cyclic parents.
        for (std::size_t i = 0; i < programs_.size(); ++i) {
            const ProgramId above = programs_[program].parent;
            if (!above.valid() || above.index() >= programs_.size())
                break;
            program = above;
        }
        return program;
    }

    void finish(CostRow& row, const Work& work) const {
        if (work.types.size() == 1)
            row.type = *work.types.begin();
        if (work.operations.size() == 1 && layer_ != CostLayer::Type) {
            row.operation = *work.operations.begin();
            row.outputShape = operations_[row.operation].outputShape;
            row.places = accounting_.placesOf(row.operation);
            row.node = work.places == 1 ? work.node : ModelNodeId();
        }
        const double tiles = target_.tilesPerIpu;
        if (work.computeCycles > 0 && tiles > 0)
            row.balance = work.tileCycles / (work.computeCycles * tiles);
        row.peakFlops = peakFlopsPerCycle(target_, work.half) * tiles * row.workCycles;
        row.peakBytes = tiles * target_.exchangeBytesPerCycle * row.workCycles;
    }

    const Target& target_;
    const Accounting& accounting_;
    CostLayer layer_;
    int depth_;
    const IdVector<OperationId, Operation>& operations_;
    const IdVector<ProgramId, Program>& programs_;
    const Pipeline& pipeline_;
    const MemoryByOperation& memory_;
    bool executed_;
    std::optional<SourceGrain> grain_;
    std::optional<SourceNames> lines_; ///< with a grain
    std::set<ComputeSetId> copySets_;
    std::set<ComputeSetId> stridedSets_; ///< of these
    std::map<Key, std::size_t> index_;
    /// The row that was asked for last.
    struct Last {
        PlaceId place;
        IpuId ipu;
        std::string_view kind;
        std::size_t row = 0;
    };
    Last last_;
    /// The first row of an operation.
    struct Home {
        std::size_t row = 0;
        bool isOnly = true; ///< it has all places of the operation
    };
    std::map<std::pair<OperationId, IpuId>, Home> homes_;
    std::vector<CostRow> rows_;
    std::vector<Work> work_;
    std::vector<std::string> functions_; ///< by operation; empty until first used
};

} // namespace

std::int64_t cyclesOnce(const IdVector<ProgramId, Program>& programs, const PlacedStep& step) {
    return step.program.valid() ? saturatingProduct(repeatsIn(programs, step), step.once.cycles)
                                : 0;
}

std::optional<double> CostRow::flopsPerCycle() const {
    if (workCycles <= 0)
        return std::nullopt;
    return (executions > 0 ? flops : flopsOnce) / workCycles;
}

std::optional<double> CostRow::flopsPerByte() const {
    const std::int64_t bytes = executions > 0 ? bytesExchanged : bytesOnce;
    if (bytes <= 0)
        return std::nullopt;
    return (executions > 0 ? flops : flopsOnce) / static_cast<double>(bytes);
}

std::optional<double> CostRow::roofFlopsPerCycle() const {
    if (workCycles <= 0)
        return std::nullopt;
    const double peak = peakFlops / workCycles;
    const std::optional<double> work = flopsPerByte();
    return work ? std::min(peak, *work * peakBytes / workCycles) : peak;
}

std::vector<CostRow> costRows(const ProfileView& profile, const Accounting& accounting,
                              CostLayer layer, int depth, const std::stop_token& stop,
                              SourceReach reach) {
    return RowMaker(profile, accounting, layer, depth, stop, reach).make();
}

std::optional<SourceGrain> grainOf(CostLayer layer) {
    switch (layer) {
    case CostLayer::Line:
        return SourceGrain::Line;
    case CostLayer::Statement:
        return SourceGrain::Statement;
    case CostLayer::Function:
        return SourceGrain::Function;
    case CostLayer::File:
        return SourceGrain::File;
    case CostLayer::Stack:
        return SourceGrain::Stack;
    case CostLayer::Place:
    case CostLayer::Shared:
    case CostLayer::Scope:
    case CostLayer::Type:
    case CostLayer::Library:
    case CostLayer::Step:
        break;
    }
    return std::nullopt;
}

int scopeDepth(const Accounting& accounting) {
    std::ptrdiff_t depth = 0;
    for (const CostPlace& place : accounting.places())
        depth = std::max(depth, 1 + std::count(place.path.begin(), place.path.end(), '/'));
    // Only this many levels are offered to people; names in a damaged file may have any number.
    constexpr std::ptrdiff_t deepest = 100;
    return static_cast<int>(std::min(depth, deepest));
}

// A unit takes a vector of input channels in a cycle: four of half precision, one of single. With
// the 16 units of a Mk2 tile 64 and 16 multiply-accumulates, which gives the published 250 and
// 62.5 TFLOPS of a GC200 (1,472 tiles at 1.33 GHz).
double peakFlopsPerCycle(const Target& target, bool half) {
    const double multiplyAccumulates =
        half ? static_cast<double>(target.convUnitsHalfToHalf) * target.convUnitLoadElemsHalf
             : static_cast<double>(target.convUnitsFloatToFloat);
    return 2 * multiplyAccumulates;
}

} // namespace tilescope
