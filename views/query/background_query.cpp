#include "views/query/background_query.h"

#include <QCoreApplication>
#include <QEvent>
#include <QMetaMethod>
#include <algorithm>
#include <mutex>
#include <optional>
#include <sched.h>
#include <sys/resource.h>

#include "core/base/error.h"

namespace tilescope::views {
namespace {

/// Runs a part of a query; returns the text of an exception, "" if there is none. Rethrows
/// Cancelled.
template <class Part> QString errorOf(Part part) {
    try {
        part();
    } catch (const Cancelled&) {
        throw;
    } catch (const UserError& error) {
        return QString::fromUtf8(error.what());
    } catch (const std::bad_alloc&) {
        return BackgroundQuery::tr("There is not enough memory for this");
    } catch (const std::exception& error) {
        return BackgroundQuery::tr("Internal error: %1").arg(QString::fromUtf8(error.what()));
    }
    return {};
}

/// The event that tells a query that its answer is ready.
QEvent::Type answered() {
    static const int type = QEvent::registerEventType();
    return static_cast<QEvent::Type>(type);
}

constexpr int niceness = 10; // a tenth of the window's share where both want a core: see sched(7)

// On Linux a nice value is a thread's own, and 0 means the calling one: see setpriority(2).
bool raiseNiceness() {
    return setpriority(PRIO_PROCESS, 0, getpriority(PRIO_PROCESS, 0) + niceness) == 0;
}

// If the program was started in a real-time class (chrt), nice values have no effect.
bool lowerPriority(int policy) {
    sched_param parameter{};
    if (sched_getparam(0, &parameter) != 0)
        return false;
    parameter.sched_priority =
        std::max(sched_get_priority_min(policy), parameter.sched_priority - 1);
    return sched_setparam(0, &parameter) == 0;
}

bool giveWayOnce() {
    const int policy = sched_getscheduler(0);
    return policy == SCHED_RR || policy == SCHED_FIFO ? lowerPriority(policy) : raiseNiceness();
}

// Lets the window's thread take precedence over this one, a worker's, for good: a late frame is
// noticed, a query that takes a moment longer is not.
void giveWay() {
    thread_local const bool done = giveWayOnce();
    (void)done; // a system that refuses only paints less smoothly
}

} // namespace

/// The state of a query under way that the window's thread and a worker share.
struct BackgroundQuery::Run {
    std::mutex mutex;
    BackgroundQuery* asker = nullptr; ///< null once the answer is no longer wanted
    std::optional<Outcome> outcome;
};

BackgroundQuery::BackgroundQuery(Workers& workers, About about)
    : workers_(workers) {
    slowTimer_.setSingleShot(true);
    slowTimer_.setInterval(slowAfterMs);
    connect(&slowTimer_, &QTimer::timeout, this, &BackgroundQuery::slow);
    if (about == About::OpenProfiles)
        connect(&workers_, &Workers::profilesLeft, this, &BackgroundQuery::drop);
}

BackgroundQuery::~BackgroundQuery() {
    drop();
}

void BackgroundQuery::start(Work work) {
    // Begin the new query before dropping the old one: the pool must not look idle in between.
    workers_.begin();
    drop();
    run_ = std::make_shared<Run>();
    run_->asker = this;
    stop_ = std::stop_source();
    slowTimer_.start();
    workers_.start([run = run_, work = std::move(work), token = stop_.get_token()] {
        Outcome outcome = runGuarded(work, token);
        const std::lock_guard lock(run->mutex);
        if (!run->asker)
            return;
        run->outcome = std::move(outcome);
        QCoreApplication::postEvent(run->asker, new QEvent(answered()));
    });
}

bool BackgroundQuery::event(QEvent* event) {
    if (event->type() != answered())
        return QObject::event(event);
    finish();
    return true;
}

void BackgroundQuery::startNext(Work work) {
    if (running())
        next_ = std::move(work);
    else
        start(std::move(work));
}

void BackgroundQuery::cancel() {
    if (!running())
        return;
    drop();
    emit cancelled();
}

BackgroundQuery::Outcome BackgroundQuery::runGuarded(const Work& work,
                                                     const std::stop_token& token) {
    if (token.stop_requested())
        return {{}, {}, true};
    giveWay();
    Outcome outcome;
    try {
        outcome.error = errorOf([&] { outcome.deliver = work(token); });
    } catch (const Cancelled&) {
        outcome.stopped = true;
    }
    return outcome;
}

void BackgroundQuery::drop() {
    next_ = {};
    if (!running())
        return;
    stop_.request_stop();
    slowTimer_.stop();
    {
        const std::lock_guard lock(run_->mutex);
        run_->asker = nullptr;
    }
    run_.reset();
    workers_.end();
}

void BackgroundQuery::finish() {
    Outcome outcome;
    {
        // An event of a query that was dropped may still arrive.
        if (!running())
            return;
        const std::lock_guard lock(run_->mutex);
        if (!run_->outcome)
            return;
        outcome = std::move(*run_->outcome);
    }
    run_.reset();
    slowTimer_.stop();
    QString error = outcome.error;
    // Damage in a file may only be detected when a model or plot is filled.
    if (error.isEmpty() && outcome.deliver)
        error = errorOf([&] { outcome.deliver(); }); // which may hold a large table: not copied
    if (!error.isEmpty())
        fail(error);
    else if (!outcome.stopped)
        emit delivered();
    if (next_ && !running())
        start(std::exchange(next_, {}));
    workers_.end();
}

void BackgroundQuery::fail(const QString& text) {
    static const QMetaMethod signal = QMetaMethod::fromSignal(&BackgroundQuery::failed);
    if (!isSignalConnected(signal))
        emit workers_.failed(text);
    emit failed(text);
}

} // namespace tilescope::views
