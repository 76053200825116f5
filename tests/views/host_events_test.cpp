// What a program recorded of itself, beside the IPUs: colours, the host's own time, details, rows.
#include <QLabel>
#include <QTabWidget>
#include <QTreeView>
#include <QtTest>

#include "core/report/range_table.h"
#include "tests/support/test_main.h"
#include "tests/views/trace_window.h"
#include "views/execution/item_kinds.h"
#include "views/execution/range_panel.h"
#include "views/execution/step_panel.h"
#include "views/tables/table_panel.h"

namespace host_events_test {
using namespace tilescope;
using namespace tilescope::gui;

class HostEventsTest : public test::TraceWindow {
    Q_OBJECT
    const std::vector<views::TraceLane>& lanes() const {
        return *trace_->plot().trace().overview();
    }
    /// A box by its name, with its lane and row.
    struct Found {
        std::size_t lane = 0;
        std::size_t row = 0;
        views::TraceBox box;
    };
    std::optional<Found> event(const std::string& name) const {
        for (std::size_t lane = 0; lane < lanes().size(); ++lane)
            for (std::size_t row = 0; row < lanes()[lane].rows.size(); ++row)
                for (const views::TraceBox& box : lanes()[lane].rows[row].boxes)
                    if (box.name == name)
                        return Found{lane, row, box};
        return {};
    }
    QPoint placeOf(const Found& found, double at) const {
        views::TracePlot& plot = trace_->plot();
        return {qRound(plot.xAxis->coordToPixel(at)),
                qRound(plot.yAxis->coordToPixel(plot.trace().rowMiddle(found.lane, found.row)))};
    }
    double middleOf(const Found& found) const {
        const double from = std::max(zoom().from(), static_cast<double>(found.box.begin));
        const double to = std::min(zoom().to(), static_cast<double>(found.box.end));
        return (from + to) / 2;
    }
    views::ZoomRange& zoom() const { return window_->context().timeZoom; }
    QString readOutAt(const QPoint& place) {
        QSignalSpy hovered(&trace_->plot(), &views::PlotWidget::hovered);
        QMouseEvent move(QEvent::MouseMove, place, trace_->plot().mapToGlobal(QPointF(place)),
                         Qt::NoButton, Qt::NoButton, Qt::NoModifier);
        QCoreApplication::sendEvent(&trace_->plot(), &move);
        return hovered.isEmpty() ? QString() : hovered.last()[0].toString();
    }
    void openAll(const Profile& profile) {
        open({files_.writeProfile("record.pop", profile)});
        if (!trace_->controls().compilation().isChecked())
            test::button(*trace_, "Compilation").click();
        settle();
    }
    /// Where a repeated step of an IPU is.
    std::optional<QPoint> placeOfGhost() const {
        const views::TracePlot& plot = trace_->plot();
        const QRect area = plot.axisRect()->rect();
        for (int y = area.top(); y < area.bottom(); y += 3)
            for (int x = area.left(); x < area.right(); x += 5) {
                const auto hit =
                    plot.trace().hit(plot.xAxis->pixelToCoord(x), plot.yAxis->pixelToCoord(y));
                if (hit.box != nullptr && hit.box->ghost && hit.box->steps == 1 &&
                    hit.box->look == views::TraceBox::Look::Step)
                    return QPoint(x, y);
            }
        return {};
    }
    static Profile recorded() { return test::sampleProfile({.withRecord = true}); }

private slots:
    void initTestCase() { prepare(); }
    void init() { newWindow(); }
    void cleanup() { window_.reset(); }

    void channelsHaveColours() {
        openAll(recorded());
        const auto epoch = event("epoch");
        const auto call = event("modelExecution");
        const auto item = event("__getitem__");
        QVERIFY(epoch && call && item);
        const views::Theme& theme = window_->context().theme.current();
        const views::BoxColours colours(theme, views::ColourBy::Kind);
        std::set<std::uint32_t> all;
        for (const auto& found : {epoch, call, item})
            all.insert(colours.of(found->box).colour);
        QCOMPARE(all.size(), std::size_t(3)); // app, poptorch.trainingModel, dataset
        QCOMPARE(colours.of(epoch->box).colour, colours.of(event("best so far")->box).colour);
        // The legend says which is which.
        QStringList names;
        for (const auto* legend : trace_->findChildren<views::LegendBar*>())
            for (const views::LegendBar::Entry& entry : legend->entries())
                names << entry.name;
        QCOMPARE(lanes()[1].channels.size(), std::size_t(3));
        for (const std::string& channel : lanes()[1].channels)
            QVERIFY2(names.contains(QString::fromStdString(channel)), qPrintable(names.join('|')));
    }

