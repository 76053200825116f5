#include "views/query/background_query.h"

#include <QCoreApplication>
#include <QEvent>
#include <QMetaMethod>
#include <mutex>
#include <optional>

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

/// Tells a query that its answer is there.
QEvent::Type answered() {
    static const int type = QEvent::registerEventType();
    return static_cast<QEvent::Type>(type);
}

} // namespace

/// What the window's thread and a worker share of a query under way.
struct BackgroundQuery::Run {
    std::mutex mutex;
    BackgroundQuery* asker = nullptr; ///< none once nobody waits for the answer
    std::optional<Outcome> outcome;
};

BackgroundQuery::BackgroundQuery(Workers& workers, QObject* parent)
    : QObject(parent)
    , workers_(workers) {
    slowTimer_.setSingleShot(true);
    slowTimer_.setInterval(slowAfterMs);
    connect(&slowTimer_, &QTimer::timeout, this, &BackgroundQuery::slow);
}

BackgroundQuery::~BackgroundQuery() {
    drop();
}

void BackgroundQuery::start(Work work) {
    // The new query counts before the old one is dropped: the pool must not look idle between.
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
