#include "core/tiles/tile_series.h"

#include <QTest>
#include <algorithm>

#ifdef TILESCOPE_HAS_RAPIDCHECK
#include <rapidcheck.h>
#endif

#include "core/tiles/varint.h"
#include "tests/support/qt_text.h"
#include "tests/support/test_main.h"

namespace tile_series_test {
using namespace tilescope;
using tilescope::test::userError;

namespace {

bool isCanonical(const TileSeries& series) {
    std::int32_t end = -1;
    std::int64_t value = 0;
    for (const TileRun& run : series.runs()) {
        if (run.first >= run.end || run.value == 0 || run.first < end ||
            (run.first == end && run.value == value))
            return false;
        end = run.end;
        value = run.value;
    }
    return true;
}

} // namespace

class TileSeriesTest : public QObject {
    Q_OBJECT

private slots:
    void readsValuesOfTiles() {
        const TileSeries series = TileSeries::fromRuns({{10, 12, 7}, {2, 5, 3}, {5, 6, 9}});
        QCOMPARE(series.at(TileId(1)), 0);
        QCOMPARE(series.at(TileId(2)), 3);
        QCOMPARE(series.at(TileId(4)), 3);
        QCOMPARE(series.at(TileId(5)), 9);
        QCOMPARE(series.at(TileId(6)), 0);
        QCOMPARE(series.at(TileId(11)), 7);
        QCOMPARE(series.at(TileId(12)), 0);
        QCOMPARE(series.sum(), 3 * 3 + 9 + 2 * 7);
        QCOMPARE(series.sum(4, 11), 3 + 9 + 7);
        QCOMPARE(series.tilesUsed(), 6);
        QCOMPARE(series.max().value, 9);
        QCOMPARE(series.max().tile.value(), 5);
    }

    void mergesNeighboursAndDropsZeros() {
        TileSeries series;
        series.append(0, 4, 5);
        series.append(4, 8, 5);
        series.append(8, 9, 0);
        series.append(9, 9, 3);
        QCOMPARE(series.runs().size(), std::size_t(1));
        QCOMPARE(series.runs()[0], (TileRun{0, 8, 5}));
        QVERIFY(!TileSeries().max().tile.valid());
    }

    void findsThePeakOfNegativeValues() {
        const TileSeries difference = TileSeries() - TileSeries(TileId(3), 2, 8);
        QCOMPARE(difference.max().value, -8);
        QCOMPARE(difference.max().tile.value(), 3);
    }

    void refusesOverlaps() {
        QVERIFY_EXCEPTION_THROWN(TileSeries::fromRuns({{0, 4, 1}, {3, 5, 1}}), InternalError);
    }

    void refusesDamagedBlobs_data() {
        QTest::addColumn<QByteArray>("blob");
        QTest::addColumn<QString>("error");
        QTest::newRow("count without runs")
            << QByteArray("\x05", 1)
            << "damaged profile: a per-tile blob names more runs than it holds";
        QTest::newRow("huge count")
            << QByteArray("\xff\xff\xff\xff\xff\xff\xff\xff\x7f", 9)
            << "damaged profile: a per-tile blob names more runs than it holds";
        QTest::newRow("cut number")
            << QByteArray("\x80", 1) << "damaged profile: a per-tile blob ends too early";
        QTest::newRow("number too long")
            << QByteArray("\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x01", 11)
            << "damaged profile: a number of a per-tile blob is too long";
        QTest::newRow("value too large")
            << QByteArray("\x01\x00\x01\xff\xff\xff\xff\xff\xff\xff\x7f", 11)
            << "damaged profile: a per-tile blob has an impossible value";
        QTest::newRow("tile out of range")
            << QByteArray("\x01\xff\xff\xff\xff\x7f\x01\x02", 8)
            << "damaged profile: a per-tile blob names an impossible tile";
    }
    void refusesDamagedBlobs() {
        QFETCH(QByteArray, blob);
        QFETCH(QString, error);
        const auto bytes = std::as_bytes(std::span(blob.constData(), std::size_t(blob.size())));
        QCOMPARE(userError([&] { (void)TileSeries::decode(bytes); }), error);
    }

    void everyPrefixOfABlobIsReadOrRefused() {
        const std::vector<std::byte> blob =
            TileSeries::fromRuns({{1, 400, 70000}, {500, 1472, -3}, {2000, 2001, 1}}).encode();
        for (std::size_t length = 0; length < blob.size(); ++length) {
            const QString error =
                userError([&] { (void)TileSeries::decode(std::span(blob).first(length)); });
            QVERIFY(length == 0 || error.startsWith("damaged profile: "));
        }
    }

