// How long the event loop of the window's thread is blocked.
#pragma once

#include <QCoreApplication>
#include <QEvent>
#include <atomic>
#include <chrono>
#include <functional>
#include <thread>

namespace tilescope::test {

/// A thread of its own sends the window's thread a heartbeat and measures how long each waits for
/// its turn. Made and destroyed in the window's thread.
class LoopWatch : public QObject {
public:
    /// `onLong` is called on the watching thread, once for each wait that goes on for `longMs`.
    explicit LoopWatch(double longMs = 0, std::function<void()> onLong = {})
        : longMs_(longMs)
        , onLong_(std::move(onLong))
        , thread_([this](const std::stop_token& stop) { beat(stop); }) {}
    ~LoopWatch() override {
        thread_.request_stop();
        thread_.join();
    }

    /// Milliseconds of the longest wait since the last call. One that goes on counts as well.
    double takeLongest() {
        const double now = milliseconds(Clock::now());
        const double sent = sent_.load();
        const double waiting = sent > 0 ? now - sent : 0;
        return std::max(longest_.exchange(0), waiting);
    }
    bool event(QEvent* event) override {
        if (event->type() != QEvent::User)
            return QObject::event(event);
        answer();
        return true;
    }
    /// Heartbeats that were answered.
    [[nodiscard]] long beats() const { return beats_.load(); }

private:
    using Clock = std::chrono::steady_clock;
    static double milliseconds(Clock::time_point time) {
        return std::chrono::duration<double, std::milli>(time.time_since_epoch()).count();
    }

    void beat(const std::stop_token& stop) {
        constexpr std::chrono::milliseconds pause(2);
        bool told = false;
        for (; !stop.stop_requested(); std::this_thread::sleep_for(pause)) {
            if (const double sent = sent_.load(); sent > 0) { // the last one still waits
                if (onLong_ && !told && milliseconds(Clock::now()) - sent > longMs_) {
                    told = true;
                    onLong_();
                }
                continue;
            }
            told = false;
            sent_ = milliseconds(Clock::now());
            // A queued call would hand a function over within Qt, where the thread sanitizer cannot
            // see it.
            QCoreApplication::postEvent(this, new QEvent(QEvent::User));
        }
    }

    void answer() {
        const double waited = milliseconds(Clock::now()) - sent_.exchange(0);
        if (waited > longest_.load())
            longest_ = waited;
        ++beats_;
    }

    double longMs_ = 0;
    std::function<void()> onLong_;
    std::atomic<double> sent_ = 0;
    std::atomic<double> longest_ = 0;
    std::atomic<long> beats_ = 0;
    std::jthread thread_; ///< last: it uses all others
};

} // namespace tilescope::test
