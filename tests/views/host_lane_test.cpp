// The lane of the host in the execution trace, through its real widgets.
#include <QComboBox>
#include <QMenu>
#include <QToolButton>
#include <QtTest>

#include "tests/support/test_main.h"
#include "tests/views/trace_window.h"
#include "views/execution/range_field.h"
#include "views/execution/record_panel.h"
#include "views/execution/statistics_panel.h"

namespace host_lane_test {
using namespace tilescope;
using namespace tilescope::gui;

class HostLaneTest : public test::TraceWindow {
    Q_OBJECT
    const std::vector<views::TraceLane>& lanes() const {
        return *trace_->plot().trace().overview();
    }
    /// The middle of a box of the first lane, which is the host's, as far as it is in sight.
    QPoint placeOf(std::size_t row, const views::TraceBox& box) const {
        views::TracePlot& plot = trace_->plot();
        const double from = std::max(plot.xAxis->range().lower, static_cast<double>(box.begin));
        const double to = std::min(plot.xAxis->range().upper, static_cast<double>(box.end));
        return {qRound(plot.xAxis->coordToPixel((from + to) / 2)),
                qRound(plot.yAxis->coordToPixel(plot.trace().rowMiddle(0, row)))};
    }
    const views::TraceBox* hostBox(std::size_t row, const QString& begin) const {
        for (const views::TraceBox& box : lanes()[0].rows.at(row).boxes)
            if (QString::fromStdString(box.name).startsWith(begin))
                return &box;
        return nullptr;
    }
    QString readOutAt(const QPoint& place) {
        QSignalSpy hovered(&trace_->plot(), &views::PlotWidget::hovered);
        // The cursor itself may be held by the window of a test before.
        QMouseEvent move(QEvent::MouseMove, place, trace_->plot().mapToGlobal(QPointF(place)),
                         Qt::NoButton, Qt::NoButton, Qt::NoModifier);
        QCoreApplication::sendEvent(&trace_->plot(), &move);
        return hovered.isEmpty() ? QString() : hovered.last()[0].toString();
    }

private slots:
    void initTestCase() { prepare(); }
    void init() { newWindow(); }
    void cleanup() { window_.reset(); }

    void threadsOfTheProgramAreLanesBelowTheHost() {
        open({files_.write("record.pop", {.withRecord = true})});
        QCOMPARE(lanes()[0].rowNames, (std::vector<std::string>{"Engine", "Callbacks"}));
        QCOMPARE(lanes()[1].name, std::string("MainThread"));
        QCOMPARE(lanes()[1].rows.size(), std::size_t(2));
        QCOMPARE(lanes()[1].rows[0].boxes.at(0).name, std::string("epoch"));
        QCOMPARE(lanes()[2].name, std::string("Loader"));
        const double end = zoom().last();
        for (auto* button : trace_->findChildren<QToolButton*>())
            if (button->text() == "Compilation")
                button->click();
        settle();
        QVERIFY(zoom().first() < 0);
        const double clock = window_->context().reports.source()->machine().clockHz;
        QCOMPARE(zoom().last(), std::max(end, std::round(0.008 * clock)));
        // Its graph has a tab with a plot over the same axis.
        auto* graphs = trace_->findChild<views::RecordPanel*>();
        QVERIFY(graphs && graphs->hasGraphs());
        QCOMPARE(graphs->plot().graphCount(), 1);
        QCOMPARE(graphs->plot().graph()->dataCount(), 2);
        QCOMPARE(graphs->plot().graph()->dataMainKey(1), 0.002 * clock);
        QCOMPARE(graphs->plot().valueTitle(), QStringLiteral("Loss (nats)"));
        graphs->choice().setCurrentIndex(1);
        QCOMPARE(graphs->choice().currentText(), QStringLiteral("conv1, heat map"));
        QCOMPARE(graphs->plot().graphCount(), 0);
        QVERIFY(std::isnan(graphs->plot().shareAt(0, 0)));
        QCOMPARE(graphs->plot().shareAt(0.0015 * clock, 0), 0.75); // 3, 4 and 0 numbers
        QCOMPARE(graphs->plot().shareAt(0.0015 * clock, 1), 1.0);
        QCOMPARE(graphs->plot().shareAt(0.5 * clock, 2), 0.4); // 0, 5 and 2 from then on
        open({files_.write("plain.pop", {})});
        QVERIFY(!graphs->hasGraphs());
    }

    void theHostStandsAboveTheIpus() {
        open({files_.write("two.pop", {.ipus = 2})});
        QCOMPARE(lanes().size(), std::size_t(3));
        QCOMPARE(lanes()[0].key, std::string("source host"));
        QCOMPARE(lanes()[1].key, std::string("source ipu 0"));
        QCOMPARE(lanes()[0].rowNames, (std::vector<std::string>{"Engine", "Callbacks"}));
        QVERIFY(hostBox(0, "Engine::run #1"));
        const auto& runs = window_->context().reports.source()->trace({})->runs();
        QCOMPARE(hostBox(0, "Engine::run #1")->begin, runs[1].start);
        // The axis is as it was: nothing before the first run.
        QCOMPARE(zoom().first(), 0.0);
        QCOMPARE(zoom().from(), static_cast<double>(runs[1].start));
        zoom().setRange(0, static_cast<double>(runs[1].start));
        settle();
        const views::TraceBox* wait = hostBox(1, "IPU waits for host: ");
        QVERIFY(wait);
        const QString text = readOutAt(placeOf(1, *wait));
        QVERIFY2(text.contains("IPU waits for host") && text.contains("5,000"), qPrintable(text));
        // The host's callback and the step of the IPU are one.
        const views::TraceBox* callback = hostBox(1, "h2d_weights");
        QVERIFY(callback);
        QTest::mouseClick(&trace_->plot(), Qt::LeftButton, {}, placeOf(1, *callback));
        settle();
        const ExecutedStep step =
            window_->context().reports.source()->trace({})->stepAt(trace_->selection().step());
        QVERIFY(step.kind == ProgramKind::StreamCopyMid);
        QCOMPARE(step.ipus.front().start, callback->begin);
        for (QAction* action : trace_->findChildren<QAction*>())
            if (action->text() == "Host")
                action->trigger();
        settle();
        QCOMPARE(lanes().size(), std::size_t(2));
        QCOMPARE(zoom().to(), static_cast<double>(runs[1].start)); // the zoom stays
    }

