// One question to a profile, answered on a worker thread.
#pragma once

#include <QTimer>
#include <functional>
#include <memory>
#include <stop_token>

#include "views/query/workers.h"

namespace tilescope::views {

/// The subject of a query.
enum class About {
    OpenProfiles, ///< the answer is dropped when other profiles are opened, or all are closed
    Other         ///< such as a file being opened, a sweep, the table on the screen
};

/// Runs one query at a time. Starting another (or destroying the object) stops the one under way
/// and drops its result, so a view never shows the answer to an old question. Likewise, answers
/// about the open profiles are dropped when these are left: on delivery they are still open.
class BackgroundQuery : public QObject {
    Q_OBJECT
public:
    /// Shows a result; runs in the window's thread. It may throw like the work.
    using Deliver = std::function<void()>;
    /// Runs on a worker thread and returns what to do with the result. It may throw: a UserError's
    /// text reaches failed(), Cancelled is silent.
    using Work = std::function<Deliver(std::stop_token)>;

    explicit BackgroundQuery(Workers& workers, About about = About::OpenProfiles);
    ~BackgroundQuery() override;

    void start(Work work);
    /// Likewise, but lets a query under way end first, so that the display is updated all the time
    /// rather than at the end. Only the last of several pending calls counts.
    void startNext(Work work);
    /// Stops the query under way; cancelled() follows at once.
    void cancel();
    [[nodiscard]] bool running() const { return run_ != nullptr; }

    /// Queries that take longer announce themselves with slow().
    static constexpr int slowAfterMs = 200;

signals:
    void slow();
    void delivered();
    /// If nobody is connected, Workers::failed() tells the window.
    void failed(const QString& text);
    void cancelled();

private:
    struct Outcome {
        Deliver deliver;
        QString error;
        bool stopped = false;
    };
    struct Run;
    static Outcome runGuarded(const Work& work, const std::stop_token& token);
    bool event(QEvent* event) override;
    void drop();
    void finish();
    void fail(const QString& text);

    Workers& workers_;
    QTimer slowTimer_;
    std::stop_source stop_;
    Work next_;                ///< to be run when the one under way has ended
    std::shared_ptr<Run> run_; ///< none unless running
};

} // namespace tilescope::views
