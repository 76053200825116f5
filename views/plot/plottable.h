// The base of what we draw on a QCustomPlot.
#pragma once

#include <qcustomplot.h>

namespace tilescope::views {

/// Is not selected, has no icon in a legend, and no axis is fitted to it: the plots do that.
class Plottable : public QCPAbstractPlottable {
    Q_OBJECT
public:
    Plottable(QCPAxis* keyAxis, QCPAxis* valueAxis)
        : QCPAbstractPlottable(keyAxis, valueAxis) {
        setAntialiased(false);
        setSelectable(QCP::stNone);
        removeFromLegend();
    }
    double selectTest(const QPointF&, bool, QVariant* = nullptr) const override { return -1; }
    QCPRange getKeyRange(bool& found, QCP::SignDomain) const override {
        found = false;
        return {};
    }
    QCPRange getValueRange(bool& found, QCP::SignDomain, const QCPRange&) const override {
        found = false;
        return {};
    }

protected:
    void drawLegendIcon(QCPPainter*, const QRectF&) const override {}
};

} // namespace tilescope::views
