// Which widget has the keyboard focus, whether that is visible, and what wheel and letters then do.
#include <QAbstractItemView>
#include <QAbstractSpinBox>
#include <QScrollArea>
#include <QScrollBar>
#include <QTabWidget>
#include <QWheelEvent>
#include <QtTest>

#include "app/gui/window/focus_ring.h"
#include "app/gui/window/side_menu.h"
#include "tests/support/test_main.h"
#include "tests/views/sample_files.h"
#include "tests/views/shown_window.h"
#include "views/execution/trace_view.h"
#include "views/insights/largest_panel.h"
#include "views/plot/overview_strip.h"
#include "views/widgets/report_view.h"

namespace focus_test {
using namespace tilescope;
using namespace tilescope::gui;

namespace {

// The widgets that Tab leads to; the field of a choice is a part of it.
std::vector<QWidget*> stopsIn(const QWidget& in) {
    std::vector<QWidget*> stops;
    for (QWidget* each : in.findChildren<QWidget*>())
        if (each->isVisible() && each->isEnabled() && (each->focusPolicy() & Qt::TabFocus) != 0 &&
            each->focusProxy() == nullptr &&
            qobject_cast<QComboBox*>(each->parentWidget()) == nullptr &&
            qobject_cast<QAbstractSpinBox*>(each->parentWidget()) == nullptr)
            stops.push_back(each);
    return stops;
}

QString describe(const QWidget& widget) {
    QString path;
    for (const QWidget* at = &widget; at != nullptr; at = at->parentWidget())
        path += QStringLiteral(" < ") + QLatin1String(at->metaObject()->className());
    return path;
}

QRect onScreen(const QWidget& widget) {
    return {widget.mapToGlobal(QPoint()), widget.size()};
}

// As from the window system: events that a widget ignores go on to its parent.
void turnWheel(QWidget& over, int delta, Qt::KeyboardModifiers modifiers = {}) {
    bool taken = false;
    for (QWidget* at = &over; at != nullptr && !taken; at = at->parentWidget()) {
        const QPointF middle(at->rect().center());
        QWheelEvent wheel(middle, at->mapToGlobal(middle), {}, {0, delta}, Qt::NoButton, modifiers,
                          Qt::NoScrollPhase, false);
        QCoreApplication::sendEvent(at, &wheel);
        taken = wheel.isAccepted();
    }
}

// As a user: opens the list and takes an item of it.
void pick(QComboBox& box, int item) {
    QTest::mouseClick(&box, Qt::LeftButton);
    QTRY_VERIFY(box.view()->isVisible());
    QTest::qWait(50); // the window system says that the list is active
    QAbstractItemView& list = *box.view();
    const QModelIndex index = list.model()->index(item, 0);
    list.setCurrentIndex(index);
    QTest::keyClick(&list, Qt::Key_Return);
    QTRY_VERIFY(!list.isVisible());
    QCoreApplication::processEvents();
}

} // namespace

class FocusTest : public QObject {
    Q_OBJECT
    test::SampleFiles files_;
    std::unique_ptr<MainWindow> window_;

    FocusRing& ring() { return *window_->findChild<FocusRing*>(); }
    void show(const QStringList& files) {
        test::openProfiles(*window_, files);
        window_->activateWindow();
        QVERIFY(QTest::qWaitForWindowActive(window_.get()));
    }
    views::ReportView& go(Report report) {
        window_->showReport(report);
        test::waitUntilIdle(*window_);
        return window_->view(report);
    }
    // Each report with each of its tabs.
    void visit(const std::function<void(views::ReportView&)>& look) {
        for (const Report report : reports) {
            views::ReportView& view = go(report);
            look(view);
            for (QTabWidget* tabs : view.findChildren<QTabWidget*>())
                for (int tab = 0; tabs->isVisible() && tab < tabs->count(); ++tab) {
                    if (!tabs->isTabVisible(tab))
                        continue;
                    tabs->setCurrentIndex(tab);
                    test::waitUntilIdle(*window_);
                    look(view);
                }
        }
    }

private slots:
    void initTestCase() { test::prepareWindows(); }
    void init() { window_ = test::shownWindow({1280, 720}); }
    void cleanup() { window_.reset(); }

    void theRingIsWhereTheFocusIs() {
        show({files_.write("a.pop", {.withValues = true})});
        QTest::keyClick(window_.get(), Qt::Key_Shift); // the user is there
        QStringList missing;
        visit([&](views::ReportView& view) {
            for (QWidget* stop : stopsIn(view)) {
                stop->setFocus(Qt::TabFocusReason);
                QCoreApplication::processEvents();
                const QWidget* focused = QApplication::focusWidget();
                if (focused != stop)
                    continue;
                if (ring().widget() != stop)
                    missing << QStringLiteral("none around") + describe(*stop);
                else if (!stop->visibleRegion().isEmpty() &&
                         !ring().place().intersects(onScreen(*stop)))
                    missing << QStringLiteral("elsewhere than") + describe(*stop);
            }
        });
        missing.removeDuplicates();
        QVERIFY2(missing.isEmpty(), qPrintable(missing.join('\n')));
    }

