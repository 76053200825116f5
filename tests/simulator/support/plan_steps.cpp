#include "support/plan_steps.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <set>

#include <boost/json.hpp>

namespace tilescope::test {
namespace {

enum Term : std::size_t { Compute, Exchange, Reduce, Serial, Rearrange };

/// What a compute set or an exchange is part of, by the last part of its name.
Term termOf(const Profile& profile, const Program& leaf) {
    if (leaf.exchange.valid())
        return profile.exchanges[leaf.exchange].name.starts_with("cs") ? Exchange : Rearrange;
    const std::string& name = profile.computeSets[leaf.computeSet].name;
    const std::string_view step = std::string_view(name).substr(name.rfind('/') + 1);
    if (step == "Convolve")
        return Compute;
    if (step.starts_with("Reduce") || step == "Cast")
        return Reduce;
    return step.find("erial") != std::string::npos ? Serial : Rearrange;
}

class Steps {
public:
    explicit Steps(const Profile& profile)
        : profile_(profile) {}

    std::map<OperationId, PlanTerms> timed() {
        for (const ProgramId root : profile_.controlPrograms)
            visit(root, 1);
        return std::move(timed_);
    }

private:
    /// `slices`: how often a loop of the operation itself runs it.
    void visit(ProgramId id, std::int64_t slices) {
        const Program& program = profile_.programs[id];
        if (!seen_.insert(id).second)
            return;
        if (program.kind == ProgramKind::Repeat && program.operation.valid())
            slices *= program.count;
        for (const ProgramId child : program.children)
            visit(child, slices);
        if (program.target.valid())
            visit(program.target, 1);
        if (!program.operation.valid())
            return;
        std::int64_t cycles = 0;
        if (program.exchange.valid() && exchanges_.insert(program.exchange).second)
            cycles = profile_.exchanges[program.exchange].cycles.max().value;
        else if (program.computeSet.valid() && sets_.insert(program.computeSet).second)
            cycles = profile_.computeSets[program.computeSet].cycles.max().value;
        else
            return;
        timed_[program.operation].cycles[termOf(profile_, program)] += slices * cycles;
    }

    const Profile& profile_;
    std::set<ProgramId> seen_;
    std::set<ComputeSetId> sets_;
    std::set<ExchangeId> exchanges_;
    std::map<OperationId, PlanTerms> timed_;
};

} // namespace

std::int64_t PlanTerms::total() const {
    return std::accumulate(cycles.begin(), cycles.end(), std::int64_t{0});
}

std::vector<PlanSteps> planStepsOf(const Profile& profile) {
    std::vector<PlanSteps> all;
    std::set<std::pair<std::string, std::array<std::int64_t, PlanTerms::names.size()>>> known;
    for (const auto& [id, timed] : Steps(profile).timed()) {
        const std::string& plan = profile.operations[id].plan;
        if (plan.find("\"convUnits\"") == std::string::npos ||
            !known.emplace(plan, timed.cycles).second)
            continue;
        PlanSteps steps{id, {}, timed};
        const boost::json::value json = boost::json::parse(plan);
        for (std::size_t i = 0; i < PlanTerms::names.size(); ++i)
            steps.estimated.cycles[i] =
                json.at("estimate").at(PlanTerms::names[i]).to_number<std::int64_t>();
        all.push_back(std::move(steps));
    }
    return all;
}

} // namespace tilescope::test
