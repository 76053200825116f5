// Lanes of the execution trace as a user arranges and colours them, through the real widgets.
#include <QContextMenuEvent>
#include <QJsonObject>
#include <QLineEdit>
#include <QMenu>
#include <QtTest>

#include "tests/support/test_main.h"
#include "tests/views/trace_lanes.h"
#include "tests/views/trace_window.h"
#include "views/execution/statistics_panel.h"
#include "views/plot/trace/lane_names.h"
#include "views/widgets/control_states.h"

namespace lanes_test {
using namespace tilescope;
using namespace tilescope::gui;
using views::LaneAction;

class LanesTest : public test::TraceWindow {
    Q_OBJECT

    views::TracePlot& plot() { return trace_->plot(); }
    views::LaneNames& names() { return plot().names(); }
    const std::vector<views::TraceLane>& lanes() { return *plot().trace().overview(); }
    const views::LanePlace& place(std::size_t lane) { return *plot().trace().layout().of(lane); }
    views::LaneState state(std::size_t lane) { return plot().arrangement().of(lanes()[lane].key); }
    /// Lanes from top to bottom.
    QString order() {
        QStringList names;
        for (const views::LanePlace& at : plot().trace().layout().places)
            names << QString::fromStdString(lanes()[at.lane].key).section(QLatin1Char(' '), 1);
        return names.join(QStringLiteral(", "));
    }
    void openFour() {
        window_->resize(1280, 800);
        open({files_.write("four.pop", {.ipus = 4})});
        trace_->setLook(views::TraceLook::Flat);
        settle();
        QCOMPARE(order(), QStringLiteral("host, ipu 0, ipu 1, ipu 2, ipu 3"));
    }
    QPoint middleOf(std::size_t lane) { return names().fieldOf(place(lane)).center(); }
    void drag(const QPoint& from, const QPoint& to) {
        QTest::mousePress(&names(), Qt::LeftButton, {}, from);
        for (const QPoint& at : {(from + to) / 2, to}) {
            QMouseEvent move(QEvent::MouseMove, at, names().mapToGlobal(QPointF(at)), Qt::NoButton,
                             Qt::LeftButton, Qt::NoModifier);
            QCoreApplication::sendEvent(&names(), &move);
        }
        QTest::mouseRelease(&names(), Qt::LeftButton, {}, to);
        settle();
    }
    QAction* inMenu(QMenu& menu, const QString& begin) {
        for (QAction* action : menu.actions())
            if (action->text().startsWith(begin))
                return action;
        return nullptr;
    }
    std::size_t boxesOf(std::size_t lane) {
        std::size_t count = 0;
        for (const views::TraceRow& row : lanes()[lane].rows)
            count += row.boxes.size();
        return count;
    }

private slots:
    void initTestCase() { prepare(); }
    void init() { newWindow(); }
    void cleanup() { window_.reset(); }

    void theArrowFoldsALane() {
        openFour();
        const double below = place(2).top;
        const std::size_t rows = place(1).rows;
        QVERIFY(rows > 1);
        QTest::mouseClick(&names(), Qt::LeftButton, {}, names().arrowOf(place(1)).center());
        // At once, from what is known, and then in detail.
        QVERIFY(state(1).folded);
        QCOMPARE(place(1).rows, std::size_t(1));
        QVERIFY(place(2).top < below);
        settle();
        const double y = plot().trace().rowMiddle(1, 0);
        const auto hit = plot().trace().hit((zoom().from() + zoom().to()) / 2, y);
        QCOMPARE(hit.lane, std::size_t(1));
        QVERIFY(hit.box != nullptr && hit.box->look == views::TraceBox::Look::Step);
        // Another look is folded, too.
        trace_->setLook(views::TraceLook::Flame);
        settle();
        QCOMPARE(place(1).rows, std::size_t(1));
        QVERIFY(place(2).rows > 1);
        QTest::mouseClick(&names(), Qt::LeftButton, {}, names().arrowOf(place(1)).center());
        QVERIFY(!state(1).folded && place(1).rows > 1);
    }