    void theHostsTimeIsSeconds() {
        openAll(recorded());
        const auto item = event("__getitem__");
        const QString text = readOutAt(placeOf(*item, middleOf(*item)));
        QVERIFY2(text.contains("dataset") && text.contains("2.00 ms") && text.contains("500"),
                 qPrintable(text));
        QVERIFY2(!text.contains("cycle"), qPrintable(text));
    }

    void aMomentIsSeenAndPointedAt() {
        openAll(recorded());
        const auto best = event("best so far");
        QVERIFY(best && best->box.moment);
        const auto at = static_cast<double>(best->box.begin);
        const QPoint place = placeOf(*best, at);
        const views::BoxColours colours(window_->context().theme.current(), views::ColourBy::Kind);
        const QColor wanted = QColor::fromRgb(colours.of(best->box).colour);
        const QImage image = trace_->plot().grab().toImage();
        int seen = 0; // its flag, at the top of the row
        for (int x = place.x(); x <= place.x() + 10; ++x)
            for (int y = place.y() - 11; y < place.y(); ++y)
                seen += QColor(image.pixel(x, y)) == wanted ? 1 : 0;
        QVERIFY2(seen >= 10, qPrintable(QString::number(seen)));
        QVERIFY(readOutAt(place + QPoint(2, 0)).startsWith("best so far"));
    }

    void aClickFillsTheDetails() {
        openAll(recorded());
        const auto item = event("__getitem__");
        QTest::mouseClick(&trace_->plot(), Qt::LeftButton, {}, placeOf(*item, middleOf(*item)));
        settle();
        auto* details = trace_->findChild<views::StepPanel*>()->findChild<QTreeView*>();
        QVERIFY(details->isVisible());
        QStringList lines;
        for (int row = 0; row < details->model()->rowCount(); ++row)
            lines << details->model()->index(row, 0).data().toString() + "=" +
                         details->model()->index(row, 1).data().toString();
        const QString all = lines.join('|');
        for (const char* part : {"Name=__getitem__", "Channel=dataset", "Row=Loader"})
            QVERIFY2(all.contains(part), qPrintable(all));
    }

    void theRangeCountsWhatTheHostDid() {
        const Profile sample = recorded();
        const auto profile = ProfileView::of(sample);
        const double clock = profile->machine().clockHz;
        HostTimeline timeline({}, *profile->trace(), HostCopies({}, profile->machine(), {}, {}),
                              profile->machine());
        timeline.addThreads(
            std::make_shared<const HostThreads>(*profile->hostRecord({}), timeline.clockHz()));
        const CycleRange range{std::llround(0.0015 * clock), std::llround(0.0045 * clock)};
        RangeTable table = rangeTable(*profile, {}, range, RangeGroup::Step);
        QVERIFY(table.table.rows.empty());
        addHostRows(table, timeline, range, false);
        QCOMPARE(table.table.rows.size(), std::size_t(3)); // the call had ended before
        const auto cyclesOf = [&](const std::string& name) -> std::int64_t {
            for (const Row& row : table.table.rows)
                if (std::get<std::string>(row.cells[0]) == name)
                    return std::get<Duration>(row.cells[table.table.columnOf("cycles")]).cycles;
            return -1;
        };
        QCOMPARE(cyclesOf("epoch"), range.cycles());
        QCOMPARE(cyclesOf("__getitem__"), std::llround(0.0025 * clock) - range.begin);
        QCOMPARE(cyclesOf("best so far"), std::int64_t{0});
        // And in the window.
        openAll(recorded());
        auto* tabs = trace_->findChild<QTabWidget*>();
        tabs->setCurrentWidget(&trace_->tabs().inRange());
        zoom().setRange(static_cast<double>(range.begin), static_cast<double>(range.end));
        settle();
        QStringList names;
        const QAbstractItemModel& model = trace_->tabs().inRange().table().model();
        for (int row = 0; row < model.rowCount(); ++row)
            names << model.index(row, 0).data().toString();
        QVERIFY2(names.contains("epoch") && names.contains("__getitem__"),
                 qPrintable(names.join('|')));
        // Their unit is time, among rows in cycles.
        for (int row = 0; row < model.rowCount(); ++row)
            if (model.index(row, 0).data().toString() == "epoch") {
                QString all;
                for (int column = 0; column < model.columnCount(); ++column)
                    all += model.index(row, column).data().toString() + '|';
                QVERIFY2(all.contains("3.00 ms"), qPrintable(all));
            }
    }

