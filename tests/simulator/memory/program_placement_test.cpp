// Placement of a whole program: tiles with equal variables, also of several IPUs, share one.
#include <QTest>

#include "core/store/placement_codec.h"
#include "simulator/lowering/program/builder.h"
#include "simulator/memory/placement.h"
#include "tests/support/test_main.h"

namespace program_placement_test {
using namespace tilescope;
using namespace tilescope::sim;

namespace {

/// Tiles of 4 KiB, the upper half interleaved.
Target machine() {
    Target target = targetPreset("mk2");
    target.bytesPerTile = 4096;
    target.interleavedOffset = 2048;
    return target;
}

} // namespace

class ProgramPlacementTest : public QObject {
    Q_OBJECT

private slots:
    void tilesWithEqualVariablesShareAPlacement() {
        LoweredProgram lowered;
        Target target = machine();
        target.tilesPerIpu = 6;
        ProgramBuilder builder(target, lowered);
        builder.alwaysLive("a", MemoryCategory::Variable, TileSeries(TileId(0), 4, 16));
        builder.alwaysLive("b", MemoryCategory::Variable, TileSeries(TileId(2), 1, 32));
        builder.variable("unused", MemoryCategory::Variable, TileSeries(TileId(5), 1, 32));
        placeVariables(lowered, target);
        const Profile& profile = lowered.profile;
        QCOMPARE(placementsIn(profile.placements), std::size_t(2));
        QCOMPARE(profile.placementOfTile.toDense(6), (std::vector<std::int64_t>{1, 1, 2, 1, 0, 0}));
        QCOMPARE(profile.tileMemory.size(), std::size_t(6));
        QCOMPARE(profile.tileMemory[TileId(2)].alwaysLive, 48);
        QCOMPARE(profile.tileMemory[TileId(5)].includingGaps, 0);
        QCOMPARE(profile.categoryMemory.size(), std::size_t(1));
        QCOMPARE(profile.categoryMemory[0].bytes.toDense(6),
                 (std::vector<std::int64_t>{16, 16, 48, 16, 0, 0}));
    }

    /// Variables on all IPUs may make equal tiles on several of them.
    void equalTilesOfTwoIpusShareAPlacement() {
        LoweredProgram lowered;
        Target target = machine();
        target.tilesPerIpu = 3;
        target.ipus = 2;
        ProgramBuilder builder(target, lowered);
        builder.alwaysLive("everywhere", MemoryCategory::ControlCode, TileSeries(TileId(0), 6, 16));
        builder.alwaysLive("second IPU", MemoryCategory::Variable, TileSeries(TileId(4), 1, 32));
        builder.alwaysLive("first IPU", MemoryCategory::Variable, TileSeries(TileId(1), 1, 32));
        placeVariables(lowered, target);
        const Profile& profile = lowered.profile;
        QCOMPARE(placementsIn(profile.placements), std::size_t(3));
        QCOMPARE(profile.placementOfTile.toDense(6), (std::vector<std::int64_t>{1, 2, 1, 1, 3, 1}));
        QCOMPARE(profile.tileMemory[TileId(4)].alwaysLive, 48);
    }
};

TILESCOPE_TEST(ProgramPlacementTest)

} // namespace program_placement_test

#include "program_placement_test.moc"