    void draggingANameMovesTheLane() {
        openFour();
        plot().act(LaneAction::FoldAll, 0);
        settle();
        drag(middleOf(4), middleOf(1) - QPoint(0, 6));
        QCOMPARE(order(), QStringLiteral("host, ipu 3, ipu 0, ipu 1, ipu 2"));
        drag(middleOf(0), QPoint(20, plot().height() - 60));
        QCOMPARE(order(), QStringLiteral("ipu 3, ipu 0, ipu 1, ipu 2, host"));
        // A click moves nothing.
        QTest::mouseClick(&names(), Qt::LeftButton, {}, middleOf(2));
        QCOMPARE(order(), QStringLiteral("ipu 3, ipu 0, ipu 1, ipu 2, host"));
        QCOMPARE(plot().currentLane(), 2);
        QCOMPARE(plot().accessibleDescription(), QStringLiteral("IPU 1, folded"));
    }

    void draggingTheEdgeChangesTheHeight() {
        openFour();
        const double height = place(1).rowHeight;
        const QRect field = names().fieldOf(place(1));
        const int rows = static_cast<int>(place(1).rows);
        drag({30, field.bottom() + 1}, {30, field.bottom() + 1 + 10 * rows});
        QCOMPARE(qRound(place(1).rowHeight - height), 10);
        QCOMPARE(qRound(place(2).rowHeight), qRound(height));
        // The wheel with Ctrl does the same for the lane below it.
        const QPointF over(400, plot().axisRect()->top() + plot().trace().rowMiddle(1, 0));
        QWheelEvent wheel(over, plot().mapToGlobal(over), {}, {0, -120}, Qt::NoButton,
                          Qt::ControlModifier, Qt::NoScrollPhase, false);
        const double before = place(1).rowHeight;
        const double span = zoom().span();
        QCoreApplication::sendEvent(&plot(), &wheel);
        QVERIFY(place(1).rowHeight < before);
        QCOMPARE(zoom().span(), span);
    }

    void pinnedLanesStayInSight() {
        openFour();
        for (const std::size_t lane : {1, 2, 3, 4})
            plot().setRowHeight(lane, 60);
        QTRY_VERIFY(plot().scrollBar().isVisible());
        plot().act(LaneAction::Pin, 4);
        settle();
        QCOMPARE(order(), QStringLiteral("ipu 3, host, ipu 0, ipu 1, ipu 2"));
        plot().scrollBar().setValue(plot().scrollBar().maximum());
        settle();
        QCOMPARE(place(4).top, 0.0);
        QVERIFY(place(0).top < 0);
        // It is read, though it is not among the lanes that are in sight below it.
        const auto hit =
            plot().trace().hit((zoom().from() + zoom().to()) / 2, plot().trace().rowMiddle(4, 1));
        QCOMPARE(hit.lane, std::size_t(4));
        QVERIFY(hit.box != nullptr);
        plot().act(LaneAction::Pin, 4);
        QCOMPARE(order(), QStringLiteral("host, ipu 0, ipu 1, ipu 2, ipu 3"));
    }

    void keysDoWhatTheMouseDoes() {
        openFour();
        plot().setFocus();
        key(Qt::Key_Space); // selects the lane it would act on
        QCOMPARE(plot().currentLane(), 0);
        QVERIFY(!state(0).folded);
        key(Qt::Key_Down, Qt::ControlModifier);
        QCOMPARE(plot().currentLane(), 1);
        key(Qt::Key_Space);
        QVERIFY(state(1).folded);
        key(Qt::Key_Down, Qt::AltModifier);
        QCOMPARE(order(), QStringLiteral("host, ipu 1, ipu 0, ipu 2, ipu 3"));
        key(Qt::Key_Up, Qt::AltModifier);
        key(Qt::Key_Up, Qt::AltModifier);
        QCOMPARE(order(), QStringLiteral("ipu 0, host, ipu 1, ipu 2, ipu 3"));
        key(Qt::Key_K);
        QCOMPARE(plot().accessibleDescription(), QStringLiteral("IPU 0, folded, pinned"));
        const double height = place(1).rowHeight;
        key(Qt::Key_Plus);
        QVERIFY(place(1).rowHeight > height);
        key(Qt::Key_Minus);
        key(Qt::Key_Minus);
        QVERIFY(place(1).rowHeight < height);
        key(Qt::Key_H);
        QCOMPARE(order(), QStringLiteral("host, ipu 1, ipu 2, ipu 3"));
        QCOMPARE(plot().currentLane(), 0);
        key(Qt::Key_Space, Qt::ShiftModifier);
        QVERIFY(state(0).folded && state(3).folded);
        key(Qt::Key_H, Qt::ShiftModifier);
        QCOMPARE(order(), QStringLiteral("ipu 0, host, ipu 1, ipu 2, ipu 3"));
        // Zooming has its keys as before.
        const double span = zoom().span();
        key(Qt::Key_Up);
        QVERIFY(zoom().span() < span);
    }

