// Checksums of pages: any change is noticed when it is read, and nothing else differs.
#include <QTemporaryDir>
#include <QTest>
#include <filesystem>
#include <sqlite3.h>

#include "core/base/atomic_file.h"
#include "core/database/page_checksum.h"
#include "core/store/profile_reader.h"
#include "core/store/profile_writer.h"
#include "tests/support/profile_sql.h"
#include "tests/support/qt_text.h"
#include "tests/support/sample_profile.h"
#include "tests/support/test_main.h"

namespace page_checksum_test {
using namespace tilescope;
using namespace tilescope::test;
namespace fs = std::filesystem;

class PageChecksumTest : public QObject {
    Q_OBJECT

    QTemporaryDir directory_;
    std::string good_;
    fs::path file(const char* name) const {
        return fs::path(directory_.path().toStdString()) / name;
    }
    QString loadError(const std::string& bytes) const {
        writeFileAtomically(file("changed.pop"), bytes);
        return userError([&] { (void)ProfileReader(file("changed.pop")).load(); });
    }
    QString broken() const {
        return "'" + text(file("changed.pop").string()) +
               "' is damaged: a part of it is not as it was written. Write the profile again.";
    }

private slots:
    void initTestCase() {
        writeProfile(sampleProfile({.withCopy = true}), file("good.pop"));
        good_ = readFile(file("good.pop"));
    }

    void profilesHaveChecksums() {
        QVERIFY(hasChecksums(file("good.pop")));
        QCOMPARE(loadError(good_), "no error");
        // Recomputing correct checksums changes nothing.
        QVERIFY(withChecksums(good_) == good_);
    }

    void aFlippedBitOfAnyPageIsNoticed() {
        constexpr std::size_t page = 4096;
        QVERIFY(good_.size() > 10 * page);
        for (std::size_t at = page - 1000; at < good_.size(); at += page) {
            std::string changed = good_;
            changed[at] = static_cast<char>(changed[at] ^ 1);
            writeFileAtomically(file("changed.pop"), changed);
            const QString error = userError([&] { verifyChecksums(file("changed.pop")); });
            QCOMPARE(error,
                     QString("'%1' is damaged: its page %2 is not as it was written. Write the "
                             "profile again.")
                         .arg(text(file("changed.pop").string()))
                         .arg(at / page + 1));
        }
        QCOMPARE(userError([&] { verifyChecksums(file("good.pop")); }), "no error");
    }

    void readingNoticesWhatItReads() {
        constexpr std::size_t page = 4096;
        int noticed = 0;
        for (std::size_t at = page - 1000; at < good_.size(); at += page) {
            std::string changed = good_;
            changed[at] = static_cast<char>(changed[at] ^ 1);
            noticed += loadError(changed) == broken() ? 1 : 0;
        }
        // Not all pages are read for everything: indices, what only queries see.
        QVERIFY2(noticed >= static_cast<int>(good_.size() / page * 3 / 4),
                 qPrintable(QString::number(noticed)));
    }

    void swappedPagesAreNoticed() {
        constexpr std::size_t page = 4096;
        std::string changed = good_;
        std::swap_ranges(changed.begin() + 2 * page, changed.begin() + 3 * page,
                         changed.begin() + 5 * page);
        QCOMPARE(loadError(changed), broken());
    }

    void changesOfOtherProgramsAreNoticed() {
        writeFileAtomically(file("other.pop"), good_);
        sqlite3* db = nullptr;
        sqlite3_open(file("other.pop").c_str(), &db);
        QCOMPARE(sqlite3_exec(db, "UPDATE operations SET name = 'x' WHERE id = 1", nullptr, nullptr,
                              nullptr),
                 SQLITE_OK);
        sqlite3_close(db);
        QCOMPARE(loadError(readFile(file("other.pop"))), broken());
        // They can be recomputed on purpose.
        QCOMPARE(loadError(withChecksums(readFile(file("other.pop")))), "no error");
    }

    void otherProgramsReadThem() {
        sqlite3* db = nullptr;
        sqlite3_open_v2(file("good.pop").c_str(), &db, SQLITE_OPEN_READONLY, nullptr);
        std::string answer;
        const auto first = [](void* out, int, char** values, char**) {
            *static_cast<std::string*>(out) = values[0];
            return 0;
        };
        QCOMPARE(sqlite3_exec(db, "PRAGMA integrity_check", first, &answer, nullptr), SQLITE_OK);
        sqlite3_close(db);
        QCOMPARE(text(answer), "ok");
    }

    void lostChecksumsAreNoticed() {
        // Another number of reserved bytes says that there are no checksums.
        constexpr std::size_t reservedAt = 20;
        std::string changed = good_;
        changed[reservedAt] = 12;
        const QString error = loadError(changed);
        QVERIFY2(error.contains("damaged"), qPrintable(error));
    }

    void whatIsNoProfileIsLeftAlone() {
        const std::string words = "no profile at all";
        QCOMPARE(text(withChecksums(words)), text(words));
        QVERIFY(withChecksums("").empty());
        std::string cut = good_.substr(0, 50);
        QVERIFY(withChecksums(cut) == cut);
    }
};

TILESCOPE_TEST(PageChecksumTest)

} // namespace page_checksum_test

#include "page_checksum_test.moc"
