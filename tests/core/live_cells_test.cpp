// Live memory of a long trace from the cells that its file has.
#include "core/live/live_cells.h"

#include <QTemporaryDir>
#include <QTest>

#include "core/analysis/counters/live_memory.h"
#include "core/store/profile_reader.h"
#include "core/store/profile_writer.h"
#include "core/trace/trace_pages.h"
#include "tests/support/profile_sql.h"
#include "tests/support/qt_text.h"
#include "tests/support/scale_profile.h"
#include "tests/support/test_main.h"

namespace live_cells_test {
using namespace tilescope;
using namespace tilescope::test;

class LiveCellsTest : public QObject {
    Q_OBJECT

    // Long enough for several chunks of cells.
    const Profile p_ =
        scaleProfile({.steps = 400'000, .ipus = 3, .variables = 200, .tilesPerIpu = 8});
    QTemporaryDir folder_;
    const std::string file_ = folder_.filePath(QStringLiteral("long.pop")).toStdString();
    const std::vector<IpuId> all_{IpuId(0), IpuId(1), IpuId(2)};
    std::int64_t total_ = 0;

    [[nodiscard]] std::string changed(const char* name, const char* sql) const {
        const QString copy = folder_.filePath(QString::fromUtf8(name));
        QFile::remove(copy);
        QFile::copy(QString::fromStdString(file_), copy);
        if (const auto problem = text(changeProfile(copy.toStdString(), sql)); !problem.isEmpty())
            qWarning("%s", qPrintable(problem));
        return copy.toStdString();
    }

    [[nodiscard]] static const TracePages& pagesOf(const ProfileView& view) {
        return dynamic_cast<const TracePages&>(view.trace()->lanes());
    }

    void verifySame(const ProfileView& view) const {
        const auto whole = ProfileView::of(p_);
        const LiveMemory expected(*whole, {});
        const LiveMemory memory(view, {});
        for (const CycleRange range :
             {CycleRange{0, total_}, CycleRange{total_ / 7, total_ - total_ / 9},
              CycleRange{total_ / 3, total_ / 2}, CycleRange{-total_ / 50, total_ + total_ / 50}})
            for (const std::int64_t wanted : {1, 13, 60, 333, 1500}) {
                const CycleColumns columns(range, wanted);
                QVERIFY(memory.columns(all_, columns).columns ==
                        expected.columns(all_, columns).columns);
            }
    }

private slots:
    void initTestCase() {
        writeProfile(p_, file_);
        total_ = ProfileView::of(p_)->trace()->totalCycles();
    }

    void cellsAreReadAsTheyWereWritten() {
        constexpr std::int64_t large = std::numeric_limits<std::int64_t>::max() / 4;
        const ChunkCells cells{{5, 9}, {9, 9}, {-large, large}, {large, large}, {0, 0}};
        QVERIFY(decodeCells(encodeCells(cells)) == cells);
        QVERIFY(decodeCells({}).empty());
    }

    void theFileHasThoseOfItsLongStretch() {
        const LiveCells cells = ProfileReader(file_).liveCells();
        QVERIFY(cells.size() > 2);
        for (const auto& [place, chunk] : cells)
            QVERIFY(chunk->size() > 1000);
    }

    void columnsAreThoseOfTheStepsThatRun() { verifySame(ProfileView(file_)); }

    // The purpose of cells: a picture of the whole does not go through all steps.
    void aPictureOfTheWholeReadsFewPages() {
        const auto pagesAfter = [&](const std::string& file) {
            const ProfileView view(file);
            const LiveMemory memory(view, {});
            const std::int64_t before = pagesOf(view).pagesRead();
            constexpr std::int64_t columns = 50;
            (void)memory.columns(all_, {{0, total_}, columns});
            return pagesOf(view).pagesRead() - before;
        };
        const std::int64_t steps = pagesAfter(changed("none.pop", "DELETE FROM trace_live_cells"));
        const std::int64_t all = 400'000 / std::ssize(all_) / entriesPerPage;
        QVERIFY2(steps >= all, qPrintable(QString::number(steps)));
        const std::int64_t few = pagesAfter(file_);
        QVERIFY2(few * 5 < steps, qPrintable(QStringLiteral("%1 of %2").arg(few).arg(steps)));
    }

    // Cells that are missing, of another grid, or of a file that is older, are computed.
    void otherFilesAreReadStepByStep() {
        for (const char* sql :
             {"DELETE FROM trace_live_cells",
              "DELETE FROM trace_live_cells WHERE chunk = (SELECT max(chunk) FROM "
              "trace_live_cells)",
              "DELETE FROM trace_live_cells WHERE chunk = 1",
              "INSERT INTO trace_live_cells SELECT stretch, max(chunk) + 1, cells "
              "FROM trace_live_cells GROUP BY stretch",
              "UPDATE trace_live_cells SET cells = x'0101'",
              "DROP TABLE trace_live_cells; ALTER TABLE trace_lanes DROP COLUMN cycles; "
              "ALTER TABLE trace_lanes DROP COLUMN total; PRAGMA user_version = 13"}) {
            verifySame(ProfileView(changed("other.pop", sql)));
            if (QTest::currentTestFailed())
                QFAIL(sql);
        }
    }

    void damagedCellsAreUserErrors() {
        const ProfileView view(changed("damaged.pop", "UPDATE trace_live_cells SET cells = x'ff'"));
        QVERIFY(userError([&] { (void)LiveMemory(view, {}); }).contains("damaged profile"));
    }
};

TILESCOPE_TEST(LiveCellsTest)

} // namespace live_cells_test

#include "live_cells_test.moc"
