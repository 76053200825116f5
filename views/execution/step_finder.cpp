#include "views/execution/step_finder.h"

#include <algorithm>

#include "core/base/error.h"
#include "core/trace/range_programs.h"

namespace tilescope::views {
namespace {

// Programs whose name contains a text. A long search ends when it is no longer wanted.
ProgramSet programsWith(const IdVector<ProgramId, Program>& programs, const QString& text,
                        const std::stop_token& stop) {
    ProgramSet wanted(programs.size(), false);
    constexpr std::size_t looksForStop = 4096;
    for (std::size_t i = 0; i < wanted.size(); ++i) {
        if (i % looksForStop == 0 && stop.stop_requested())
            throw Cancelled();
        wanted[i] =
            QString::fromStdString(programs[ProgramId(i)].name).contains(text, Qt::CaseInsensitive);
    }
    return wanted;
}

ProgramId longestOf(OperationId operation, const IdVector<ProgramId, Program>& programs,
                    const std::vector<ProgramExecutions>& executions) {
    ProgramId longest;
    for (std::size_t i = 0; i < programs.size(); ++i) {
        const ProgramId id(i);
        if (programs[id].operation == operation && executions[i].cycles > 0 &&
            (!longest.valid() || executions[i].cycles > executions[longest.index()].cycles))
            longest = id;
    }
    return longest;
}

ProgramSet only(ProgramId program) {
    ProgramSet set(program.index() + 1, false);
    set[program.index()] = true;
    return set;
}

/// Executions of a program before a step.
std::int64_t countOf(const TraceIndex& index, ProgramId program, std::int64_t before) {
    return index.countAny(only(program), before);
}

/// The n-th execution of a program, from 0, or else its last one; -1 if it is never executed.
std::int64_t nthExecution(const TraceIndex& index, ProgramId program, std::int64_t n) {
    const ProgramSet wanted = only(program);
    const std::int64_t all = index.countAny(wanted, index.stepCount());
    const std::int64_t last = std::min(n, all - 1);
    std::int64_t from = 0;
    std::int64_t to = index.stepCount();
    while (from < to) {
        const std::int64_t middle = from + (to - from) / 2;
        if (index.countAny(wanted, middle + 1) > last)
            to = middle;
        else
            from = middle + 1;
    }
    return all == 0 ? -1 : from;
}

} // namespace

StepFinder::StepFinder(ViewContext& context, QObject* parent)
    : QObject(parent)
    , findQuery_(context.workers)
    , countQuery_(context.workers) {}

void StepFinder::cancel() {
    findQuery_.cancel();
    countQuery_.cancel();
}

void StepFinder::count(const ProfileViewPtr& profile, const QString& text, std::int64_t at) {
    countQuery_.start([this, profile, text, at](const std::stop_token& stop) {
        const auto index = profile->trace(stop);
        const ProgramSet wanted = programsWith(*profile->programs(stop), text, stop);
        const std::int64_t total = index->countAny(wanted, index->stepCount());
        const std::int64_t upTo = at < 0 ? 0 : index->countAny(wanted, at + 1);
        const bool onMatch = at >= 0 && upTo > index->countAny(wanted, at);
        return [this, total, current = onMatch ? upTo : 0] { emit counted(current, total); };
    });
}

void StepFinder::findText(const ProfileViewPtr& profile, const QString& text, const From& from,
                          bool forward, OnStep found) {
    findQuery_.start([this, profile, text, from, forward, found = std::move(found)](
                         const std::stop_token& stop) -> BackgroundQuery::Deliver {
        const auto index = profile->trace(stop);
        const ProgramSet wanted = programsWith(*profile->programs(stop), text, stop);
        const std::int64_t first = from.step >= 0 ? from.step : firstStepFrom(*index, from.cycle);
        const std::int64_t start = from.step < 0 && forward ? first - 1 : first;
        std::int64_t step = index->findAny(wanted, start, forward);
        if (step < 0) // wraps around
            step = index->findAny(wanted, forward ? -1 : index->stepCount(), forward);
        if (step < 0)
            return [this, text] { emit notFound(tr("No step contains '%1'").arg(text)); };
        return [found, step] { found(step); };
    });
}

void StepFinder::findBeside(const ProfileViewPtr& profile, std::int64_t from, bool forward,
                            IpuId ipu, double cycle, OnStep found) {
    findQuery_.start([profile, from, forward, ipu, cycle, found = std::move(found)](
                         const std::stop_token& stop) -> BackgroundQuery::Deliver {
        const auto index = profile->trace(stop);
        const std::int64_t step = from < 0
                                      ? index->stepAtCycle(ipu, static_cast<std::int64_t>(cycle))
                                      : from + (forward ? 1 : -1);
        if (index->empty())
            return {};
        return [found, step = std::clamp<std::int64_t>(step, 0, index->stepCount() - 1)] {
            found(step);
        };
    });
}

void StepFinder::findProgram(const ProfileViewPtr& profile, ProgramId program, std::int64_t from,
                             OnExecuted found,
                             std::function<void(const std::optional<ExecutedCall>&)> foundCall) {
    findQuery_.start(
        [profile, program, from, found = std::move(found), foundCall = std::move(foundCall)](
            const std::stop_token& stop) -> BackgroundQuery::Deliver {
            const auto index = profile->trace(stop);
            std::int64_t step = index->findProgram(program, from);
            if (step < 0)
                step = index->findProgram(program, -1);
            if (step < 0)
                return [foundCall, call = index->findCall(program)] { foundCall(call); };
            return [found, executed = index->stepAt(step)] { found(executed); };
        });
}

void StepFinder::findOperation(const ProfileViewPtr& profile, OperationId operation,
                               OnExecuted found) {
    findQuery_.start([this, profile, operation, found = std::move(found)](
                         const std::stop_token& stop) -> BackgroundQuery::Deliver {
        const auto index = profile->trace(stop);
        const auto programs = profile->programs(stop);
        const ProgramId longest =
            longestOf(operation, *programs, index->executions(programs->size()));
        const std::int64_t step = longest.valid() ? index->findProgram(longest, -1) : -1;
        if (step < 0)
            return
                [this] { emit notFound(tr("No step of the execution belongs to this operation")); };
        return [found, executed = index->stepAt(step)] { found(executed); };
    });
}

// If many copies are merged into one box, no single step can be found.
void StepFinder::findCopy(const ProfileViewPtr& profile, std::int64_t begin, OnStep found) {
    findQuery_.start([this, profile, begin, found = std::move(found)](
                         const std::stop_token& stop) -> BackgroundQuery::Deliver {
        const std::int64_t step = stepOfCopy(*profile, begin, stop);
        if (step < 0)
            return [this] { emit notFound(tr("Zoom in to tell these stream copies apart")); };
        return [found, step] { found(step); };
    });
}

void StepFinder::findMicroBatch(const ProfileViewPtr& profile, MicroBatchId microBatch,
                                CycleRange range,
                                std::function<void(const std::vector<MicroBatchRun>&)> found) {
    findQuery_.start([profile, microBatch, range,
                      found = std::move(found)](const std::stop_token& stop) {
        return [found, runs = microBatchesOf(*profile, stop)
                                  ->runsOf(microBatch.value(), *profile->trace(stop), range, 1)] {
            found(runs);
        };
    });
}

void StepFinder::findCounterpart(const ProfilePair& profiles, std::int64_t step, bool inTarget,
                                 OnStep found) {
    findQuery_.start([this, profiles, step, inTarget, found = std::move(found)](
                         const std::stop_token& stop) -> BackgroundQuery::Deliver {
        const auto own = profileOf(profiles, inTarget)->trace(stop);
        const auto other = profileOf(profiles, !inTarget)->trace(stop);
        const ProgramId program = own->stepAt(step).program;
        const auto matching = profiles.matching->programs(stop);
        const ProgramId match =
            inTarget ? matching->sourceOf(program) : matching->targetOf(program);
        const std::int64_t at =
            match.valid() ? nthExecution(*other, match, countOf(*own, program, step)) : -1;
        if (at < 0)
            return [this] { emit notFound(tr("The other profile has no such step")); };
        return [found, at] { found(at); };
    });
}

} // namespace tilescope::views
