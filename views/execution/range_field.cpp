#include "views/execution/range_field.h"

#include <QKeyEvent>
#include <algorithm>
#include <cmath>

#include "views/execution/cycle_range_text.h"
#include "views/execution/trace_content.h"
#include "views/session/time_texts.h"
#include "views/widgets/control_states.h"

namespace tilescope::views {

RangeField::RangeField(ViewContext& context, QWidget* parent)
    : QLineEdit(parent)
    , context_(context) {
    setAccessibleName(tr("Visible range"));
    setToolTip(tr("The visible range. Type another and press Enter: cycles, such as 12000-34000, "
                  "or time, such as 1.5-2 ms"));
    setAlignment(Qt::AlignCenter);
    setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Fixed);
    // Beside tabs there is less height than a field usually has.
    setStyleSheet(QStringLiteral("padding: 1px 7px;"));
    leaveOutOfState(*this);
    connect(&context_.timeZoom, &ZoomRange::changed, this, &RangeField::showRange);
    connect(&context_.preferences, &Preferences::unitsChanged, this, &RangeField::showRange);
    connect(this, &QLineEdit::returnPressed, this, &RangeField::take);
    showRange();
}

// As wide as the longest range of an execution, near its end, so that zooming does not move what is
// beside it.
QSize RangeField::sizeHint() const {
    constexpr int padding = 24;
    const ZoomRange& zoom = context_.timeZoom;
    const QString usual = QStringLiteral("00,000,000 \u2013 00,000,000 cycles");
    const int width =
        std::max(fontMetrics().horizontalAdvance(usual),
                 fontMetrics().horizontalAdvance(rangeText(zoom.last(), zoom.last())));
    return {width + padding, QLineEdit::sizeHint().height()};
}

QString RangeField::rangeText(double from, double to) const {
    const double clock = context_.reports.clockHz();
    if (context_.preferences.clockUnits() == ClockUnits::Time && clock > 0)
        return tr("%1 \u2013 %2").arg(durationText(from / clock), durationText(to / clock));
    return tr("%1 \u2013 %2 cycles")
        .arg(countText(std::llround(from)), countText(std::llround(to)));
}

QString RangeField::visibleText() const {
    // Whole cycles, as in everything else that is reported about the range.
    const ZoomRange& zoom = context_.timeZoom;
    const CycleRange range = wholeCycles(zoom, zoom.from(), zoom.to());
    return rangeText(static_cast<double>(range.begin), static_cast<double>(range.end));
}

// A text that is being edited is left alone.
void RangeField::showRange() {
    const ZoomRange& zoom = context_.timeZoom;
    if (zoom.first() != first_ || zoom.last() != last_) {
        first_ = zoom.first();
        last_ = zoom.last();
        updateGeometry();
    }
    if (!hasFocus() || !isModified())
        setText(visibleText());
}

void RangeField::take() {
    const auto range = parseCycleRange(text(), context_.reports.clockHz());
    if (!range) {
        emit refused(tr("'%1' is not a range: write cycles such as 12000-34000, or time such as "
                        "1.5-2 ms.")
                         .arg(text()));
        return;
    }
    setModified(false);
    context_.timeZoom.setRange(static_cast<double>(range->begin), static_cast<double>(range->end));
    setText(visibleText());
}

void RangeField::keyPressEvent(QKeyEvent* event) {
    if (event->key() == Qt::Key_Escape) {
        setText(visibleText());
        return;
    }
    QLineEdit::keyPressEvent(event);
}

void RangeField::focusOutEvent(QFocusEvent* event) {
    QLineEdit::focusOutEvent(event);
    setText(visibleText());
}

} // namespace tilescope::views
