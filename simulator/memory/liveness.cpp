#include "simulator/memory/liveness.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "simulator/memory/function_accesses.h"
#include "simulator/memory/live_out.h"

namespace tilescope::sim {
namespace {

using Intervals = std::vector<std::pair<std::int32_t, std::int32_t>>; ///< of steps

void collectCalled(const Profile& profile, ProgramId id, std::set<ProgramId>& called) {
    const Program& program = profile.programs[id];
    if (program.kind == ProgramKind::Call)
        called.insert(program.target);
    for (const ProgramId child : program.children)
        collectCalled(profile, child, called);
}

/// Functions called by the slots of a pipeline are placed once, however many slots call them: an
/// activation waits from slot to slot anyway.
std::vector<ProgramId> standingFunctions(const Profile& profile) {
    std::vector<ProgramId> placed;
    if (profile.pipeline.empty())
        return placed;
    std::set<ProgramId> called;
    for (const ProgramId root : profile.controlPrograms)
        collectCalled(profile, root, called);
    std::copy_if(profile.functions.begin(), profile.functions.end(), std::back_inserter(placed),
                 [&](ProgramId function) { return called.contains(function); });
    return placed;
}

class Analysis {
public:
    Analysis(Profile& profile, const std::set<std::pair<ProgramId, VariableId>>& kills)
        : profile_(profile)
        , kills_(kills)
        , functions_(profile)
        , standing_(standingFunctions(profile))
        , timelines_(1 + standing_.size())
        , lives_(profile.variables.size()) {}

    void run(const std::set<VariableId>& readLater) {
        for (std::size_t i = 0; i < standing_.size(); ++i)
            timelineOf_[standing_[i]] = i + 1;
        for (const ProgramId root : profile_.controlPrograms)
            walk(root, timelines_[0]);
        for (const VariableId variable : readLater)
            timelines_[0].accesses[variable].push_back({timelines_[0].events() - 1, false, false});
        for (std::size_t i = 0; i < standing_.size(); ++i)
            walk(standing_[i], timelines_[i + 1]);
        for (Timeline& timeline : timelines_)
            timeline.stepAt.push_back(stepsBehind(timeline));
        liveOut_.emplace(timelines_);
        for (std::size_t i = 0; i < timelines_.size(); ++i)
            finish(i);
        for (const Timeline& timeline : timelines_)
            for (const auto& [variable, accesses] : timeline.accesses)
                addLife(timeline, variable, accesses);
        classify();
    }

private:
    void walk(ProgramId id, Timeline& timeline) {
        const Program& program = profile_.programs[id];
        const std::int32_t first = timeline.events();
        if (!isControl(program.kind)) {
            const StepId step = profile_.steps.add(id);
            timeline.stepAt.push_back(step.value());
            for (const VariableId v : program.variablesRead)
                timeline.accesses[v].push_back({first, false, false});
            for (const VariableId v : program.variablesWritten)
                timeline.accesses[v].push_back({first, true, kills_.contains({id, v})});
            return;
        }
        if (program.kind == ProgramKind::Call)
            walkCall(id, timeline);
        for (const ProgramId child : program.children)
            walk(child, timeline);
        if (program.kind == ProgramKind::Repeat && program.count > 1)
            timeline.loops.push_back({first, timeline.events()});
    }

    void walkCall(ProgramId id, Timeline& timeline) {
        const ProgramId target = profile_.programs[id].target;
        const std::int32_t first = timeline.events();
        if (const auto own = timelineOf_.find(target); own != timelineOf_.end()) {
            timeline.stepAt.push_back(static_cast<std::int32_t>(profile_.steps.size()));
            timeline.calls.push_back({first, own->second, id});
            return;
        }
        walk(target, timeline);
        for (const VariableId variable : functions_.accessed(target)) {
            VariableUses& accesses = timeline.accesses[variable];
            const auto mine = std::lower_bound(
                accesses.begin(), accesses.end(), first,
                [](const VariableUse& a, std::int32_t event) { return a.event < event; });
            if (mine != accesses.end() && mine->isWrite &&
                (functions_.isOwn(target, variable) || kills_.contains({id, variable})))
                mine->kills = true;
        }
    }

