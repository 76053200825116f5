// A window with an execution trace, for tests of that report.
#pragma once

#include <QtTest>

#include "tests/views/sample_files.h"
#include "tests/views/shown_window.h"
#include "views/execution/trace_view.h"

namespace tilescope::test {

/// The base of tests of the execution trace: open() shows it.
class TraceWindow : public QObject {
protected:
    void open(const QStringList& files) {
        trace_ = &openView<views::TraceView>(*window_, files, gui::Report::Trace);
    }
    void key(Qt::Key key, Qt::KeyboardModifiers modifiers = {}) {
        QWidget* plot = trace_->tiles().isVisible() ? static_cast<QWidget*>(&trace_->tiles().plot())
                                                    : &trace_->plot();
        QTest::keyClick(plot, key, modifiers);
        settle();
    }
    void settle() { waitUntilIdle(*window_); }
    void newWindow() { window_ = shownWindow(); }
    static void prepare() { prepareWindows(); }
    views::ZoomRange& zoom() { return window_->context().timeZoom; }

    SampleFiles files_;
    std::unique_ptr<gui::MainWindow> window_;
    views::TraceView* trace_ = nullptr;
};

} // namespace tilescope::test
