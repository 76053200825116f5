// Finding steps of an execution on worker threads.
#pragma once

#include <functional>

#include "core/analysis/execution/micro_batches.h"
#include "core/view/thing.h"
#include "views/execution/trace_content.h"
#include "views/query/background_query.h"

namespace tilescope::views {

/// Looks for one step at a time: a new search replaces the one under way. Steps are given by their
/// execution index in the profile.
class StepFinder : public QObject {
    Q_OBJECT
public:
    using OnStep = std::function<void(std::int64_t step)>;
    using OnExecuted = std::function<void(const ExecutedStep& step)>;

    /// Where a search begins: at a step or, without one (-1), at a cycle.
    struct From {
        std::int64_t step = -1;
        double cycle = 0;
    };

    explicit StepFinder(ViewContext& context, QObject* parent = nullptr);

    /// Counts the steps whose programs' names contain a text, and which of them step `at` is.
    void count(const ProfileViewPtr& profile, const QString& text, std::int64_t at);
    void cancel();
    /// The next step with such a name after a place, or before it; wraps around at the ends.
    void findText(const ProfileViewPtr& profile, const QString& text, const From& from,
                  bool forward, OnStep found);
    /// The neighbour of step `from`; where that is negative, the step of an IPU at a cycle.
    void findBeside(const ProfileViewPtr& profile, std::int64_t from, bool forward, IpuId ipu,
                    double cycle, OnStep found);
    /// The next step of a program after step `from`, wrapping around after the last. For a Call or
    /// Repeat its first execution; none if it is never executed.
    void findProgram(const ProfileViewPtr& profile, ProgramId program, std::int64_t from,
                     OnExecuted found,
                     std::function<void(const std::optional<ExecutedCall>&)> foundCall);
    /// The first step of the program of an operation that takes most cycles.
    void findOperation(const ProfileViewPtr& profile, OperationId operation, OnExecuted found);
    /// The way of a micro-batch in the first pipeline step that a range touches; empty if there is
    /// none.
    void findMicroBatch(const ProfileViewPtr& profile, MicroBatchId microBatch, CycleRange range,
                        std::function<void(const std::vector<MicroBatchRun>&)> found);
    /// The execution of a step's counterpart in the other profile, the n-th there for the n-th here
    /// or else the last.
    void findCounterpart(const ProfilePair& profiles, std::int64_t step, bool inTarget,
                         OnStep found);
    /// The step of the host's stream copy that begins at a cycle.
    void findCopy(const ProfileViewPtr& profile, std::int64_t begin, OnStep found);

signals:
    /// Step `at` is match number `current` (from 1, 0 for none of them) of `total`.
    void counted(qint64 current, qint64 total);
    /// There is no such step; the text gives the reason to the user.
    void notFound(const QString& text);

private:
    BackgroundQuery findQuery_;
    BackgroundQuery countQuery_;
};

} // namespace tilescope::views