    /// The first step after those of a timeline, which are contiguous.
    [[nodiscard]] std::int32_t stepsBehind(const Timeline& timeline) const {
        for (auto next = &timeline + 1; next < timelines_.data() + timelines_.size(); ++next)
            if (!next->stepAt.empty())
                return next->stepAt.front();
        return static_cast<std::int32_t>(profile_.steps.size());
    }

    /// A call uses the values that its function takes from before the call or leaves after it.
    void finish(std::size_t index) {
        Timeline& timeline = timelines_[index];
        if (timeline.finished)
            return;
        timeline.finished = true;
        std::set<VariableId> touched;
        for (const CallSite& call : timeline.calls) {
            finish(call.callee);
            for (const auto& [variable, inside] : timelines_[call.callee].accesses) {
                const bool reads = !inside.front().isWrite;
                if (!reads && !liveOut_->isLiveOut(variable, call.callee))
                    continue; // no value leaves the function: every use makes it anew
                VariableUses& accesses = timeline.accesses[variable];
                if (reads)
                    accesses.push_back({call.event, false, false});
                if (std::any_of(inside.begin(), inside.end(),
                                [](const VariableUse& a) { return a.isWrite; }))
                    accesses.push_back(
                        {call.event, true, kills_.contains({call.program, variable}), !reads});
                touched.insert(variable);
            }
        }
        for (const VariableId variable : touched) {
            VariableUses& accesses = timeline.accesses[variable];
            std::stable_sort(
                accesses.begin(), accesses.end(),
                [](const VariableUse& a, const VariableUse& b) { return a.event < b.event; });
            dropDeadWrites(accesses, index == 0 || !liveOut_->isLiveOut(variable, index));
            if (accesses.empty())
                timeline.accesses.erase(variable);
        }
    }

    /// Removes calls whose value is overwritten before it is read. `ends`: it is not read after the
    /// timeline.
    static void dropDeadWrites(VariableUses& accesses, bool ends) {
        for (std::size_t i = accesses.size(); i-- > 0;) {
            const bool isLast = i + 1 == accesses.size();
            const VariableUse& next = accesses[isLast ? 0 : i + 1];
            const bool overwritten = (!isLast || ends) && (next.kills || accesses.size() == 1);
            if (accesses[i].mayBeDead && !accesses[i].kills && overwritten)
                accesses.erase(accesses.begin() + static_cast<std::ptrdiff_t>(i));
        }
    }

    /// The life between two kills, each from the first access to the last.
    void addLife(const Timeline& timeline, VariableId variable, const VariableUses& accesses) {
        auto begin = accesses.begin();
        while (begin != accesses.end()) {
            auto end = std::find_if(begin + 1, accesses.end(),
                                    [](const VariableUse& a) { return a.kills; });
            addSpan(timeline, variable, {begin, end});
            begin = end;
        }
    }

    void addSpan(const Timeline& timeline, VariableId variable, const VariableUses& accesses) {
        std::int32_t first = accesses.front().event;
        std::int32_t last = accesses.back().event;
        std::vector<Loop> whole; // that the value lives over
        for (const Loop& loop : timeline.loops) {
            if (last < loop.first || first >= loop.end)
                continue;
            const bool outside = first < loop.first || last >= loop.end;
            if (outside || carriesOver(accesses, loop)) {
                first = std::min(first, loop.first);
                last = std::max(last, loop.end - 1);
                whole.push_back(loop);
            }
        }
        Intervals& life = lives_[variable.index()];
        const auto stepAt = [&](std::int32_t event) {
            return timeline.stepAt[static_cast<std::size_t>(event)];
        };
        life.emplace_back(stepAt(first), stepAt(last + 1));
        std::set<std::size_t> bodies;
        for (const CallSite& call : timeline.calls) {
            if (call.event < first || call.event > last)
                continue;
            // A function that makes the value, or reads it last, holds it for a part of its steps.
            const bool again = std::any_of(whole.begin(), whole.end(), [&](const Loop& loop) {
                return loop.first <= call.event && call.event < loop.end;
            });
            const bool begins = !again && call.event == first && accesses.front().isWrite;
            const bool ends = !again && call.event == last;
            if (begins && !ends)
                addPart(call.callee, variable, true, life, bodies);
            else if (ends && !begins)
                addPart(call.callee, variable, false, life, bodies);
            else if (!begins)
                addBody(call.callee, bodies);
        }
        for (const std::size_t body : bodies)
            life.emplace_back(timelines_[body].stepAt.front(), timelines_[body].stepAt.back());
    }

