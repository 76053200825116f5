// A program whose loader is slower than the machine: the host's lanes say so, and what the edit
// changed.
#include <QTabBar>

#include "tests/support/test_main.h"
#include "tests/views/stories/scripts.h"
#include "tests/views/stories/story.h"
#include "views/execution/trace_view.h"

namespace slow_loader_test {
using namespace tilescope;
using namespace tilescope::views;
using gui::Report;
using test::Story;

class SlowLoaderStory : public QObject {
    Q_OBJECT

    test::Scripts scripts_;

    static const TraceLane& mainThread(TraceView& trace, bool target = false) {
        const std::string key = target ? "target thread MainThread" : "source thread MainThread";
        for (const TraceLane& lane : *trace.plot().trace().overview())
            if (lane.key == key)
                return lane;
        qFatal("the program's thread has no lane");
    }
    /// Boxes of that name in order of time.
    static std::vector<TraceBox> boxesOf(const TraceLane& lane, const std::string& name) {
        std::vector<TraceBox> boxes;
        for (const TraceRow& row : lane.rows)
            for (const TraceBox& box : row.boxes)
                if (box.name == name)
                    boxes.push_back(box);
        std::ranges::sort(boxes, {}, &TraceBox::begin);
        return boxes;
    }
    static std::vector<TraceBox> within(const std::vector<TraceBox>& boxes, CycleRange range) {
        std::vector<TraceBox> found;
        for (const TraceBox& box : boxes)
            if (box.begin >= range.begin && box.end <= range.end)
                found.push_back(box);
        return found;
    }
    static void showAllOfTheHost(Story& story, TraceView& trace) {
        if (!trace.controls().compilation().isChecked())
            Story::press(trace.controls().compilation());
        story.waitUntilIdle();
    }
    /// With the wheel, until not much more than a range is in sight.
    static void zoomTo(Story& story, TraceView& trace, CycleRange range) {
        const ZoomRange& zoom = story.window().context().timeZoom;
        trace.plot().setFocus();
        QTest::keyClick(&trace.plot(), Qt::Key_F); // all of it first
        const auto middle = static_cast<double>(range.begin + range.cycles() / 2);
        const double wanted = 1.2 * static_cast<double>(range.cycles());
        for (int notch = 0; notch < 200 && zoom.to() - zoom.from() > wanted; ++notch) {
            const double x = trace.plot().xAxis->coordToPixel(middle);
            Story::wheel(trace.plot(), {x, trace.plot().height() / 2.0}, 120);
        }
        story.waitUntilIdle();
        QVERIFY(zoom.to() - zoom.from() <= wanted);
        QVERIFY(zoom.from() < middle && middle < zoom.to());
    }
    static void showTab(TraceView& trace, const QString& title) {
        QTabBar& bar = *trace.tabs().tabBar();
        for (int tab = 0; tab < bar.count(); ++tab)
            if (bar.tabText(tab) == title) {
                QVERIFY(bar.isTabVisible(tab));
                QTest::mouseClick(&bar, Qt::LeftButton, {}, bar.tabRect(tab).center());
                return;
            }
        qFatal("there is no tab '%s'", qPrintable(title));
    }
    /// The line of the tree of calls, at any depth.
    static QModelIndex lineOf(const QAbstractItemModel& calls, const QString& name) {
        const QModelIndexList found = calls.match(calls.index(0, 0), Qt::DisplayRole, name, 1,
                                                  Qt::MatchExactly | Qt::MatchRecursive);
        return found.isEmpty() ? QModelIndex() : found.front();
    }

private slots:
    void aSlowLoaderIsFoundInTheHostsLanes() {
        const QStringList code = test::Scripts::codeOf(QStringLiteral("slow_loader.md"));
        QCOMPARE(code.size(), 2);
        scripts_.write("train.py", code[0]);
        const QString before = scripts_.profileOf("before");
        if (before.isEmpty())
            QSKIP("PyTorch or the Python packages are not there");

        // The program called the model again and again.
        Story story;
        test::openProfiles(story.window(), {before});
        story.openReport(Report::Trace);
        auto& trace = story.view<TraceView>(Report::Trace);
        Story::verifyReads(trace, "The host called the model 8 times");
        showAllOfTheHost(story, trace);

        // Between two of its calls it decodes the images of a batch, one after the other.
        const std::vector<TraceBox> steps = boxesOf(mainThread(trace), "step");
        QCOMPARE(steps.size(), std::size_t(8));
        const CycleRange between{steps[3].end, steps[4].begin};
        const double clock = story.window().context().reports.source()->machine().clockHz;
        const std::vector<TraceBox> decodes = boxesOf(mainThread(trace), "decode");
        const std::vector<TraceBox> decoded = within(decodes, between);
        QCOMPARE(decoded.size(), std::size_t(4));
        std::int64_t decoding = 0;
        for (const TraceBox& box : decoded)
            decoding += box.cycles();
        constexpr double sleeps = 4 * 0.002; // of the program, seconds
        QVERIFY(static_cast<double>(decoding) >= sleeps * clock);
        // Which is many times what the machine has to do for a batch.
        const TraceRun& run = story.window().context().reports.source()->trace({})->runs().back();
        QVERIFY(decoding > 20 * run.cycles);

        zoomTo(story, trace, {steps[3].begin, steps[4].end});
        showTab(trace, QStringLiteral("Calls"));
        story.waitUntilIdle();
        const QAbstractItemModel& calls = trace.tabs().calls().tree().values();
        const QModelIndex decode = lineOf(calls, QStringLiteral("decode"));
        QVERIFY(decode.isValid());
        constexpr int ownTime = 2, count = 3; // columns
        const ZoomRange& zoom = story.window().context().timeZoom;
        const auto inSight = std::ranges::count_if(decodes, [&](const TraceBox& box) {
            return static_cast<double>(box.end) > zoom.from() &&
                   static_cast<double>(box.begin) < zoom.to();
        });
        QVERIFY(inSight >= 4);
        QCOMPARE(decode.siblingAtColumn(count).data().toString(), QString::number(inSight));
        QCOMPARE(decode.siblingAtColumn(ownTime).data(), decode.siblingAtColumn(1).data());
        story.picture(QStringLiteral("slow-loader"));

        // The edit decodes all images before the first step.
        const qsizetype at = code[0].indexOf(QLatin1String("    def __getitem__"));
        const qsizetype end = code[0].indexOf(QLatin1String("class Net"));
        scripts_.write("train.py", code[0].left(at) + code[1] + "\n\n" + code[0].mid(end));
        const QString after = scripts_.profileOf("after");
        test::openProfiles(story.window(), {before, after});
        story.openReport(Report::Trace);
        showAllOfTheHost(story, trace);
        QCOMPARE(boxesOf(mainThread(trace, true), "step").size(), std::size_t(8));
        // From the first run on the source decodes, and the target does not.
        QVERIFY(boxesOf(mainThread(trace), "decode").size() >= std::size_t(28));
        QVERIFY(boxesOf(mainThread(trace, true), "decode").empty());
        const auto record = story.window().context().reports.target()->hostRecord();
        const auto named = [&](const char* name) {
            std::vector<HostEvent> events;
            std::ranges::copy_if(record->events, std::back_inserter(events),
                                 [&](const HostEvent& event) { return event.name == name; });
            return events;
        };
        QCOMPARE(named("decode").size(), std::size_t(32));
        for (const HostEvent& each : named("decode"))
            QVERIFY(each.start + *each.seconds <= named("step").front().start);
        // In the time of four steps of the source the target has ended.
        zoomTo(story, trace, {0, steps[3].end});
        story.picture(QStringLiteral("slow-loader-compare"));
    }
};

TILESCOPE_TEST(SlowLoaderStory, QApplication)

} // namespace slow_loader_test

#include "slow_loader_test.moc"
