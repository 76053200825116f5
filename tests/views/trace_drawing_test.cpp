// How boxes of an execution become pixels, and where lanes are, without a window.
#include <QJsonArray>
#include <QtTest>
#include <cmath>
#include <random>
#include <set>

#include "tests/support/test_main.h"
#include "views/execution/ipu_choice.h"
#include "views/plot/trace/box_colours.h"
#include "views/plot/trace/lane_arrangement.h"

namespace trace_drawing_test {
using namespace tilescope;
using namespace tilescope::views;

namespace {

TraceRow rowOf(std::initializer_list<std::pair<int, int>> ranges) {
    TraceRow row;
    for (const auto& [begin, end] : ranges)
        row.boxes.push_back(
            {begin, end, ProgramKind::OnTileExecute, TraceBox::Look::Step, 0, 1, {}});
    return row;
}

constexpr std::int64_t bodyCycles = 1000;

/// Bodies of exchange, sync and compute, one after the other.
TraceRow equalBodies(int count) {
    TraceRow row;
    for (std::int64_t i = 0; i < count; ++i) {
        std::int64_t at = i * bodyCycles;
        const auto add = [&](ProgramKind kind, std::int64_t cycles) {
            row.boxes.push_back({at, at + cycles, kind, TraceBox::Look::Step, 0, 1, {}});
            at += cycles;
        };
        add(ProgramKind::Sync, 60);
        add(ProgramKind::DoExchange, 340);
        add(ProgramKind::OnTileExecute, 600);
    }
    return row;
}

/// The same as a trace, and its index's boxes at a resolution.
TraceIndex repeatedBody(int count) {
    Trace trace;
    const TraceBodyId body = trace.bodies.add({});
    for (const TraceBox& box : equalBodies(1).boxes) {
        TraceStep step;
        step.kind = box.kind;
        step.ipus.push_back({IpuId(0), box.begin, box.cycles(), 0, 0, 0, 0});
        TraceBody& of = trace.bodies[body];
        of.items.push_back({static_cast<std::int32_t>(of.steps.size()), -1});
        of.steps.push_back(step);
    }
    const TraceBodyId main = trace.bodies.add({});
    trace.bodies[main].items.push_back({-1, 0});
    trace.bodies[main].calls.push_back({body, ProgramId(), count, {{IpuId(0), 0, bodyCycles}}});
    trace.runs.push_back({"run", main, 0, count * bodyCycles});
    return {std::move(trace), 1, 4};
}

TraceRow mergedRow(const TraceIndex& index, double from, double to, int pixels) {
    TraceRow row;
    const CycleRange range{static_cast<std::int64_t>(from), static_cast<std::int64_t>(to)};
    for (const TraceSpan& span :
         index.spans(IpuId(0), range, static_cast<std::int64_t>((to - from) / pixels)))
        row.boxes.push_back({span.begin,
                             span.end,
                             span.kind,
                             TraceBox::Look::Step,
                             span.firstStep,
                             span.steps,
                             {},
                             span.shares});
    return row;
}

/// Pixels of a row as they are painted on a ground.
std::vector<QRgb> pixelsOf(const TraceRow& row, double from, double to, int width,
                           const Theme& theme) {
    const BoxColours colours(theme, ColourBy::Kind);
    const BoxPaints paints = [&](const TraceBox& box) { return colours.of(box); };
    std::vector<QRgb> pixels(static_cast<std::size_t>(width), colours.surface());
    for (const BoxOnScreen& place : boxesOnScreen(row, from, to, width, paints, true))
        for (int x = place.x0; x < place.x1; ++x)
            pixels[static_cast<std::size_t>(x)] =
                mixedColours(place.colour, colours.surface(), 1 - place.coverage);
    return pixels;
}

int difference(QRgb a, QRgb b) {
    return std::max({std::abs(qRed(a) - qRed(b)), std::abs(qGreen(a) - qGreen(b)),
                     std::abs(qBlue(a) - qBlue(b))});
}

/// The mean colour of some pixels.
QRgb meanOf(const std::vector<QRgb>& pixels, std::size_t first, std::size_t end) {
    std::int64_t red = 0, green = 0, blue = 0;
    for (std::size_t x = first; x < end; ++x) {
        red += qRed(pixels[x]);
        green += qGreen(pixels[x]);
        blue += qBlue(pixels[x]);
    }
    const auto count = static_cast<std::int64_t>(end - first);
    return qRgb(static_cast<int>(red / count), static_cast<int>(green / count),
                static_cast<int>(blue / count));
}

QString text(const std::vector<std::size_t>& lanes) {
    QStringList texts;
    for (const std::size_t lane : lanes)
        texts << QString::number(lane);
    return texts.join(QLatin1Char(' '));
}

const LaneArrangement::Keys fourKeys{"host", "ipu 0", "ipu 1", "ipu 2"};

} // namespace

class TraceDrawingTest : public QObject {
    Q_OBJECT
private slots:
    void boxesKeepOrderAndNeverOverlap() {
        TraceRow row;
        std::mt19937 random(11);
        std::int64_t at = 0;
        for (int i = 0; i < 20000; ++i) {
            const auto length = static_cast<std::int64_t>(random() % 50 + 1);
            row.boxes.push_back(
                {at, at + length, ProgramKind::DoExchange, TraceBox::Look::Step, i, 1, {}});
            at += length + static_cast<std::int64_t>(random() % 20);
        }
        for (const double zoom : {1.0, 10.0, 1000.0}) {
            const double span = static_cast<double>(at) / zoom;
            const auto screen = boxesOnScreen(row, span / 3, span / 3 + span, 1000);
            QVERIFY(screen.size() <= 1000);
            int end = 0;
            for (const BoxOnScreen& box : screen) {
                QVERIFY(box.x0 >= end);
                QVERIFY(box.x1 > box.x0);
                end = box.x1;
            }
            QVERIFY(end <= 1000);
        }
    }

