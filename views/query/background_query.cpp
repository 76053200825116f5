#include "views/query/background_query.h"

#include <QtConcurrent>

#include "core/base/error.h"

namespace tilescope::views {

BackgroundQuery::BackgroundQuery(Workers& workers, QObject* parent)
    : QObject(parent)
    , workers_(workers) {
    slowTimer_.setSingleShot(true);
    slowTimer_.setInterval(slowAfterMs);
    connect(&slowTimer_, &QTimer::timeout, this, &BackgroundQuery::slow);
    connect(&watcher_, &QFutureWatcherBase::finished, this, &BackgroundQuery::finish);
}

BackgroundQuery::~BackgroundQuery() {
    drop();
}

void BackgroundQuery::start(Work work) {
    // The new query counts before the old one is dropped: the pool must not look idle between.
    workers_.begin();
    drop();
    running_ = true;
    stop_ = std::stop_source();
    slowTimer_.start();
    watcher_.setFuture(
        QtConcurrent::run(&workers_.pool(), [work = std::move(work), token = stop_.get_token()] {
            return runGuarded(work, token);
        }));
}

void BackgroundQuery::cancel() {
    if (!running_)
        return;
    drop();
    emit cancelled();
}

BackgroundQuery::Outcome BackgroundQuery::runGuarded(const Work& work,
                                                     const std::stop_token& token) {
    if (token.stop_requested())
        return {{}, {}, true};
    try {
        return {work(token), {}, false};
    } catch (const Cancelled&) {
        return {{}, {}, true};
    } catch (const UserError& error) {
        return {{}, QString::fromUtf8(error.what()), false};
    } catch (const std::exception& error) {
        return {{}, tr("Internal error: %1").arg(QString::fromUtf8(error.what())), false};
    }
}

void BackgroundQuery::drop() {
    if (!running_)
        return;
    running_ = false;
    stop_.request_stop();
    slowTimer_.stop();
    // An empty future disconnects the watcher from the old one, whose result goes nowhere.
    watcher_.setFuture(QFuture<Outcome>());
    workers_.end();
}

void BackgroundQuery::finish() {
    if (!running_)
        return;
    running_ = false;
    slowTimer_.stop();
    const Outcome outcome = watcher_.result();
    if (!outcome.error.isEmpty()) {
        emit failed(outcome.error);
    } else if (!outcome.stopped) {
        if (outcome.deliver)
            outcome.deliver();
        emit delivered();
    }
    workers_.end();
}

} // namespace tilescope::views
