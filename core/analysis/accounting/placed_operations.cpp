#include "core/analysis/accounting/placed_operations.h"

#include <algorithm>
#include <map>
#include <utility>

#include "core/analysis/accounting/place_names.h"

namespace tilescope {
namespace {

using Programs = IdVector<ProgramId, Program>;

/// Visits the program tree in liveness order and records, for each of its steps, the calls by which
/// it is reached.
class StepSites {
public:
    StepSites(const Programs& programs, const IdVector<StepId, ProgramId>& steps, CallSites& sites)
        : programs_(programs)
        , steps_(steps)
        , sites_(sites)
        , found_(steps.size(), CallSites::outside()) {}

    /// The steps of a control program or function.
    void follow(ProgramId root) {
        std::vector<PlacedLeaf> open;
        push(open, CallSites::outside(), root);
        while (!open.empty() && at_ < found_.size()) {
            const auto [site, id] = open.back();
            open.pop_back();
            const Program& program = programs_[id];
            if (program.kind == ProgramKind::Call) {
                // Functions called by a pipeline's slots are not in the order at this point.
                if (firstLeaf(program.target) == steps_[StepId(at_)])
                    push(open, sites_.enter(site, id), program.target);
            } else if (isControl(program.kind)) {
                pushChildren(open, site, program);
            } else if (steps_[StepId(at_)] == id) {
                found_[at_++] = site;
            }
        }
    }

    [[nodiscard]] bool startsWith(ProgramId root) const {
        return at_ < found_.size() && firstLeaf(root) == steps_[StepId(at_)];
    }
    [[nodiscard]] const std::vector<CallSiteId>& found() const { return found_; }

private:
    void push(std::vector<PlacedLeaf>& open, CallSiteId site, ProgramId program) const {
        if (program.valid() && program.index() < programs_.size())
            open.push_back({site, program});
    }

    /// In reverse, so that the first child is visited next.
    void pushChildren(std::vector<PlacedLeaf>& open, CallSiteId site,
                      const Program& program) const {
        std::for_each(program.children.rbegin(), program.children.rend(),
                      [&](ProgramId child) { push(open, site, child); });
    }

    [[nodiscard]] ProgramId firstLeaf(ProgramId root) const {
        std::vector<PlacedLeaf> open;
        push(open, CallSites::outside(), root);
        // Each program once; only a damaged file has a function that calls itself.
        for (std::size_t left = programs_.size(); !open.empty() && left > 0; --left) {
            const ProgramId id = open.back().program;
            open.pop_back();
            const Program& program = programs_[id];
            if (program.kind == ProgramKind::Call)
                push(open, CallSites::outside(), program.target);
            else if (!isControl(program.kind))
                return id;
            pushChildren(open, CallSites::outside(), program);
        }
        return {};
    }

    const Programs& programs_;
    const IdVector<StepId, ProgramId>& steps_;
    CallSites& sites_;
    std::vector<CallSiteId> found_;
    std::size_t at_ = 0;
};

class OperationList {
public:
    OperationList(const ProfileView& profile, Stop stop)
        : programs_(profile.programs(stop))
        , operations_(profile.operations(stop))
        , steps_(profile.steps(stop))
        , graph_(profile.modelGraph(stop))
        , sites_(*programs_) {
        StepSites walk(*programs_, *steps_, sites_);
        for (const ProgramId root : *profile.controlPrograms(stop))
            walk.follow(root);
        for (const ProgramId root : *profile.functions(stop))
            if (walk.startsWith(root))
                walk.follow(root);
        siteOfStep_ = walk.found();
    }

    std::vector<PlacedOperation> make() {
        PlaceNames names(*graph_, *operations_, sites_);
        for (std::size_t i = 0; i < steps_->size(); ++i)
            addStep(StepId(i), names);
        for (const ModelNodeId node : names.unused()) {
            const ModelNode& of = graph_->nodes[node];
            if (of.operation.valid())
                result_.push_back({of.name, of.operation, node, {}, {}, {}});
        }
        addCalls();
        for (PlacedOperation& place : result_) {
            std::sort(place.programs.begin(), place.programs.end());
            place.programs.erase(std::unique(place.programs.begin(), place.programs.end()),
                                 place.programs.end());
        }
        return std::move(result_);
    }

private:
    void addStep(StepId step, PlaceNames& names) {
        const ProgramId program = (*steps_)[step];
        const OperationId operation = (*programs_)[program].operation;
        const CallSiteId site = operation.valid() ? siteOfStep_[step.index()] : CallSiteId();
        const auto [at, isNew] = places_.emplace(std::pair(site, operation), result_.size());
        if (isNew) {
            const PlaceName name = operation.valid() ? names.of(site, operation) : PlaceName();
            result_.push_back({name.path, operation, name.node, step, step, {}});
        }
        PlacedOperation& place = result_[at->second];
        place.lastStep = step;
        place.programs.push_back(program);
    }

    /// The calls of an operation have their own code.
    void addCalls() {
        std::vector<std::vector<ProgramId>> calls(operations_->size());
        for (std::size_t i = 0; i < programs_->size(); ++i) {
            const Program& program = (*programs_)[ProgramId(i)];
            if (program.kind == ProgramKind::Call && program.operation.valid())
                calls.at(program.operation.index()).push_back(ProgramId(i));
        }
        for (PlacedOperation& place : result_)
            if (place.operation.valid() && place.firstStep.valid()) {
                const std::vector<ProgramId>& own = calls[place.operation.index()];
                place.programs.insert(place.programs.end(), own.begin(), own.end());
            }
    }

    std::shared_ptr<const Programs> programs_;
    std::shared_ptr<const IdVector<OperationId, Operation>> operations_;
    std::shared_ptr<const IdVector<StepId, ProgramId>> steps_;
    std::shared_ptr<const ModelGraph> graph_;
    CallSites sites_;
    std::vector<CallSiteId> siteOfStep_;
    std::map<std::pair<CallSiteId, OperationId>, std::size_t> places_;
    std::vector<PlacedOperation> result_;
};

} // namespace

std::vector<PlacedOperation> placedOperations(const ProfileView& profile, Stop stop) {
    return OperationList(profile, stop).make();
}

} // namespace tilescope
