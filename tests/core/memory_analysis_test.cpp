#include <QTest>
#include <array>

#include "core/analysis/memory/memory_details.h"
#include "core/analysis/memory/memory_plot.h"
#include "core/analysis/memory/summary.h"
#include "tests/support/qt_text.h"
#include "tests/support/sample_profile.h"
#include "tests/support/test_main.h"

namespace memory_analysis_test {
using namespace tilescope;
using namespace tilescope::test;

namespace {

const MemoryNode& child(const MemoryNode& node, const std::string& name) {
    for (const MemoryNode& candidate : node.children)
        if (candidate.name == name)
            return candidate;
    throw InternalError("no node " + name);
}

} // namespace

class MemoryAnalysisTest : public QObject {
    Q_OBJECT

    const Profile p_ = sampleProfile({.ipus = 2});

private slots:
    void selectionsAreChecked() {
        const Target& target = p_.info.target;
        QCOMPARE(TileSelection::all().range(target), (TileRange{0, 2944}));
        QCOMPARE(TileSelection::ofIpu(IpuId(1)).range(target), (TileRange{1472, 2944}));
        QCOMPARE(TileSelection::ofTile(TileId(7)).range(target), (TileRange{7, 8}));
        QCOMPARE(userError([&] { (void)TileSelection::ofIpu(IpuId(2)).range(target); }),
                 "there is no IPU 2: IPUs are 0 to 1");
        QCOMPARE(userError([&] { (void)TileSelection::ofTile(TileId(2944)).range(target); }),
                 "there is no tile 2944: tiles are 0 to 2943");
        QCOMPARE(text(TileSelection::ofIpu(IpuId(1)).label()), "IPU 1");
    }

    void detailsAddUp() {
        const std::array columns{TileSelection::all(), TileSelection::ofIpu(IpuId(0)),
                                 TileSelection::ofTile(TileId(3))};
        const auto nodes = memoryDetails(p_.info.target, p_.tileMemory, p_.categoryMemory, columns);
        QCOMPARE(nodes.size(), std::size_t(2));
        QCOMPARE(text(nodes[0].name), "Including gaps");
        QCOMPARE(nodes[0].bytes[2], p_.tileMemory[TileId(3)].includingGaps);
        const MemoryNode& excluding = nodes[1];
        QCOMPARE(excluding.bytes[2], p_.tileMemory[TileId(3)].excludingGaps);
        QCOMPARE(excluding.bytes[0], 2 * excluding.bytes[1]);
        QCOMPARE(child(excluding, "By region").bytes, excluding.bytes);
        QCOMPARE(child(excluding, "By category").bytes, excluding.bytes);
        const MemoryNode& plain = child(child(excluding, "By category"), "Not overlapped");
        QCOMPARE(child(plain, "Stack").bytes,
                 (std::vector<std::int64_t>{2944 * sample::stackBytes, 1472 * sample::stackBytes,
                                            sample::stackBytes}));
        // The result of the softmax lies where the input was: 128 bytes on 16 tiles of each IPU.
        const MemoryNode& shared = child(child(excluding, "By category"), "Overlapped");
        QCOMPARE(shared.bytes, (std::vector<std::int64_t>{2 * 16 * 128, 16 * 128, 128}));
    }

    void plotsAddUp_data() {
        QTest::addColumn<int>("breakdown");
        QTest::addColumn<bool>("gaps");
        for (const auto* name : {"none", "region", "category", "liveness"})
            for (const bool gaps : {false, true})
                QTest::addRow("%s %s gaps", name, gaps ? "with" : "without")
                    << int(memoryBreakdownFrom(name)) << gaps;
    }
    void plotsAddUp() {
        QFETCH(int, breakdown);
        QFETCH(bool, gaps);
        const auto kind = static_cast<MemoryBreakdown>(breakdown);
        const MemoryPlot plot = memoryPlot(p_.info.target, p_.tileMemory, p_.categoryMemory,
                                           {kind, gaps, TileOrder::Software});
        TileSeries sum;
        for (const MemoryLayer& layer : plot.layers)
            sum += layer.bytes;
        QVERIFY(sum == plot.total);
        QCOMPARE(plot.limitPerTile, 638976);
        const auto field = gaps ? &TileMemory::includingGaps : &TileMemory::excludingGaps;
        if (gaps || kind != MemoryBreakdown::Liveness)
            QVERIFY(plot.total == tileMemorySeries(p_.tileMemory, field));
    }

    void physicalOrderMovesTilesWithinTheirIpu() {
        const TileSeries one(TileId(1472 + 5), 1, 9);
        const TileSeries moved = inPhysicalOrder(p_.info.target, one);
        const std::int32_t place = 1472 + physicalTileId(p_.info.target, 5);
        QCOMPARE(moved.at(TileId(place)), 9);
        QCOMPARE(moved.sum(), 9);
        QCOMPARE(tileAtPlace(p_.info.target, TileOrder::Physical, place).value(), 1472 + 5);
        QCOMPARE(tileAtPlace(p_.info.target, TileOrder::Software, place).value(), place);
    }

    void unknownBreakdown() {
        QCOMPARE(userError([] { (void)memoryBreakdownFrom("regoin"); }),
                 "unknown breakdown 'regoin': it can be none, region, category or liveness. Did "
                 "you mean 'region'?");
    }

    void summaryNamesTheFullestTile() {
        const std::vector<std::int64_t> notAlwaysLive{5, 900, 30};
        IdVector<TileId, TileMemory> tiles;
        tiles.add({.includingGaps = 100, .excludingGaps = 90, .alwaysLive = 40});
        tiles.add({.includingGaps = 700, .excludingGaps = 600, .alwaysLive = 50});
        tiles.add({.includingGaps = 700, .excludingGaps = 650, .alwaysLive = 60});
        Target target;
        target.bytesPerTile = 500;
        const MemorySummary summary = summariseMemory(target, tiles, notAlwaysLive);
        QCOMPARE(summary.maxTileId.value(), 1);
        QCOMPARE(summary.maxTile, (GapBytes{700, 600}));
        QCOMPARE(summary.total, (GapBytes{1500, 1340}));
        QCOMPARE(summary.alwaysLive, 150);
        QCOMPARE(summary.maxNotAlwaysLive, 900);
        QCOMPARE(summary.tilesOverLimit, 2);
    }
};

TILESCOPE_TEST(MemoryAnalysisTest)

} // namespace memory_analysis_test

#include "memory_analysis_test.moc"
