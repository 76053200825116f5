// The threads that the window's queries run on.
#pragma once

#include <QObject>
#include <QThreadPool>
#include <functional>

namespace tilescope::views {

/// A thread pool that knows how many queries are under way, so that a picture can be taken when
/// everything has arrived. Lives in the window's thread.
class Workers : public QObject {
    Q_OBJECT
public:
    explicit Workers(QObject* parent = nullptr);
    ~Workers() override;

    /// Runs a task on one of the threads.
    void start(std::function<void()> task);
    /// Frees something large there: that takes longer than a frame.
    template <class Large> void free(Large large) {
        start([gone = std::move(large)]() mutable { gone.reset(); });
    }
    /// Waits until every task has ended or the time is over; true if all have ended.
    bool wait(int milliseconds) { return pool_.waitForDone(milliseconds); }
    [[nodiscard]] bool idle() const { return active_ == 0; }

    /// Called by BackgroundQuery around each query, in the window's thread.
    void begin() { ++active_; }
    void end();

    /// Drops all queries about the open profiles before others are opened: none of their answers is
    /// delivered any more. Only ReportPair, which changes the profiles, calls this.
    void leaveProfiles() { emit profilesLeft(); }

signals:
    /// Queries about profiles are dropped, and repetitions of them are cancelled.
    void profilesLeft();
    /// A query without a view to report it has failed.
    void failed(const QString& text);
    /// The last query under way has delivered (or failed, or was dropped).
    void becameIdle();

private:
    QThreadPool pool_;
    int active_ = 0;
};

} // namespace tilescope::views