    void theHostWaitsBetweenItsCopies() {
        open({files_.write("a.pop")});
        const auto index = window_->context().reports.source()->trace({});
        const TraceRun& run = index->runs()[1];
        std::int64_t covered = 0;
        for (const views::TraceBox& box : lanes()[0].rows[1].boxes)
            covered += box.cycles();
        QCOMPARE(covered, index->totalCycles());
        const TraceSums sums =
            index->statistics(IpuId(0), {run.start, run.start + run.cycles}).sums;
        std::int64_t waits = 0;
        for (const views::TraceBox& box : lanes()[0].rows[1].boxes)
            if (box.name == "Host waits for IPU" && box.begin >= run.start)
                waits += box.cycles();
        const std::int64_t expected = run.cycles - sums.host();
        // Syncs between a transfer and its end belong to the callback.
        QVERIFY(waits <= expected && waits > expected - sums.sync());
    }

    void theCompilationCanBeShown() {
        const QString file = files_.write("a.pop");
        open({file});
        const Profile profile = test::sampleProfile();
        const HostSpan& last = profile.hostSpans.back();
        const double before = (last.start + last.seconds) * profile.info.target.clockHz;
        QVERIFY(trace_->controls().compilation().isVisible());
        QTest::mouseClick(&trace_->controls().compilation(), Qt::LeftButton);
        settle();
        QCOMPARE(zoom().first(), std::round(-before));
        QVERIFY(zoom().showsAll());
        QCOMPARE(lanes()[0].rowNames,
                 (std::vector<std::string>{"Compilation", "Engine", "Callbacks"}));
        QVERIFY(trace_->tabs().range().text().startsWith(QChar(0x2212)));
        // The IPUs' statistics are of their runs alone, whatever the host did before.
        const auto index = window_->context().reports.source()->trace({});
        const auto& shown = test::child<views::StatisticsPanel>(*trace_).lanes();
        QVERIFY(!shown.empty());
        QCOMPARE(shown[0].statistics.cycles, index->totalCycles());
        QCOMPARE(shown[0].statistics.tileBalance,
                 index->statistics(IpuId(0), {0, index->totalCycles()}).tileBalance);
        const views::TraceBox* plan = hostBox(0, "plan");
        QVERIFY(plan && plan->end < 0);
        const QString text = readOutAt(placeOf(0, *plan));
        QVERIFY2(text.startsWith("plan") && text.contains("2.50 ms") &&
                     text.contains(QString("start of first run: ") + QChar(0x2212)),
                 qPrintable(text));
        QTest::mouseClick(&trace_->plot(), Qt::LeftButton, {}, placeOf(0, *plan));
        settle();
        QCOMPARE(trace_->selection().range()->begin, plan->begin);
        QTest::mouseDClick(&trace_->plot(), Qt::LeftButton, {}, placeOf(0, *plan));
        settle();
        QVERIFY(zoom().from() < static_cast<double>(plan->begin));
        QVERIFY(zoom().to() < 0 && zoom().to() > static_cast<double>(plan->end));
        // A range before the first run can be typed, too.
        trace_->tabs().range().setFocus();
        trace_->tabs().range().selectAll();
        QTest::keyClicks(&trace_->tabs().range(), "-3000 - -1000");
        QTest::keyClick(&trace_->tabs().range(), Qt::Key_Return);
        settle();
        QCOMPARE(zoom().from(), -3000.0);
        QCOMPARE(zoom().to(), -1000.0);
        key(Qt::Key_F);
        QVERIFY(zoom().showsAll());
        QTest::mouseClick(&trace_->controls().compilation(), Qt::LeftButton);
        settle();
        QCOMPARE(zoom().first(), 0.0);
        QCOMPARE(zoom().from(), static_cast<double>(profile.trace.runs[1].start));
    }

    void whatWasNotRecordedIsNotOffered() {
        Profile profile = test::sampleProfile();
        profile.hostSpans.clear();
        open({files_.writeProfile("spanless.pop", profile)});
        QVERIFY(!trace_->controls().compilation().isVisible());
        QCOMPARE(lanes()[0].rowNames, (std::vector<std::string>{"Engine", "Callbacks"}));
    }

    void twoHostsStandAboveTheIpus() {
        open({files_.write("a.pop"), files_.write("b.pop", {.changed = true})});
        QCOMPARE(lanes().size(), std::size_t(4));
        QVERIFY(lanes()[0].key == "source host" && !lanes()[0].target);
        QVERIFY(lanes()[1].key == "target host" && lanes()[1].target);
        QCOMPARE(lanes()[1].name, std::string("Target\nHost"));
        QCOMPARE(lanes()[2].key, std::string("source ipu 0"));
        QCOMPARE(lanes()[3].key, std::string("target ipu 0"));
    }
};

TILESCOPE_TEST(HostLaneTest, QApplication)

} // namespace host_lane_test

#include "host_lane_test.moc"