    // The keyboard has not been used yet; Tab shows the focus.
    void aNewWindowHasNoRing() {
        show({files_.write("a.pop")});
        QVERIFY(ring().place().isEmpty());
        QTest::keyClick(QApplication::focusWidget() != nullptr ? QApplication::focusWidget()
                                                               : window_.get(),
                        Qt::Key_Tab);
        QTRY_VERIFY(!ring().place().isEmpty());
    }

    void theRingIsNeverStale() {
        show({files_.write("a.pop")});
        views::ReportView& memory = go(Report::Memory);
        QComboBox& graph = test::choiceOf(memory, "Graph");
        QTest::mouseClick(&graph, Qt::LeftButton);
        QTRY_VERIFY(graph.view()->isVisible());
        QTest::keyClick(graph.view(), Qt::Key_Escape);
        QTRY_VERIFY(QApplication::focusWidget() == &graph);
        QTRY_VERIFY(ring().place().contains(onScreen(graph)));
        QTest::keyClick(&graph, Qt::Key_Tab);
        QVERIFY(QApplication::focusWidget() != &graph);
        QTRY_VERIFY(ring().widget() == QApplication::focusWidget());
        QTRY_VERIFY(!ring().place().contains(onScreen(graph)));
        // The ring moves with its widget, and disappears with it.
        graph.setFocus();
        window_->resize(1100, 650);
        QTRY_VERIFY(ring().place().contains(onScreen(graph)));
        graph.hide();
        QTRY_VERIFY(!ring().place().contains(onScreen(graph)));
        // A ring on the plot leaves the mouse to the plot.
        graph.show();
        graph.setFocus();
        QCoreApplication::processEvents();
        QVERIFY(window_->childAt(graph.mapTo(window_.get(), graph.rect().center())) == &graph);
    }

    void lettersGoToThePlotAfterAChoice() {
        show({files_.write("a.pop")});
        auto& trace = static_cast<views::TraceView&>(go(Report::Trace));
        QComboBox& look = test::choiceOf(trace, "View");
        views::ZoomRange& zoom = window_->context().timeZoom;
        for (const int item : {1, 2, 0}) {
            pick(look, item);
            test::waitUntilIdle(*window_);
            QCOMPARE(look.currentIndex(), item);
            zoom.setRange(zoom.last() / 4, zoom.last() / 2);
            QTRY_VERIFY(qobject_cast<views::PlotWidget*>(QApplication::focusWidget()) != nullptr);
            QTest::keyClick(QApplication::focusWidget(), Qt::Key_F);
            QVERIFY(zoom.showsAll());
            QCOMPARE(look.currentIndex(), item);
        }
    }

    void theKeyboardFollowsToAReport() {
        show({files_.write("a.pop")});
        const auto& menu = test::child<SideMenu>(*window_);
        QToolButton& summary = test::button(menu, reportTitle(Report::Summary));
        QToolButton& liveness = test::button(menu, reportTitle(Report::Liveness));
        const auto isIn = [&](Report report) {
            const QWidget* focused = QApplication::focusWidget();
            return focused != nullptr && window_->view(report).isAncestorOf(focused);
        };
        // By the mouse, while another entry has the keyboard.
        summary.setFocus(Qt::TabFocusReason);
        QTest::mouseClick(&liveness, Qt::LeftButton);
        test::waitUntilIdle(*window_);
        QTRY_VERIFY(isIn(Report::Liveness));
        QTRY_VERIFY(ring().widget() == QApplication::focusWidget());
        // With the keyboard the focus stays in the menu.
        summary.setFocus(Qt::TabFocusReason);
        QTest::keyClick(&summary, Qt::Key_Space);
        test::waitUntilIdle(*window_);
        QCOMPARE(window_->currentReport(), Report::Summary);
        QVERIFY(QApplication::focusWidget() == &summary);
        // By a report's key, and by a link to a page of a report.
        QTest::keySequence(window_.get(), QKeySequence(reportKeys(Report::Memory)));
        test::waitUntilIdle(*window_);
        QCOMPARE(window_->currentReport(), Report::Memory);
        QTRY_VERIFY(isIn(Report::Memory));
        summary.setFocus(Qt::TabFocusReason);
        emit window_->view(Report::Memory).reportWanted("memory:Exchanges");
        test::waitUntilIdle(*window_);
        QTRY_VERIFY(isIn(Report::Memory));
        QTRY_VERIFY(qobject_cast<QAbstractItemView*>(QApplication::focusWidget()) != nullptr);
    }