    void callsOfTheRangeAreATree() {
        openAll(recorded());
        auto* tabs = trace_->findChild<QTabWidget*>();
        tabs->setCurrentWidget(&trace_->tabs().calls());
        settle();
        const QAbstractItemModel& tree = trace_->tabs().calls().tree().values();
        QCOMPARE(tree.rowCount(), 2);
        const QModelIndex main = tree.index(0, 0);
        QCOMPARE(main.data().toString(), QString("MainThread"));
        const QModelIndex epoch = tree.index(0, 0, main);
        QCOMPARE(epoch.data().toString(), QString("epoch"));
        QCOMPARE(epoch.siblingAtColumn(1).data().toString(), QString("10.0 ms"));
        QCOMPARE(epoch.siblingAtColumn(2).data().toString(), QString("9.00 ms"));
        QCOMPARE(tree.rowCount(epoch), 2);
        // Without a program's record there is no such tab.
        open({files_.write("plain.pop")});
        QVERIFY(!tabs->isTabVisible(tabs->indexOf(&trace_->tabs().calls())));
    }

    void threadsFoldPinAndMove() {
        openAll(recorded());
        QCOMPARE(lanes()[1].key, std::string("source thread MainThread"));
        QCOMPARE(lanes()[2].key, std::string("source thread Loader"));
        views::TracePlot& plot = trace_->plot();
        plot.act(views::LaneAction::Fold, 1);
        QVERIFY(plot.trace().layout().of(1)->folded);
        QCOMPARE(plot.trace().layout().of(1)->rows, std::size_t(1));
        plot.act(views::LaneAction::MoveDown, 1);
        QVERIFY(plot.trace().layout().of(1)->top > plot.trace().layout().of(2)->top);
        plot.act(views::LaneAction::Pin, 2);
        QVERIFY(plot.trace().layout().of(2)->pinned);
        settle();
        QCOMPARE(lanes()[1].folded.boxes.size(), std::size_t(1)); // the epoch
    }

    void moreThreadsThanLanesAreSaid() {
        Profile profile = recorded();
        const HostEvent item = profile.hostRecord.events[1];
        const auto threads = static_cast<int>(views::mostThreadLanes) + 9;
        for (int thread = 0; thread < threads; ++thread) {
            profile.hostRecord.events.push_back(item);
            HostEvent& event = profile.hostRecord.events.back();
            event.thread = QStringLiteral("Worker %1").arg(thread).toStdString();
            event.name = "decodes";
            event.start = 0.01 + 0.001 * thread;
            event.seconds = thread == threads - 1 ? 0.002 : 0.001; // the last one the longest
        }
        const std::size_t all = 2 + static_cast<std::size_t>(threads);
        const std::size_t before = [&] {
            open({files_.writeProfile("few.pop", recorded())});
            return lanes().size() - 2; // without its threads
        }();
        openAll(profile);
        QCOMPARE(lanes().size(), before + views::mostThreadLanes);
        const auto has = [this](const std::string& thread) {
            return std::ranges::any_of(
                lanes(), [&](const auto& lane) { return lane.key == "source thread " + thread; });
        };
        QVERIFY(has("MainThread") && has("Worker 264") && !has("Worker 263"));
        QStringList texts;
        for (const QLabel* label : trace_->findChildren<QLabel*>())
            if (label->isVisible())
                texts << test::labelText(*label);
        const QString said =
            QStringLiteral("%1 threads of the program").arg(all - views::mostThreadLanes);
        QVERIFY2(texts.join('|').contains(said), qPrintable(texts.join('|')));
    }

    void manyCallsAreSaid() {
        Profile profile = recorded();
        open({files_.writeProfile("one_call.pop", profile)});
        const auto said = [this] {
            for (const QLabel* label : trace_->findChildren<QLabel*>())
                if (label->isVisible() && label->text().contains("called the model"))
                    return label->text();
            return QString();
        };
        QCOMPARE(said(), QString());
        const HostEvent call = profile.hostRecord.events[1];
        for (int more = 1; more < 36; ++more) {
            profile.hostRecord.events.push_back(call);
            profile.hostRecord.events.back().start = 0.01 * more;
        }
        openAll(profile);
        QVERIFY2(said().contains("36 times") && said().contains("35 later calls"),
                 qPrintable(said()));
        // The run stands, paler, at the time of each later call.
        const TraceRun run = window_->context().reports.source()->trace({})->runs().back();
        const double clock = window_->context().reports.source()->machine().clockHz;
        std::vector<std::int64_t> starts;
        for (const views::TraceBox& box : lanes()[0].rows[1].boxes) // below the compilation
            if (box.ghost)
                starts.push_back(box.begin);
        QCOMPARE(starts.size(), std::size_t(35));
        QCOMPARE(starts[2], std::llround(0.03 * clock));
        zoom().setRange(0.03 * clock, 0.03 * clock + static_cast<double>(run.cycles));
        settle();
        // So close, the steps of the run are seen, and they are those of the trace.
        const auto found = placeOfGhost();
        QVERIFY(found);
        QTest::mouseClick(&trace_->plot(), Qt::LeftButton, {}, *found);
        settle();
        QVERIFY(trace_->selection().step() >= 0);
    }
};

TILESCOPE_TEST(HostEventsTest, QApplication)

} // namespace host_events_test

#include "host_events_test.moc"
