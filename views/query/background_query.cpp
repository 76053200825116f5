#include "views/query/background_query.h"

#include <QMetaMethod>
#include <QtConcurrent>

#include "core/base/error.h"
#include "views/query/give_way.h"

namespace tilescope::views {
namespace {

/// Runs a part of a query; what it throws becomes a text, "" if nothing. Cancelled goes on.
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

} // namespace

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
    // Taken, not copied: a result may be large.
    QFuture<Outcome> future = watcher_.future();
    const Outcome outcome = future.takeResult();
    QString error = outcome.error;
    // What a damaged file puts in a model or a plot may show only now.
    if (error.isEmpty() && outcome.deliver)
        error = errorOf(outcome.deliver);
    if (!error.isEmpty())
        fail(error);
    else if (!outcome.stopped)
        emit delivered();
    workers_.end();
}

void BackgroundQuery::fail(const QString& text) {
    static const QMetaMethod signal = QMetaMethod::fromSignal(&BackgroundQuery::failed);
    if (!isSignalConnected(signal))
        emit workers_.failed(text);
    emit failed(text);
}

} // namespace tilescope::views
