// Damaged profiles in the window: each report is visited and used; there is a message, and never an
// internal error. tests/bench/damage_sweep does the same a thousand times.
#include <QTemporaryDir>
#include <QTest>

#include "core/base/atomic_file.h"
#include "core/store/profile_writer.h"
#include "tests/bench/damage/window_visit.h"
#include "tests/support/damage.h"
#include "tests/support/profile_sql.h"
#include "tests/support/qt_text.h"
#include "tests/support/sample_profile.h"
#include "tests/support/test_main.h"
#include "views/theme/style.h"

namespace damaged_test {
using namespace tilescope;
using namespace tilescope::test;

class DamagedTest : public QObject {
    Q_OBJECT

    QTemporaryDir directory_;
    std::string good_;
    QStringList usual_;
    QString file(const char* name) const { return directory_.filePath(QString::fromLatin1(name)); }

    bench::JobResult visit(const DamagedCopy& copy, bool renewed, bool compared) {
        writeFileAtomically(file("p.pop").toStdString(),
                            renewed ? withChecksums(copy.bytes) : copy.bytes);
        const QStringList profiles =
            compared ? QStringList{file("good.pop"), file("p.pop")} : QStringList{file("p.pop")};
        return bench::visitByWindow(profiles, usual_, [](const std::string&) {});
    }

private slots:
    void initTestCase() {
        QApplication::setStyle(new views::WindowStyle);
        writeProfile(sampleProfile({.tilesPerIpu = 128, .withCopy = true, .withValues = true}),
                     file("good.pop").toStdString());
        good_ = readFile(file("good.pop").toStdString());
        const auto quiet = [](const std::string&) {};
        usual_ = bench::textsOfWindow({file("good.pop")}, quiet) +
                 bench::textsOfWindow({file("good.pop"), file("good.pop")}, quiet);
    }

    void aGoodProfileHasNoMessage() {
        for (const bool compared : {false, true}) {
            const bench::JobResult result = visit({good_, {}}, false, compared);
            QVERIFY2(result.verdict == bench::Verdict::Fine, result.text.c_str());
        }
    }

    void randomDamage_data() {
        QTest::addColumn<bool>("renewed");
        QTest::addColumn<bool>("compared");
        QTest::newRow("alone") << false << false;
        QTest::newRow("compared") << false << true;
        QTest::newRow("alone, checksums hide it") << true << false;
        QTest::newRow("compared, checksums hide it") << true << true;
    }
    void randomDamage() {
        QFETCH(bool, renewed);
        QFETCH(bool, compared);
        // tests/bench/damage_sweep makes a thousand.
        const std::uint64_t copies = test::hasAddressSanitizer() ? 1 : 3;
        for (std::uint64_t i = 0; i < copies; ++i) {
            const std::uint64_t seed = 100 + i * 4 + (renewed ? 2U : 0U) + (compared ? 1U : 0U);
            const DamagedCopy copy = damagedCopy(good_, seededDraw(seed));
            const bench::JobResult result = visit(copy, renewed, compared);
            const bool unnoticed = renewed || copy.bytes == good_;
            QVERIFY2(result.verdict == bench::Verdict::Message ||
                         (unnoticed && result.verdict == bench::Verdict::Fine),
                     qPrintable(QString("%1: %2: %3: %4")
                                    .arg(seed)
                                    .arg(text(copy.what), bench::toString(result.verdict),
                                         text(result.text))));
        }
    }
};

TILESCOPE_TEST(DamagedTest, QApplication)

} // namespace damaged_test

#include "damaged_test.moc"
