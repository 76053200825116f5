// How long plots take to paint.
#pragma once

#include <QObject>

namespace tilescope::views {

/// Collects the painting time of every frame of every plot, in milliseconds.
class FrameTimes : public QObject {
    Q_OBJECT
public:
    using QObject::QObject;

    void record(double milliseconds);
    void reset();
    [[nodiscard]] double last() const { return last_; }
    [[nodiscard]] double longest() const { return longest_; }
    [[nodiscard]] double mean() const {
        return frames_ == 0 ? 0 : sum_ / static_cast<double>(frames_);
    }
    [[nodiscard]] long frames() const { return frames_; }
    /// One line: "frames 120, mean 2.1 ms, longest 6.0 ms, over 16 ms: 0".
    [[nodiscard]] QString summary() const;

    static constexpr double budgetMs = 16.0;

signals:
    void recorded();

private:
    double last_ = 0;
    double longest_ = 0;
    double sum_ = 0;
    long frames_ = 0;
    long slow_ = 0; ///< frames that missed 60 frames a second
};

} // namespace tilescope::views