    void numbersSurviveTheirCoding() {
        for (const std::int64_t value :
             {std::int64_t{0}, std::int64_t{-1}, std::int64_t{63}, std::int64_t{-65},
              std::numeric_limits<std::int64_t>::max(), std::numeric_limits<std::int64_t>::min()}) {
            std::vector<std::byte> bytes;
            putVarint(bytes, zigzag(value));
            VarintReader reader(bytes);
            QCOMPARE(reader.nextSigned(), value);
            QVERIFY(reader.atEnd());
        }
    }

    void bothWritersWriteTheSame() {
        std::vector<std::byte> expected;
        VarintWriter writer(0);
        for (int bits = 0; bits < 64; ++bits)
            for (const std::uint64_t less : {0, 1}) {
                const std::uint64_t value = (std::uint64_t{1} << bits) - less;
                putVarint(expected, value);
                writer.makeRoomFor(1);
                writer.put(value);
            }
        const auto written = writer.written();
        QVERIFY(std::equal(written.begin(), written.end(), expected.begin(), expected.end()));
        VarintReader reader(written);
        for (int bits = 0; bits < 64; ++bits)
            for (const std::uint64_t less : {0, 1})
                QCOMPARE(reader.next(), (std::uint64_t{1} << bits) - less);
        QVERIFY(reader.atEnd());
    }

#ifdef TILESCOPE_HAS_RAPIDCHECK
    void agreesWithDenseVectors() {
        // Few distinct values make runs; zeros make holes.
        const auto dense = rc::gen::container<std::vector<std::int64_t>>(
            rc::gen::elementOf(std::vector<std::int64_t>{0, 0, 1, 1, 1, 5, -3, 1'000'000'007}));
        QVERIFY(rc::check("series and vector agree", [&] {
            const auto a = *dense;
            const auto b = *dense;
            const TileSeries x = TileSeries::fromDense(a);
            const TileSeries y = TileSeries::fromDense(b);
            const auto tiles = static_cast<std::int32_t>(std::max(a.size(), b.size()));
            RC_ASSERT(isCanonical(x));
            RC_ASSERT(x.toDense(static_cast<std::int32_t>(a.size())) == a);
            RC_ASSERT(TileSeries::decode(x.encode()) == x);
            const std::vector<std::int64_t> denseX = x.toDense(tiles);
            const std::vector<std::int64_t> denseY = y.toDense(tiles);
            const auto agrees = [&](const TileSeries& series, auto combine) {
                std::vector<std::int64_t> expected;
                for (std::size_t i = 0; i < denseX.size(); ++i)
                    expected.push_back(combine(denseX[i], denseY[i]));
                RC_ASSERT(isCanonical(series));
                RC_ASSERT(series.toDense(tiles) == expected);
                RC_ASSERT(series == TileSeries::fromDense(expected));
            };
            agrees(x + y, [](auto p, auto q) { return p + q; });
            agrees(x - y, [](auto p, auto q) { return p - q; });
            agrees(TileSeries::maxOf(x, y), [](auto p, auto q) { return std::max(p, q); });
            agrees(x.scaled(3), [](auto p, auto) { return 3 * p; });
            agrees(x.mapped([](std::int64_t p) { return p / 2; }),
                   [](auto p, auto) { return p / 2; });
            agrees(x.ones(), [](auto p, auto) { return p != 0; });
        }));
        QVERIFY(rc::check("sums and slices agree", [&] {
            const auto a = *dense;
            const TileSeries x = TileSeries::fromDense(a);
            const auto size = static_cast<std::int32_t>(a.size());
            const auto first = *rc::gen::inRange(0, size + 1);
            const auto end = *rc::gen::inRange(first, size + 1);
            std::int64_t sum = 0;
            for (std::int32_t i = first; i < end; ++i)
                sum += a[static_cast<std::size_t>(i)];
            RC_ASSERT(x.sum(first, end) == sum);
            RC_ASSERT(x.slice(first, end).sum() == sum);
            RC_ASSERT(isCanonical(x.slice(first, end)));
        }));
    }
#endif
};

TILESCOPE_TEST(TileSeriesTest)

} // namespace tile_series_test

#include "tile_series_test.moc"