    /// The steps of a function from its first access of a variable on, or up to its last.
    void addPart(std::size_t function, VariableId variable, bool fromFirst, Intervals& life,
                 std::set<std::size_t>& bodies) const {
        const Timeline& timeline = timelines_[function];
        const auto found = timeline.accesses.find(variable);
        if (found == timeline.accesses.end()) {
            addBody(function, bodies);
            return;
        }
        const std::int32_t turn =
            fromFirst ? found->second.front().event : found->second.back().event;
        std::int32_t first = fromFirst ? turn : 0;
        std::int32_t last = fromFirst ? timeline.events() - 2 : turn;
        for (const Loop& loop : timeline.loops)
            if (loop.first <= turn && turn < loop.end) {
                first = std::min(first, loop.first);
                last = std::max(last, loop.end - 1);
            }
        life.emplace_back(timeline.stepAt[static_cast<std::size_t>(first)],
                          timeline.stepAt[static_cast<std::size_t>(last) + 1]);
        for (const CallSite& call : timeline.calls)
            if (call.event == turn && first <= turn && turn <= last)
                addPart(call.callee, variable, fromFirst, life, bodies);
            else if (first <= call.event && call.event <= last)
                addBody(call.callee, bodies);
    }

    /// A function and all that it calls.
    void addBody(std::size_t function, std::set<std::size_t>& bodies) const {
        if (!bodies.insert(function).second)
            return;
        for (const CallSite& call : timelines_[function].calls)
            addBody(call.callee, bodies);
    }

    /// Inside a loop, a read that no write of the same iteration precedes sees the last
    /// iteration's.
    static bool carriesOver(const VariableUses& accesses, const Loop& loop) {
        const auto first =
            std::find_if(accesses.begin(), accesses.end(), [&](const VariableUse& a) {
                return a.event >= loop.first && a.event < loop.end;
            });
        return first != accesses.end() && !first->isWrite &&
               std::any_of(first, accesses.end(),
                           [&](const VariableUse& a) { return a.isWrite && a.event < loop.end; });
    }

    void classify() {
        std::map<Intervals, LivenessClassId> known;
        for (std::size_t i = 0; i < lives_.size(); ++i) {
            Variable& variable = profile_.variables[VariableId(i)];
            if (variable.alwaysLive || lives_[i].empty())
                continue;
            merge(lives_[i]);
            auto found = known.find(lives_[i]);
            if (found == known.end()) {
                LivenessClass made;
                for (const auto& [first, end] : lives_[i])
                    made.intervals.push_back({StepId(first), StepId(end)});
                found =
                    known.emplace(lives_[i], profile_.livenessClasses.add(std::move(made))).first;
            }
            variable.liveness = found->second;
        }
    }

    static void merge(Intervals& intervals) {
        std::erase_if(intervals, [](const auto& i) { return i.first == i.second; });
        std::sort(intervals.begin(), intervals.end());
        std::size_t kept = 0;
        for (std::size_t i = 1; i < intervals.size(); ++i) {
            if (intervals[i].first <= intervals[kept].second)
                intervals[kept].second = std::max(intervals[kept].second, intervals[i].second);
            else
                intervals[++kept] = intervals[i];
        }
        intervals.resize(std::min(intervals.size(), kept + 1));
    }

    Profile& profile_;
    const std::set<std::pair<ProgramId, VariableId>>& kills_;
    FunctionAccesses functions_;
    std::vector<ProgramId> standing_;
    std::vector<Timeline> timelines_; ///< of all control programs, then one for each of standing_
    std::map<ProgramId, std::size_t> timelineOf_;
    std::optional<LiveOut> liveOut_;
    std::vector<Intervals> lives_;
};

} // namespace

void analyseLiveness(Profile& profile, const std::set<std::pair<ProgramId, VariableId>>& kills,
                     const std::set<VariableId>& readLater) {
    Analysis(profile, kills).run(readLater);
}

} // namespace tilescope::sim