    void theLastLaneIsNotHidden() {
        openFour();
        for (std::size_t lane = 0; lane < lanes().size(); ++lane)
            plot().act(LaneAction::Hide, lane);
        settle();
        QCOMPARE(plot().trace().layout().places.size(), std::size_t(1));
        plot().act(LaneAction::ShowAll, 0);
        QCOMPARE(plot().trace().layout().places.size(), std::size_t(5));
    }

    void theMenuHasAll() {
        openFour();
        const std::unique_ptr<QMenu> menu(plot().laneMenu(2));
        for (const char* text :
             {"Fold", "Pin", "Hide", "Move up", "Move down", "Taller", "Lower", "Only this IPU",
              "Fold or unfold all", "Show all", "Lanes as at first", "Save picture"})
            QVERIFY2(inMenu(*menu, text), text);
        QVERIFY(!inMenu(*menu, "Show all")->isEnabled());
        inMenu(*menu, "Only this IPU")->trigger();
        settle();
        QCOMPARE(order(), QStringLiteral("host, ipu 1"));
        const std::unique_ptr<QMenu> ofHost(plot().laneMenu(0));
        QVERIFY(!inMenu(*ofHost, "Only this IPU")->isEnabled());
        // By keyboard it is that of the current lane.
        const auto opened = [this]() -> QMenu* {
            for (QMenu* each : plot().findChildren<QMenu*>())
                if (each->isVisible())
                    return each;
            return nullptr;
        };
        plot().setCurrentLane(1);
        QVERIFY(!opened());
        key(Qt::Key_L);
        QVERIFY(opened() && inMenu(*opened(), "Only this IPU")->isEnabled());
        opened()->close();
        // And by mouse that of the lane whose name it is.
        const QPoint at = middleOf(0);
        QContextMenuEvent byMouse(QContextMenuEvent::Mouse, at, names().mapToGlobal(at));
        QCoreApplication::sendEvent(&names(), &byMouse);
        QVERIFY(opened() && !inMenu(*opened(), "Only this IPU")->isEnabled());
        QCOMPARE(plot().currentLane(), 0);
        opened()->close();
    }

    void anySetOfIpusCanBeChosen() {
        openFour();
        auto& choice = test::child<views::IpuField>(*trace_);
        QCOMPARE(choice.count(), 5);
        const auto type = [&](const char* text) {
            choice.setFocus();
            choice.lineEdit()->selectAll();
            QTest::keyClicks(choice.lineEdit(), text);
            QTest::keyClick(choice.lineEdit(), Qt::Key_Return);
            settle();
        };
        type("0-1,3");
        QCOMPARE(order(), QStringLiteral("host, ipu 0, ipu 1, ipu 3"));
        // It is kept with the session, though it is not an item.
        const QJsonObject states = views::controlStates(*trace_);
        QSignalSpy told(trace_, &views::ReportView::status);
        type("0-4");
        QVERIFY(!told.isEmpty() && told.last()[0].toString().contains("below 4"));
        QCOMPARE(lanes().size(), std::size_t(4));
        QVERIFY(choice.lineEdit()->hasFocus());
        QCOMPARE(choice.currentText(), QStringLiteral("0-4"));
        plot().setFocus();
        QCOMPARE(choice.currentText(), QStringLiteral("0-1,3"));
        choice.setCurrentIndex(3);
        settle();
        QCOMPARE(order(), QStringLiteral("host, ipu 2"));
        type("");
        QCOMPARE(lanes().size(), std::size_t(2)); // nothing was typed over it
        choice.setCurrentIndex(0);
        settle();
        QCOMPARE(lanes().size(), std::size_t(5));
        views::setControlStates(*trace_, states);
        settle();
        QCOMPARE(order(), QStringLiteral("host, ipu 0, ipu 1, ipu 3"));
    }

