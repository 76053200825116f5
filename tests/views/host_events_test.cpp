// What a program recorded of itself, beside the IPUs: colours, the host's own time, details, rows.
#include <QLabel>
#include <QTabWidget>
#include <QTreeView>
#include <QtTest>

#include "core/analysis/hosts/host_record_lanes.h"
#include "core/report/range_table.h"
#include "tests/support/test_main.h"
#include "tests/views/trace_window.h"
#include "views/execution/range_panel.h"
#include "views/execution/step_panel.h"
#include "views/tables/table_panel.h"

namespace host_events_test {
using namespace tilescope;
using namespace tilescope::gui;

class HostEventsTest : public test::TraceWindow {
    Q_OBJECT
    const views::TraceLane& host() const { return (*trace_->plot().trace().overview())[0]; }
    /// A box of the host's lane by its name, with its row.
    struct Found {
        std::size_t row = 0;
        views::TraceBox box;
    };
    std::optional<Found> event(const std::string& name) const {
        for (std::size_t row = 0; row < host().rows.size(); ++row)
            for (const views::TraceBox& box : host().rows[row].boxes)
                if (box.name == name)
                    return Found{row, box};
        return {};
    }
    QPoint placeOf(const Found& found, double at) const {
        views::TracePlot& plot = trace_->plot();
        return {qRound(plot.xAxis->coordToPixel(at)),
                qRound(plot.yAxis->coordToPixel(plot.trace().rowMiddle(0, found.row)))};
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
        test::button(*trace_, "Compilation").click();
        settle();
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
        for (const std::string& channel : host().channels)
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
        int seen = 0;
        for (int x = place.x() - 3; x <= place.x() + 3; ++x)
            seen += QColor(image.pixel(x, place.y())) == wanted ? 1 : 0;
        QVERIFY(seen >= 2);
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
        timeline.addRecord(*profile->hostRecord({}));
        const CycleRange range{std::llround(0.0015 * clock), std::llround(0.0045 * clock)};
        RangeTable table = rangeTable(*profile, {}, range, RangeGroup::Step);
        QVERIFY(table.table.rows.empty());
        addHostRows(table, timeline, range, false);
        QCOMPARE(table.table.rows.size(), std::size_t(3)); // the call had ended before
        const auto cyclesOf = [&](const std::string& name) -> std::int64_t {
            for (const Row& row : table.table.rows)
                if (std::get<std::string>(row.cells[0]) == name)
                    return std::get<std::int64_t>(row.cells[table.table.columnOf("cycles")]);
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
        open({files_.writeProfile("calls.pop", profile)});
        QVERIFY2(said().contains("36 times") && said().contains("deviceIterations"),
                 qPrintable(said()));
    }
};

TILESCOPE_TEST(HostEventsTest, QApplication)

} // namespace host_events_test

#include "host_events_test.moc"
