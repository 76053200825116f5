// The visible part of an axis, shared by the plots that show it.
#pragma once

#include <QObject>

namespace tilescope::views {

/// A visible range [from, to] within limits [first, last]. All views over cycles share one; plots
/// over tiles or steps own theirs. Doubles are exact up to 2^53 cycles, 78 days of an IPU.
class ZoomRange : public QObject {
    Q_OBJECT
public:
    using QObject::QObject;

    /// Sets the limits and shows all of them.
    void setLimits(double first, double last, double minimumSpan);
    [[nodiscard]] double first() const { return first_; }
    [[nodiscard]] double last() const { return last_; }
    [[nodiscard]] double from() const { return from_; }
    [[nodiscard]] double to() const { return to_; }
    [[nodiscard]] double span() const { return to_ - from_; }
    [[nodiscard]] bool showsAll() const { return from_ <= first_ && to_ >= last_; }

    /// Shows [from, to], moved and shortened to fit the limits.
    void setRange(double from, double to);
    /// Scales the span by `factor` (below 1 zooms in) and keeps `centre` where it is on the screen.
    void zoomAt(double centre, double factor);
    /// Moves by a share of the span.
    void panBy(double share);
    void fit() { setRange(first_, last_); }

    /// Whether places are those of the profile, and not of an axis that two were aligned on, which
    /// nothing outside of the window knows.
    [[nodiscard]] bool isOwn() const { return own_; }
    void setOwn(bool own) { own_ = own; }

signals:
    void changed();

private:
    double first_ = 0;
    double last_ = 1;
    double from_ = 0;
    double to_ = 1;
    double minimumSpan_ = 1;
    bool own_ = true;
};

} // namespace tilescope::views