    // A page is entered at its top, with the focus on a visible widget.
    void pagesBeginAtTheirTop() {
        show({files_.write("a.pop", {.withValues = true}),
              files_.write("b.pop", {.changed = true})});
        test::waitUntilIdle(*window_);
        for (const Report report : reports) {
            QTest::keySequence(window_.get(), QKeySequence(reportKeys(report)));
            test::waitUntilIdle(*window_);
            for (const QScrollArea* page : window_->view(report).findChildren<QScrollArea*>())
                if (page->isVisible())
                    QVERIFY2(page->verticalScrollBar()->value() == 0,
                             qPrintable(reportName(report)));
            // Pages that scroll as a whole have most of what they hold out of sight.
            if (report != Report::Insights && report != Report::Summary)
                continue;
            const QWidget* focused = QApplication::focusWidget();
            QVERIFY2(focused == nullptr || !focused->visibleRegion().isEmpty(),
                     qPrintable(reportName(report) + describe(*focused)));
        }
    }

    // From the top of the insights Tab goes to the first of them, not to what is below them all.
    void tabWalksTheInsightsFromTheirTop() {
        show({files_.write("a.pop")});
        QTest::keySequence(window_.get(), QKeySequence(reportKeys(Report::Insights)));
        test::waitUntilIdle(*window_);
        auto& page = test::child<QScrollArea>(window_->view(Report::Insights));
        const auto& below = test::child<views::LargestPanel>(page);
        page.setFocus();
        std::vector<bool> isBelow;
        constexpr std::size_t enough = 200;
        for (QWidget* at = &page; isBelow.size() < enough; at = QApplication::focusWidget()) {
            if (at == nullptr || (at != &page && !page.isAncestorOf(at)))
                break;
            isBelow.push_back(below.isAncestorOf(at));
            QTest::keyClick(at, Qt::Key_Tab);
        }
        QVERIFY(isBelow.size() > 3 && isBelow.back());
        QVERIFY(std::is_sorted(isBelow.begin(), isBelow.end()));
    }

    // A list that gets the focus makes its first item the current one: the user has not chosen it.
    void goingToAReportSelectsNothing() {
        show({files_.write("a.pop")});
        test::waitUntilIdle(*window_);
        for (const Report report : reports) {
            window_->context().selection.clear();
            QTest::keySequence(window_.get(), QKeySequence(reportKeys(report)));
            test::waitUntilIdle(*window_);
            QCOMPARE(window_->currentReport(), report);
            QVERIFY2(window_->context().selection.current() == views::Selected{},
                     qPrintable(reportName(report)));
        }
    }

    // Arrow keys in a choice do not move the focus elsewhere.
    void arrowKeysStayInTheChoice() {
        show({files_.write("a.pop")});
        QComboBox& look = test::choiceOf(go(Report::Trace), "View");
        look.setFocus();
        QTest::keyClick(&look, Qt::Key_Down);
        test::waitUntilIdle(*window_);
        QCOMPARE(look.currentIndex(), 1);
        QVERIFY(QApplication::focusWidget() == &look);
    }

    void theWheelChangesNoChoice() {
        show({files_.write("a.pop")});
        visit([](views::ReportView& view) {
            for (QComboBox* box : view.findChildren<QComboBox*>()) {
                if (!box->isVisible() || box->count() < 2)
                    continue;
                const int before = box->currentIndex();
                box->setFocus();
                turnWheel(*box, -120);
                turnWheel(*box, 120);
                turnWheel(*box, 120);
                QCOMPARE(box->currentIndex(), before);
                QVERIFY((box->focusPolicy() & Qt::WheelFocus) != Qt::WheelFocus);
            }
        });
    }

    void theWheelScrollsTheSummaryOverItsPlot() {
        show({files_.write("a.pop")});
        views::ReportView& summary = go(Report::Summary);
        window_->resize(1000, 600);
        QCoreApplication::processEvents();
        auto& plot = test::child<views::PlotWidget>(summary);
        const QWidget* page = &plot;
        while (qobject_cast<const QScrollArea*>(page) == nullptr)
            page = page->parentWidget();
        QScrollBar& scroll = *static_cast<const QScrollArea*>(page)->verticalScrollBar();
        QVERIFY(scroll.maximum() > 0);
        QCOMPARE(scroll.value(), 0);
        turnWheel(plot, -120);
        QVERIFY(scroll.value() > 0);
        QVERIFY(plot.zoom().showsAll());
        const int before = scroll.value();
        turnWheel(test::child<views::OverviewStrip>(summary), 120);
        QVERIFY(scroll.value() < before);
        QVERIFY(plot.zoom().showsAll());
        turnWheel(plot, 120, Qt::ControlModifier);
        QVERIFY(!plot.zoom().showsAll());
    }

    void theWheelZoomsPlotsThatFillTheirReport() {
        show({files_.write("a.pop")});
        auto& trace = static_cast<views::TraceView&>(go(Report::Trace));
        views::ZoomRange& zoom = window_->context().timeZoom;
        zoom.fit();
        turnWheel(trace.plot(), 120);
        QVERIFY(!zoom.showsAll());
    }
};

TILESCOPE_TEST(FocusTest, QApplication)

} // namespace focus_test

#include "focus_test.moc"
