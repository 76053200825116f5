// Values in the file: round trip, older files without values, errors for damage.
#include <QTemporaryDir>
#include <QTest>
#include <limits>

#include "core/store/profile_reader.h"
#include "core/store/profile_writer.h"
#include "core/view/profile_view.h"
#include "tests/support/compare_profile.h"
#include "tests/support/profile_sql.h"
#include "tests/support/qt_text.h"
#include "tests/support/sample_profile.h"
#include "tests/support/sample_values.h"
#include "tests/support/test_main.h"

namespace value_tables_test {
using namespace tilescope;
using namespace tilescope::test;
namespace fs = std::filesystem;

class ValueTablesTest : public QObject {
    Q_OBJECT

    QTemporaryDir directory_;
    fs::path file(const char* name) const {
        return fs::path(directory_.path().toStdString()) / name;
    }

private slots:
    void initTestCase() { writeProfile(sampleProfile({.withValues = true}), file("good.pop")); }

    void readsWhatWasWritten() {
        for (const bool changed : {false, true}) {
            const Profile profile = sampleProfile({.changed = changed, .withValues = true});
            writeProfile(profile, file("round.pop"));
            QCOMPARE(text(firstDifference(ProfileReader(file("round.pop")).load(), profile)), "");
            const ProfileView view(file("round.pop"));
            QVERIFY(*view.values() == profile.values);
            QVERIFY(*ProfileView::of(profile)->values() == profile.values);
        }
    }

    void keepsWhatIsNoNumber() {
        Profile profile = sampleProfile({.withValues = true});
        profile.values.curve[3].loss = std::numeric_limits<double>::quiet_NaN();
        profile.values.curve[4].accuracy.reset();
        profile.values.epochs[0].evalLoss = std::numeric_limits<double>::infinity();
        profile.values.epochs[1].evalLoss.reset();
        profile.values.epochs[1].evalAccuracy.reset();
        profile.values.samples[0].partialsError = 0.001;
        profile.values.tensors[ValueTensorId(0)].operation = {};
        writeProfile(profile, file("odd.pop"));
        QVERIFY(ProfileReader(file("odd.pop")).values() == profile.values);
    }

    void aRunWithoutThemHasNone() {
        writeProfile(sampleProfile(), file("none.pop"));
        QVERIFY(ProfileReader(file("none.pop")).values().empty());
    }

    void damageIsSaid_data() {
        QTest::addColumn<QString>("sql");
        QTest::newRow("kind") << "UPDATE value_tensors SET kind = 'spirit'";
        QTest::newRow("operation") << "UPDATE value_tensors SET operation = 99";
        QTest::newRow("hole") << "DELETE FROM value_tensors WHERE id = 1";
        QTest::newRow("stage") << "UPDATE value_tensors SET stage = 9000000000";
        QTest::newRow("dead") << "UPDATE value_tensors SET dead_channels = 65 WHERE id = 1";
        QTest::newRow("no tensor") << "UPDATE value_samples SET tensor = 77 WHERE tensor = 0";
        QTest::newRow("text") << "UPDATE value_samples SET mean = 'mean'";
        QTest::newRow("infinite") << "UPDATE value_samples SET deviation = 9e999";
        QTest::newRow("large") << "UPDATE value_samples SET maximum = 1e300";
        QTest::newRow("error") << "UPDATE value_samples SET partials_error = 9e999";
        // 2,104 tensors at as many iterations.
        QTest::newRow("many")
            << "WITH RECURSIVE n(i) AS (SELECT 4 UNION ALL SELECT i + 1 FROM n WHERE i < 2103) "
               "INSERT INTO value_tensors SELECT i, name, kind, type, shape, operation, place, "
               "stage, 0, 0, 0, 0 FROM n, value_tensors WHERE id = 3; "
               "INSERT INTO value_samples SELECT 0, 10 + id, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, x'00', "
               "NULL FROM value_tensors";
        QTest::newRow("sum") << "UPDATE value_samples SET zeros = zeros + 1";
        QTest::newRow("negative") << "UPDATE value_samples SET nans = -1, zeros = zeros + 1";
        QTest::newRow("order") << "UPDATE value_samples SET minimum = 9 WHERE tensor = 0";
        QTest::newRow("blob") << "UPDATE value_samples SET exponents = x'ff'";
        QTest::newRow("no blob") << "UPDATE value_samples SET exponents = NULL";
        QTest::newRow("bin") << "UPDATE value_samples SET exponents = x'3f01'";
        QTest::newRow("count") << "UPDATE value_samples SET exponents = x'01ffffffffff7f'";
        QTest::newRow("accuracy") << "UPDATE value_curve SET accuracy = 1.5";
        QTest::newRow("rate") << "UPDATE value_curve SET learning_rate = NULL";
        QTest::newRow("epoch") << "UPDATE value_epochs SET iteration = -4";
    }
    void damageIsSaid() {
        QFETCH(QString, sql);
        fs::copy_file(file("good.pop"), file("bad.pop"), fs::copy_options::overwrite_existing);
        QCOMPARE(text(changeProfile(file("bad.pop"), sql.toStdString())), "");
        const ProfileView view(file("bad.pop"));
        try {
            (void)view.values();
            QFAIL("it was read");
        } catch (const UserError& error) {
            QVERIFY2(text(error.what()).contains("damaged profile"), error.what());
        }
    }

    void binsCoverTheRangeOfHalf() {
        QCOMPARE(exponents::binOf(exponents::first), std::size_t{1});
        QCOMPARE(exponents::binOf(exponents::first - 1), std::size_t{0});
        QCOMPARE(exponents::binOf(exponents::last + 9), exponents::bins - 1);
        for (int e = exponents::first - 1; e <= exponents::last + 1; ++e)
            QCOMPARE(exponents::of(exponents::binOf(e)), e);
        QVERIFY(exponents::first < half_range::leastSubnormal);
        QVERIFY(exponents::last > half_range::greatest);
    }
};

TILESCOPE_TEST(ValueTablesTest)

} // namespace value_tables_test

#include "value_tables_test.moc"
