#include <QTest>

#include "core/store/placement_codec.h"
#include "tests/support/qt_text.h"
#include "tests/support/sample_profile.h"
#include "tests/support/test_main.h"

namespace sample_profile_test {
using namespace tilescope;
using namespace tilescope::test;

/// The invariants that every profile has to hold; the sample is what other tests build on.
class SampleProfileTest : public QObject {
    Q_OBJECT

private slots:
    void invariantsHold_data() {
        QTest::addColumn<int>("ipus");
        QTest::addColumn<bool>("changed");
        QTest::addColumn<bool>("tooLarge");
        QTest::addColumn<bool>("withCopy");
        QTest::newRow("one IPU") << 1 << false << false << false;
        QTest::newRow("with a copy") << 1 << false << false << true;
        QTest::newRow("two IPUs") << 2 << false << false << false;
        QTest::newRow("changed") << 1 << true << false << false;
        QTest::newRow("too large") << 1 << false << true << false;
    }
    void invariantsHold() {
        QFETCH(int, ipus);
        QFETCH(bool, changed);
        QFETCH(bool, tooLarge);
        QFETCH(bool, withCopy);
        const Profile p = sampleProfile(
            {.ipus = ipus, .changed = changed, .tooLarge = tooLarge, .withCopy = withCopy});
        categoriesSumUpToTiles(p);
        noTwoLiveVariablesShareAnAddress(p);
        sentIsReceived(p);
        QCOMPARE(p.info.hasExecution, !tooLarge);
        QCOMPARE(p.trace.runs.empty(), tooLarge);
        std::int64_t overflowed = 0;
        for (const TileMemory& tile : p.tileMemory)
            overflowed += tile.overflowed;
        QCOMPARE(overflowed > 0, tooLarge);
    }

private:
    static void categoriesSumUpToTiles(const Profile& p) {
        TileSeries sum;
        for (const CategoryMemory& c : p.categoryMemory)
            sum += c.bytes;
        for (std::size_t tile = 0; tile < p.tileMemory.size(); ++tile) {
            const TileMemory& m = p.tileMemory[TileId(tile)];
            QCOMPARE(sum.at(TileId(tile)), m.excludingGaps);
            QCOMPARE(m.nonInterleaved + m.interleaved + m.overflowed, m.excludingGaps);
            QVERIFY(m.includingGaps >= m.excludingGaps);
            QVERIFY(m.includingGaps >= m.alwaysLive + m.maxNotAlwaysLive);
        }
    }

    static bool liveTogether(const Profile& p, const Variable& a, const Variable& b) {
        return a.alwaysLive || b.alwaysLive ||
               p.livenessClasses[a.liveness].overlaps(p.livenessClasses[b.liveness]);
    }

    static void noTwoLiveVariablesShareAnAddress(const Profile& p) {
        const auto placements = unpackedPlacements(p.placements);
        std::int64_t last = -1;
        for (std::int32_t tile = 0; tile < p.info.target.totalTiles(); ++tile) {
            const std::int64_t id = p.placementOfTile.at(TileId(tile)) - 1;
            if (id == last)
                continue;
            last = id;
            const auto& placed = placements[PlacementId(static_cast<std::int32_t>(id))].variables;
            for (std::size_t i = 0; i < placed.size(); ++i)
                for (std::size_t j = i + 1; j < placed.size(); ++j) {
                    const Variable& a = p.variables[placed[i].variable];
                    const Variable& b = p.variables[placed[j].variable];
                    const bool apart =
                        placed[i].offset + a.bytes.at(TileId(tile)) <= placed[j].offset;
                    QVERIFY2(apart || !liveTogether(p, a, b), (a.name + " and " + b.name).c_str());
                }
        }
    }

    static void sentIsReceived(const Profile& p) {
        for (const Exchange& e : p.exchanges)
            QCOMPARE(e.bytesReceived.sum(), e.bytesSent.sum());
    }
};

TILESCOPE_TEST(SampleProfileTest)

} // namespace sample_profile_test

#include "sample_profile_test.moc"
