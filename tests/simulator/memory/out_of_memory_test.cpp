// Poplar's messages for programs that do not fit, each for its own reason.
#include <QTest>

#include "simulator/memory/out_of_memory.h"
#include "tests/support/qt_text.h"
#include "tests/support/test_main.h"

namespace out_of_memory_test {
using namespace tilescope;
using namespace tilescope::sim;
using namespace tilescope::test;

namespace {

/// Four tiles of which tile 2 is too full.
Profile tooLarge() {
    Profile p;
    p.info.target = targetPreset("mk2");
    p.info.target.tilesPerIpu = 4;
    for (int tile = 0; tile < 4; ++tile) {
        TileMemory memory;
        memory.includingGaps = tile == 2 ? 700'000 : 1000;
        memory.overflowed = tile == 2 ? 700'000 - p.info.target.bytesPerTile : 0;
        p.tileMemory.add(memory);
    }
    return p;
}

Stream stream(const char* name, bool toDevice, std::int64_t bytes) {
    return {name, toDevice, TileSeries(TileId(0), 1, bytes)};
}

} // namespace

class OutOfMemoryTest : public QObject {
    Q_OBJECT

private slots:
    void whatFitsIsNoError() {
        Profile p = tooLarge();
        p.tileMemory[TileId(2)].overflowed = 0;
        QCOMPARE(text(outOfMemoryText(p)), "");
        QVERIFY(!isOutOfVariables(p));
    }

    void allDataOfATile() {
        const Profile p = tooLarge();
        QCOMPARE(text(outOfMemoryText(p)), "Out of memory on tile 2: 700000 bytes used but tiles "
                                           "only have 638976 bytes of memory");
        QVERIFY(isOutOfVariables(p));
        QCOMPARE(
            text(outOfVariablesText("d/profile.pop")),
            "Out of memory: Cannot fit all variable data onto one or more tiles. Profile saved "
            "to: d/profile.pop");
        QCOMPARE(text(outOfVariablesText("")),
                 "Out of memory: Cannot fit all variable data onto one or more tiles.");
    }

    void anExchange() {
        Profile p = tooLarge();
        Exchange exchange;
        exchange.name = "cs19/gather/ExchangePre";
        exchange.bytesReceived = TileSeries(TileId(1), 1, 700'000);
        p.exchanges.add(exchange);
        QCOMPARE(text(outOfMemoryText(p)),
                 "Tile 1 receives more data than it has total memory in exchange "
                 "'cs19/gather/ExchangePre'");
        QVERIFY(!isOutOfVariables(p));
    }

    void code() {
        Profile p = tooLarge();
        Variable code;
        code.category = MemoryCategory::VertexCode;
        code.bytes = TileSeries(TileId(0), 4, p.info.target.interleavedOffset + 8);
        p.variables.add(code);
        p.tileMemory[TileId(2)].excludingGaps = p.info.target.interleavedOffset + 1000;
        QCOMPARE(text(outOfMemoryText(p)),
                 "tile 2 _poplar_start must be 0 not 638976 bytes from the start of memory. "
                 "Typically this error occurs when there is too much code to fit incode memory.");
        QVERIFY(!isOutOfVariables(p));
        // Less code would not help: variables alone take more than is left.
        p.tileMemory[TileId(2)].excludingGaps = 700'000;
        QVERIFY(text(outOfMemoryText(p)).startsWith("Out of memory on tile 2: 700000 bytes"));
        QVERIFY(isOutOfVariables(p));
    }

    void buffersOfTheHost() {
        Profile p;
        const Target target = targetPreset("mk2");
        p.streams.add(stream("weights", true, 500'000'000));
        p.streams.add(stream("h2d_x", true, 100'000'000));
        checkHostBuffers(p, target, 2);
        QCOMPARE(userError([&] { checkHostBuffers(p, target, 3); }),
                 "Buffer 1 needs to be at least 300000000 Bytes, but remaining host buffer memory "
                 "is only 268435456 (stream 'h2d_x' of IPU 0). Choose a smaller --batch-size or "
                 "--prefetch-depth, or return fewer results");
        p.streams.add(stream("anchor_d2h_y", false, 70'000'000));
        QVERIFY(userError([&] { checkHostBuffers(p, target, 2); })
                    .contains("70000000 Bytes, but remaining host buffer memory is only 68435456 "
                              "(stream 'anchor_d2h_y'"));
    }
};

TILESCOPE_TEST(OutOfMemoryTest)

} // namespace out_of_memory_test

#include "out_of_memory_test.moc"