    void stepsOfALaneAreOneRow() {
        TraceLane lane;
        lane.rows = {rowOf({{0, 100}}), rowOf({{0, 10}, {50, 60}}), rowOf({{20, 30}})};
        lane.rows[0].boxes[0].look = TraceBox::Look::Run;
        const TraceRow steps = stepsOf(lane);
        QCOMPARE(steps.boxes.size(), std::size_t(3));
        QCOMPARE(steps.boxes[1].begin, 20);
    }

    /// Steps beside a long stream copy are not hidden by it.
    void stepsBesideAStreamCopyAreKept() {
        TraceLane lane;
        lane.rows = {rowOf({{10, 20}, {20, 40}, {60, 70}}), rowOf({{8, 50}})};
        lane.rows[1].boxes[0].kind = ProgramKind::StreamCopyMid;
        const TraceRow steps = stepsOf(lane);
        QCOMPARE(steps.boxes.size(), std::size_t(3));
        QCOMPARE(steps.boxes[0].begin, 10);
        QCOMPARE(steps.boxes[2].begin, 60);
        lane.rows[0].boxes.clear();
        QCOMPARE(stepsOf(lane).boxes.size(), std::size_t(1));
    }

    void boxAtFindsTheBoxUnderACycle() {
        const TraceRow row = rowOf({{0, 10}, {20, 30}});
        QCOMPARE(boxAt(row, 5), &row.boxes[0]);
        QVERIFY(boxAt(row, 15) == nullptr);
        QCOMPARE(boxAt(row, 20), &row.boxes[1]);
        QVERIFY(boxAt(row, 30) == nullptr);
    }

    // A pixel mixes all boxes in it by their shares, rather than showing the largest one.
    void pixelsAreMixtures() {
        TraceRow row = rowOf({{0, 30}, {30, 90}});
        row.boxes[1].kind = ProgramKind::DoExchange;
        const Theme theme = lightTheme();
        const auto pixels = pixelsOf(row, 0, 100, 1, theme);
        const QRgb boxes = mixedColours(theme.kind(ProgramKind::OnTileExecute).rgb(),
                                        theme.kind(ProgramKind::DoExchange).rgb(), 60.0 / 90);
        QVERIFY(difference(pixels[0], mixedColours(boxes, theme.surface.rgb(), 0.1)) <= 2);
    }

