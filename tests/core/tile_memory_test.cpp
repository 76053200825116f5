// The memory of many tiles, which is read from series.
#include <QTemporaryDir>
#include <QTest>

#include "core/store/profile_reader.h"
#include "core/store/profile_writer.h"
#include "tests/support/compare_profile.h"
#include "tests/support/profile_sql.h"
#include "tests/support/qt_text.h"
#include "tests/support/scale_profile.h"
#include "tests/support/test_main.h"

namespace tile_memory_test {
using namespace tilescope;
using namespace tilescope::test;

class TileMemoryTest : public QObject {
    Q_OBJECT

    QTemporaryDir folder_;
    const Profile p_ = scaleProfile({.steps = 1000, .ipus = 8, .variables = 60});

    /// The profile's file after a change.
    [[nodiscard]] std::string changed(const char* sql) const {
        const std::string file = folder_.filePath(QStringLiteral("tiles.pop")).toStdString();
        writeProfile(p_, file);
        return text(changeProfile(file, sql)).isEmpty() ? file : std::string();
    }

private slots:
    void seriesAndRowsAgree() {
        QVERIFY(p_.tileMemory.size() > 10'000);
        for (const char* sql :
             {"SELECT 1", "DELETE FROM memory_by_tile", "DELETE FROM memory_of_tiles",
              "DROP TABLE memory_of_tiles; PRAGMA user_version = 12"}) {
            const ProfileReader reader(changed(sql));
            QVERIFY2(reader.tileMemory() == p_.tileMemory, sql);
        }
    }

    void damagedSeriesAreUserErrors() {
        for (const char* sql : {"UPDATE memory_of_tiles SET bytes = x'01ff'",
                                "UPDATE memory_of_tiles SET bytes = x'01000101'", // of -1
                                "UPDATE memory_of_tiles SET bytes = x'01ffff3f0102'",
                                "DELETE FROM memory_of_tiles WHERE name = 'always_live'"}) {
            const std::string file = changed(sql);
            QVERIFY2(userError([&] {
                         (void)ProfileReader(file).tileMemory();
                     }).contains("damaged profile"),
                     sql);
        }
    }
};

TILESCOPE_TEST(TileMemoryTest)

} // namespace tile_memory_test

#include "tile_memory_test.moc"
