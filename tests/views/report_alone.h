// A report without the window around it, for tests of its widgets.
#pragma once

#include <QtTest>

#include "tests/support/window_steps.h"
#include "tests/views/sample_files.h"
#include "views/plot/plot_widget.h"
#include "views/widgets/report_view.h"

namespace tilescope::test {

/// Heights inside the axes of all visible plots, laid out as for a picture.
inline std::vector<int> plotHeights(QWidget& report) {
    constexpr int passes = 4; // a plot may ask for another share of the height when it is drawn
    std::vector<int> heights;
    for (int pass = 0; pass < passes; ++pass) {
        heights.clear();
        QCoreApplication::sendPostedEvents(nullptr, QEvent::LayoutRequest);
        report.grab();
        for (views::PlotWidget* plot : report.findChildren<views::PlotWidget*>())
            if (plot->isVisible()) {
                plot->replot(QCustomPlot::rpImmediateRefresh);
                heights.push_back(plot->axisRect()->height());
            }
    }
    return heights;
}

/// The base of tests of one report: show() opens profiles in it.
class ReportAlone : public QObject {
protected:
    void open(const QStringList& files) {
        QSignalSpy changed(&context_->reports, &views::ReportPair::changed);
        context_->reports.open(files[0].toStdString(),
                               files.size() > 1 ? files[1].toStdString() : std::string());
        QTRY_COMPARE(changed.count(), 1);
    }
    QStringList one() { return {files_.write("a.pop")}; }
    QStringList two() {
        return {files_.write("a.pop"), files_.write("b.pop", {.ipus = 2, .changed = true})};
    }
    template <class View> std::unique_ptr<View> show(const QStringList& files) {
        auto view = std::make_unique<View>(*context_);
        view->resize(1200, 760);
        view->show();
        open(files);
        settle();
        return view;
    }
    const views::Selected& selected() const { return context_->selection.current(); }
    void select(std::vector<TileId> tiles) {
        context_->selection.update([&](views::Selected& s) { s.tiles = std::move(tiles); });
        settle();
    }
    void click(views::PlotWidget& plot, double x, Qt::KeyboardModifiers modifiers = {}) {
        const QRect area = plot.axisRect()->rect();
        QTest::mouseClick(&plot, Qt::LeftButton, modifiers,
                          {static_cast<int>(plot.xAxis->coordToPixel(x)), area.center().y()});
        settle();
    }
    static QStringList titles(const QAbstractItemModel& model) {
        QStringList titles;
        for (int i = 0; i < model.columnCount(); ++i)
            titles << model.headerData(i, Qt::Horizontal).toString();
        return titles;
    }
    static QString cell(const QAbstractItemModel& model, int row, int column) {
        return model.index(row, column).data().toString();
    }
    void settle() { waitUntilContextIdle(*context_); }
    void newContext() { context_ = std::make_unique<views::ViewContext>(); }

    SampleFiles files_;
    std::unique_ptr<views::ViewContext> context_;
};

} // namespace tilescope::test