    void theSessionKeepsTheArrangement() {
        openFour();
        plot().act(LaneAction::Fold, 2);
        plot().act(LaneAction::Pin, 3);
        plot().moveLane(4, 1);
        const QString arranged = order();
        const QJsonObject states = views::controlStates(*trace_);
        window_.reset();
        newWindow();
        openFour();
        QVERIFY(views::setControlStates(*trace_, states).isEmpty());
        settle();
        QCOMPARE(order(), arranged);
        QVERIFY(state(2).folded && state(3).pinned);
        // Profiles with as many IPUs keep it, others reset it.
        open({files_.write("again.pop", {.ipus = 4, .changed = true})});
        QCOMPARE(order(), arranged);
        open({files_.write("two.pop", {.ipus = 2})});
        QCOMPARE(order(), QStringLiteral("host, ipu 0, ipu 1"));
        QVERIFY(!state(2).folded);
        views::setControlStates(*trace_, states);
        QVERIFY(!state(2).folded);
    }

    void coloursAreReadWhenTheyAreAskedFor_data() {
        QTest::addColumn<QString>("colours");
        QTest::newRow("balance") << "Tile balance";
        QTest::newRow("bytes") << "Exchange";
        QTest::newRow("operation") << "Operations";
    }
    void coloursAreReadWhenTheyAreAskedFor() {
        QFETCH(QString, colours);
        openFour();
        const auto tinted = [this] {
            std::size_t count = 0;
            for (const views::TraceRow& row : lanes()[1].rows)
                for (const views::TraceBox& box : row.boxes)
                    count += box.tint != views::BoxTint{};
            return count;
        };
        QCOMPARE(tinted(), std::size_t(0));
        views::LegendBar* found = nullptr; // graphs of the host have one of their own
        for (auto* each : trace_->findChildren<views::LegendBar*>())
            if (each->isVisible())
                found = each;
        QVERIFY(found);
        views::LegendBar& legend = *found;
        const QString kinds = legend.entries().front().name;
        test::choose(*trace_, "Colour by", colours);
        settle();
        QVERIFY(tinted() > 0 && tinted() < boxesOf(1));
        QVERIFY(legend.entries().front().name != kinds);
        if (colours == "Operations") {
            QVERIFY(legend.entries().size() > 1);
        } else {
            QVERIFY(legend.entries().front().mark == views::LegendBar::Mark::Scale);
            QVERIFY(!legend.entries().front().end.isEmpty());
            for (const views::TraceRow& row : lanes()[1].rows)
                for (const views::TraceBox& box : row.boxes)
                    QVERIFY(box.tint.amount <= 1);
        }
        test::choose(*trace_, "Colour by", "Kind");
        settle();
        QCOMPARE(tinted(), std::size_t(0));
        QCOMPARE(legend.entries().front().name, kinds);
    }

    void tintsAreThoseOfTheSteps() {
        const QString file = files_.write("a.pop", {.ipus = 2});
        const ProfilePair pair{test::openSample(file), nullptr};
        const auto index = pair.source->trace({});
        views::TraceQuestion question{pair, views::TraceLook::Flat, IpuId(1)};
        question.tints = std::make_shared<views::BoxTints>(pair, views::ColourBy::Balance);
        const auto& run = index->runs()[1];
        const CycleRange range{run.start, run.start + run.cycles};
        for (const std::int64_t minimum : {std::int64_t(1), run.cycles / 20}) {
            const auto lane = test::traceLanes(question, range, minimum)[0];
            QCOMPARE(lane.key, std::string("source ipu 1"));
            for (const views::TraceRow& row : lane.rows)
                for (const views::TraceBox& box : row.boxes) {
                    if (box.tint.amount < 0 || box.cycles() == 0)
                        continue;
                    const double expected =
                        index->statistics(IpuId(1), {box.begin, box.end}).tileBalance;
                    QVERIFY(std::abs(static_cast<double>(box.tint.amount) - expected) < 1e-4);
                }
        }
        question.tints = std::make_shared<views::BoxTints>(pair, views::ColourBy::Bytes);
        float largest = 0;
        const auto lanes = test::traceLanes(question, range, 1);
        for (const views::TraceRow& row : lanes[0].rows)
            for (const views::TraceBox& box : row.boxes)
                largest = std::max(largest, box.tint.amount);
        QVERIFY(largest > 0.01F && largest <= 1);
    }