    void narrowBoxesCanBeSeenWhereverTheyFall() {
        for (const int begin : {20, 300, 995, 1000, 1490}) {
            const TraceRow row = rowOf({{begin, begin + 1}});
            double seen = 0;
            for (const BoxOnScreen& place : boxesOnScreen(row, 0, 10'000, 100))
                seen += place.coverage;
            QVERIFY2(seen > 0.28 && seen < 0.32, qPrintable(QString::number(seen)));
        }
    }

    void wideBoxesArePartedByAPixel() {
        const TraceRow row = rowOf({{0, 50}, {50, 100}, {100, 104}});
        const auto screen = boxesOnScreen(row, 0, 104, 104, {}, true);
        QCOMPARE(screen.size(), std::size_t(3));
        QCOMPARE(screen[0].x1, 49);
        QCOMPARE(screen[1].x0, 50);
        QCOMPARE(screen[2].x1, 104); // not wide enough to lose one
        QCOMPARE(boxesOnScreen(row, 0, 104, 104).front().x1, 50);
    }

    void equalLoopsLookEqual_data() {
        QTest::addColumn<int>("width");
        for (const int width : {97, 131, 183, 184, 185, 367, 369, 500, 1021, 1327, 1500})
            QTest::addRow("%d pixels", width) << width;
    }
    // 184 loops on as many pixels, fewer, and some more: neither a pattern that stops nor waves
    // over many loops. Each stretch of loops has the colour that all have together.
    void equalLoopsLookEqual() {
        QFETCH(int, width);
        constexpr int loops = 184;
        const TraceRow row = equalBodies(loops);
        for (const Theme& theme : {lightTheme(), darkTheme()}) {
            const auto pixels = pixelsOf(row, 0, loops * bodyCycles, width, theme);
            const QRgb mean = meanOf(pixels, 0, pixels.size());
            // About four loops, or eight pixels where they are narrower.
            const auto stretch = static_cast<std::size_t>(std::max(8.0, 4.0 * width / loops));
            for (std::size_t x = 0; x + stretch <= pixels.size(); ++x) {
                const int off = difference(meanOf(pixels, x, x + stretch), mean);
                QVERIFY2(off < 20, qPrintable(QStringLiteral("%1 at %2").arg(off).arg(x)));
            }
            // Fewer pixels than loops have one colour.
            if (width < loops)
                for (const QRgb pixel : pixels)
                    QVERIFY2(difference(pixel, mean) < 40,
                             qPrintable(QString::number(difference(pixel, mean))));
        }
    }

    // The same of what the index merges for this many pixels.
    void mergedLoopsLookEqual_data() { equalLoopsLookEqual_data(); }
    void mergedLoopsLookEqual() {
        QFETCH(int, width);
        constexpr int loops = 1840;
        const TraceIndex index = repeatedBody(loops);
        const double end = loops * bodyCycles;
        const Theme theme = lightTheme();
        const auto pixels = pixelsOf(mergedRow(index, 0, end, width), 0, end, width, theme);
        const QRgb mean = meanOf(pixels, 0, pixels.size());
        for (std::size_t x = 0; x < pixels.size(); ++x)
            QVERIFY2(
                difference(pixels[x], mean) < 40,
                qPrintable(QStringLiteral("%1 at %2").arg(difference(pixels[x], mean)).arg(x)));
        for (std::size_t x = 0; x + 8 <= pixels.size(); ++x)
            QVERIFY(difference(meanOf(pixels, x, x + 8), mean) < 16);
        // One pixel further on the picture is the same, though it was read again.
        const double perPixel = std::floor(end / 3 / width);
        const double from = 100 * perPixel;
        const auto at = [&](double first) {
            const double last = first + width * perPixel;
            return pixelsOf(mergedRow(index, first, last, width), first, last, width, theme);
        };
        const auto before = at(from);
        const auto after = at(from + perPixel);
        for (std::size_t x = 3; x + 3 < before.size(); ++x)
            QVERIFY(difference(before[x], after[x - 1]) <= 1);
    }

    void panningByAPixelMovesThePicture() {
        constexpr int loops = 184;
        constexpr int width = 733;
        const TraceRow row = equalBodies(loops);
        const double perPixel = 0.5 * loops * bodyCycles / width;
        const double from = 10.3 * bodyCycles;
        const auto before = pixelsOf(row, from, from + width * perPixel, width, lightTheme());
        const auto after =
            pixelsOf(row, from + perPixel, from + (width + 1) * perPixel, width, lightTheme());
        for (std::size_t x = 1; x < before.size(); ++x)
            QVERIFY(difference(before[x], after[x - 1]) <= 1);
    }

    void mergedBoxesHaveTheColoursOfAllTheirKinds() {
        const Theme theme = darkTheme();
        TraceBox box;
        box.steps = 9;
        box.shares[static_cast<std::size_t>(ProgramKind::OnTileExecute)] = 127;
        box.shares[static_cast<std::size_t>(ProgramKind::Sync)] = 64;
        const BoxPaint paint = BoxColours(theme, ColourBy::Kind).of(box);
        const QRgb expected = mixedColours(theme.kind(ProgramKind::OnTileExecute).rgb(),
                                           theme.kind(ProgramKind::Sync).rgb(), 1.0 / 3);
        QVERIFY(difference(paint.colour, expected) <= 2);
        QVERIFY(std::abs(paint.filled - 0.75F) < 0.01F);
    }

    void scalesAndTypesHaveColoursOfTheirOwn() {
        for (const Theme& theme : {lightTheme(), darkTheme()}) {
            TraceBox box;
            const BoxColours scale(theme, ColourBy::Balance);
            std::set<QRgb> seen{scale.of(box).colour}; // what has no amount
            for (const float amount : {0.0F, 0.3F, 0.6F, 1.0F, 7.0F}) {
                box.tint.amount = amount;
                seen.insert(scale.of(box).colour);
            }
            QCOMPARE(seen.size(), std::size_t(5)); // more than all is all
            std::set<QRgb> types;
            for (int type = 0; type < 14; ++type)
                types.insert(tintColour(theme, type * tintShades).rgb());
            QCOMPARE(types.size(), std::size_t(14));
            box.tint.parts[0] = {0, 128};
            box.tint.parts[1] = {tintShades, 127};
            const QRgb mixture =
                mixedColours(tintColour(theme, 0).rgb(), tintColour(theme, tintShades).rgb(), 0.5);
            QVERIFY(difference(BoxColours(theme, ColourBy::Operation).of(box).colour, mixture) <=
                    2);
        }
    }

    void lanesAreWhereTheyWerePut() {
        LaneArrangement lanes;
        QCOMPARE(text(lanes.order(fourKeys)), QStringLiteral("0 1 2 3"));
        lanes.moveBefore(fourKeys, 3, 0);
        QCOMPARE(text(lanes.order(fourKeys)), QStringLiteral("3 0 1 2"));
        lanes.moveBefore(fourKeys, 0, fourKeys.size());
        QCOMPARE(text(lanes.order(fourKeys)), QStringLiteral("3 1 2 0"));
        QVERIFY(lanes.moveBy(fourKeys, 1, -1));
        QCOMPARE(text(lanes.order(fourKeys)), QStringLiteral("1 3 2 0"));
        QVERIFY(!lanes.moveBy(fourKeys, 1, -1));
        QVERIFY(lanes.moveBy(fourKeys, 1, 1));
        // Pinned lanes are at the top, and stay there.
        lanes.set("ipu 1", {.pinned = true});
        QCOMPARE(text(lanes.order(fourKeys)), QStringLiteral("2 3 1 0"));
        QVERIFY(!lanes.moveBy(fourKeys, 2, 1));
        QVERIFY(!lanes.moveBy(fourKeys, 3, -1));
        lanes.set("ipu 0", {.hidden = true});
        QCOMPARE(text(lanes.shown(fourKeys)), QStringLiteral("2 3 0"));
        QVERIFY(lanes.moveBy(fourKeys, 3, 1)); // past the hidden one
        QCOMPARE(text(lanes.shown(fourKeys)), QStringLiteral("2 0 3"));
        // An unknown lane keeps its place after the lane before it.
        const LaneArrangement::Keys more{"host", "ipu 0", "ipu 1", "ipu 2", "ipu 3"};
        QCOMPARE(text(lanes.shown(more)), QStringLiteral("2 0 3 4"));
        lanes.showAll();
        QCOMPARE(lanes.shown(fourKeys).size(), std::size_t(4));
    }

    void arrangementsAreKeptAsJson() {
        LaneArrangement lanes;
        lanes.moveBefore(fourKeys, 2, 0);
        lanes.set("ipu 0", {.folded = true, .pinned = true, .rowHeight = 31});
        lanes.set("host", {.hidden = true});
        QVERIFY(LaneArrangement::fromJson(lanes.toJson()) == lanes);
        const QJsonObject hostile{
            {"order", QJsonArray{1, "x", QJsonObject()}},
            {"lanes", QJsonObject{{"ipu 0", 7},
                                  {"host", QJsonObject{{"rowHeight", 1e9}, {"folded", "yes"}}}}}};
        const LaneArrangement odd = LaneArrangement::fromJson(hostile);
        QCOMPARE(odd.of("host").rowHeight, highestRowHeight);
        QVERIFY(!odd.of("host").folded);
        QCOMPARE(text(odd.order(fourKeys)), QStringLiteral("0 1 2 3"));
    }

    void lanesAreLaidOut() {
        LaneArrangement lanes;
        const LaneRows rows{fourKeys, {2, 5, 5, 5}};
        const double gap = laneGap * 10;
        LaneLayout layout = layOutLanes(lanes, rows, 10, 0, 100);
        QCOMPARE(layout.places.size(), std::size_t(4));
        QCOMPARE(layout.places[1].top, 20 + gap);
        QCOMPARE(layout.height, 170 + 4 * gap);
        QCOMPARE(layout.at(21)->lane, std::size_t(0)); // its gap
        QVERIFY(layout.inSight(layout.places[1], 100) && !layout.inSight(layout.places[3], 100));
        lanes.set("ipu 0", {.folded = true});
        lanes.set("ipu 2", {.folded = true, .pinned = true, .rowHeight = 25});
        QCOMPARE(rowsShown(lanes, rows), 1 + 2 + 1 + 5 + 4 * laneGap);
        layout = layOutLanes(lanes, rows, 10, 15, 100);
        // The pinned lane is above, wherever the others are scrolled to.
        QCOMPARE(layout.places[0].lane, std::size_t(3));
        QCOMPARE(layout.places[0].bottom(), 25.0);
        QCOMPARE(layout.pinnedHeight, 25 + gap);
        QCOMPARE(layout.of(0)->top, layout.pinnedHeight - 15);
        QCOMPARE(layout.at(5)->lane, std::size_t(3));
        QCOMPARE(layout.at(layout.pinnedHeight + 1)->lane, std::size_t(0));
        QCOMPARE(layout.of(1)->rows, std::size_t(1));
        // Pinned lanes leave room for others.
        lanes.set("ipu 2", {.pinned = true, .rowHeight = 80});
        layout = layOutLanes(lanes, rows, 10, 0, 100);
        QVERIFY(layout.pinnedHeight < 80);
        QVERIFY(layout.inSight(*layout.of(0), 100));
    }

    void listsOfIpusAreTyped() {
        QVERIFY(parseIpus(" ", 4)->all());
        const IpuSet some = *parseIpus("0-2, 8", 16);
        QVERIFY(some.contains(1) && some.contains(8) && !some.contains(3) && !some.all());
        QCOMPARE(some.first(), IpuId(0));
        QVERIFY(!parseIpus("0-16", 16) && !parseIpus("x", 16) && !parseIpus("3-1", 16));
        QVERIFY(IpuSet(IpuId()).all());
    }
};

TILESCOPE_TEST(TraceDrawingTest, QCoreApplication)

} // namespace trace_drawing_test

#include "trace_drawing_test.moc"