    // If steps overlap, their cycles exceed the range: the bar has all of them.
    void theBarHasAllKindsWhereStepsOverlap() {
        Profile profile = test::sampleProfile();
        for (TraceBody& body : profile.trace.bodies)
            for (TraceStep& step : body.steps)
                if (step.kind == ProgramKind::StreamCopyMid)
                    step.ipus.front().cycles += 9000;
        open({files_.writeProfile("overlapped.pop", profile)});
        auto& panel = test::child<views::StatisticsPanel>(*trace_);
        const TraceStatistics& statistics = panel.lanes().front().statistics;
        QVERIFY(statistics.overlapped > 0);
        const QImage image = panel.grab().toImage();
        constexpr int aboveTexts = 58; // of the bar, see StatisticsPanel
        std::map<QRgb, int> widths;
        for (int x = 0; x < image.width(); ++x)
            ++widths[image.pixel(x, aboveTexts)];
        const views::Theme& theme = window_->context().theme.current();
        const ProgramKind widest = statistics.sums.dominantKind();
        QVERIFY(widths[theme.kind(widest).rgb()] > 50);
        const double perPixel =
            static_cast<double>(statistics.sums.cycles(widest)) / widths[theme.kind(widest).rgb()];
        for (const ProgramKind kind : programKinds) {
            const double expected = static_cast<double>(statistics.sums.cycles(kind)) / perPixel;
            const int width = widths[theme.kind(kind).rgb()];
            if (statistics.sums.cycles(kind) > 0)
                QVERIFY2(std::abs(width - expected) < 4,
                         qPrintable(QStringLiteral("%1: %2 of %3")
                                        .arg(QString::fromUtf8(toString(kind).data()))
                                        .arg(width)
                                        .arg(expected)));
        }
    }

    void clicksMeanWhatTheLaneSays() {
        openFour();
        auto& selection = test::child<views::TraceSelection>(*trace_);
        const views::TraceQuestion question{
            ProfilePair(window_->context().reports.source(), nullptr), views::TraceLook::Flat,
            IpuId(2)};
        const auto lane = views::lanesOf(question);
        QCOMPARE(lane.size(), std::size_t(1));
        QCOMPARE(lane[0]->ipu(), IpuId(2));
        views::TraceBox box;
        box.firstStep = 12;
        box.begin = 4;
        box.end = 40;
        QCOMPARE(lane[0]->step(box), std::int64_t(12));
        lane[0]->click({.box = &box}, selection);
        settle();
        QCOMPARE(trace_->selection().step(), std::int64_t(12));
        QVERIFY(!trace_->selection().range());
        box.steps = 3;
        QCOMPARE(lane[0]->step(box), std::int64_t(-1));
        lane[0]->click({.box = &box}, selection);
        QVERIFY(trace_->selection().range() == (CycleRange{4, 40}));
    }

    // Counters, hosts and IPUs are one list, from top to bottom.
    void allItemsAreOneList() {
        openFour();
        const auto items =
            views::traceItems({ProfilePair(window_->context().reports.source(), nullptr),
                               views::TraceLook::Flat, IpuId()});
        const std::size_t counters = views::counterTracks().size();
        QCOMPARE(items.size(), counters + 4);
        std::set<std::string> keys;
        for (std::size_t i = 0; i < items.size(); ++i) {
            QCOMPARE(items[i]->counter() != nullptr, i < counters);
            keys.insert(items[i]->key());
            // A counter reads a curve, all others rows of boxes.
            const views::TraceLane read = items[i]->read({{0, 1000}, 1, views::Cores::All, 10}, {});
            QCOMPARE(read.curve != nullptr, i < counters);
            QCOMPARE(read.rows.empty(), i < counters);
            QVERIFY(!read.name.empty());
        }
        QCOMPARE(keys.size(), items.size());
    }
};

TILESCOPE_TEST(LanesTest, QApplication)

} // namespace lanes_test

#include "lanes_test.moc"
