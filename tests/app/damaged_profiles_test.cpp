// Damaged profiles in every command that reads one: an answer or a user error (exit status 2),
// never an internal error and never a crash.
#include <QDir>
#include <QTemporaryDir>
#include <QTest>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sstream>

#include "app/cli/commands/cli.h"
#include "core/base/atomic_file.h"
#include "core/store/profile_writer.h"
#include "tests/support/damage.h"
#include "tests/support/profile_sql.h"
#include "tests/support/qt_text.h"
#include "tests/support/reading_commands.h"
#include "tests/support/sample_profile.h"
#include "tests/support/test_main.h"

namespace damaged_profiles_test {
using namespace tilescope;
using namespace tilescope::test;

namespace {

struct Answers {
    QString bad; ///< the first that is neither a result nor a user error that names the file
    bool refused = false; ///< some command found the damage
};

/// Results of all commands, or of each `every`-th after `first`.
Answers answersOf(const std::string& profile, std::size_t first = 0, std::size_t every = 1) {
    Answers answers;
    const auto commands = readingCommands(profile, "good.pop");
    for (std::size_t i = first; i < commands.size(); i += every) {
        const auto& command = commands[i];
        std::ostringstream out;
        std::ostringstream err;
        const int status = cli::runCli(command, {out, err});
        // Errors about damage name the file; others may be about an option, such as a step.
        const std::string error = err.str();
        const bool named =
            error.find("damaged") == std::string::npos || error.find(profile) != std::string::npos;
        const bool message = status == 2 && error.starts_with("tilescope: error: ") && named;
        answers.refused = answers.refused || message;
        if (status != 0 && !message && answers.bad.isEmpty())
            answers.bad = text(fmt::format("{}: {}", fmt::join(command, " "), err.str()));
    }
    return answers;
}

} // namespace

class DamagedProfilesTest : public QObject {
    Q_OBJECT

    QTemporaryDir directory_;
    std::string good_;
    // All commands on all copies, as tests/bench/damage_sweep has them, would take minutes.
    const std::size_t every_ = hasAddressSanitizer() ? 5 : 1;
    const std::size_t everyOfReferences_ = hasAddressSanitizer() ? 5 : 2;
    std::size_t profiles_ = 0;

private slots:
    void initTestCase() {
        QVERIFY(QDir::setCurrent(directory_.path()));
        writeProfile(sampleProfile({.withCopy = true, .withValues = true}), "good.pop");
        good_ = readFile("good.pop");
    }

    void referencesToNothing_data() {
        QTest::addColumn<QByteArray>("sql");
        for (const char* sql : {
                 "UPDATE liveness_steps SET program = 9999",
                 "UPDATE liveness_steps SET program = NULL",
                 "UPDATE variables SET liveness_class = 9999",
                 "UPDATE variables SET liveness_class = NULL",
                 "UPDATE variables SET operation = 9999",
                 "UPDATE liveness_intervals SET end_step = 9999",
                 "UPDATE liveness_intervals SET end_step = first_step - 1",
                 "UPDATE OR REPLACE liveness_intervals SET first_step = -5",
                 "UPDATE vertex_instances SET vertex_type = 9999",
                 "UPDATE compute_set_rows SET operation = 9999",
                 "UPDATE exchange_rows SET operation = 9999",
                 "UPDATE copies SET compute_set = 9999",
                 "UPDATE copies SET program = 0",
                 "UPDATE programs SET target = 9999",
                 "UPDATE programs SET compute_set = 9999",
                 "UPDATE programs SET exchange = 9999",
                 "UPDATE programs SET operation = 9999",
                 "UPDATE programs SET stream = 9999",
                 "UPDATE programs SET parent = id",
                 "UPDATE programs SET count = -9223372036854775808",
                 "UPDATE control_programs SET program = 9999",
                 "UPDATE functions SET program = 0",
                 "UPDATE trace_calls SET callee = 9999",
                 "UPDATE trace_calls SET callee = body",
                 "UPDATE trace_calls SET count = 9223372036854775807",
                 "UPDATE trace_calls SET program = 9999",
                 "UPDATE trace_call_ipus SET period = -1",
                 "UPDATE trace_call_ipus SET period = 9223372036854775807",
                 "UPDATE trace_step_ipus SET cycles = -1",
                 "UPDATE trace_step_ipus SET cycles = 9223372036854775807",
                 "UPDATE trace_step_ipus SET ipu = 50",
                 "UPDATE trace_step_ipus SET active_cycles = 9223372036854775807",
                 "UPDATE trace_steps SET program = 9999",
                 "UPDATE runs SET body = 9999",
                 "UPDATE runs SET body = NULL",
                 "UPDATE runs SET start = 9223372036854775807",
                 "DELETE FROM trace_bodies",
                 "DELETE FROM runs",
                 "DELETE FROM memory_by_tile",
                 "DELETE FROM liveness_steps",
                 "DELETE FROM programs",
                 "DELETE FROM variables",
                 "DELETE FROM compute_set_rows",
                 "DELETE FROM vertex_types",
                 "DELETE FROM operations",
                 "DELETE FROM placement_chunks",
                 "UPDATE placement_tiles SET placement = 9999",
                 "UPDATE placement_chunks SET data = x'00'",
                 "UPDATE variable_runs SET runs = '[[0,2000000000,8]]'",
                 "UPDATE variable_runs SET runs = '[[-7,1,8]]'",
                 "UPDATE variable_runs SET runs = '[[0,1'",
                 "DELETE FROM variable_runs",
                 "UPDATE variables SET series = 9999",
                 "UPDATE exchange_rows SET received = 9999",
                 "UPDATE compute_set_rows SET series = -1",
                 "UPDATE compute_set_series SET data = x'01ffffffff0f01fe'",
                 "DELETE FROM exchange_series",
                 "UPDATE memory_by_tile SET total = 9223372036854775807",
                 "UPDATE info SET value = 0 WHERE key = 'target.clockHz'",
                 "UPDATE info SET value = 0 WHERE key = 'target.bytesPerTile'",
                 "UPDATE info SET value = 1 WHERE key = 'target.tilesPerIpu'",
                 "UPDATE info SET value = 3 WHERE key = 'target.ipus'",
                 "DROP TABLE exchange_rows",
                 "DROP VIEW exchanges",
                 "DROP VIEW variable_tiles",
                 "ALTER TABLE trace_step_ipus RENAME COLUMN active_tiles TO active_tiles2",
             })
            QTest::newRow(sql) << QByteArray(sql);
    }
    void referencesToNothing() {
        QFETCH(QByteArray, sql);
        writeFileAtomically("p.pop", good_);
        QCOMPARE(text(changeProfile("p.pop", sql.toStdString())), "");
        QCOMPARE(answersOf("p.pop", profiles_++ % everyOfReferences_, everyOfReferences_).bad, "");
    }

    /// Checksums reveal damage anywhere; without them the reader of each part has to detect it.
    void randomDamage_data() {
        QTest::addColumn<bool>("renewed");
        QTest::newRow("as a disk leaves it") << false;
        QTest::newRow("with checksums that hide it") << true;
    }
    void randomDamage() {
        QFETCH(bool, renewed);
        constexpr std::uint64_t copies = 8; // tests/bench/damage_sweep makes a thousand
        for (std::uint64_t seed = 1; seed <= copies; ++seed) {
            DamagedCopy copy = damagedCopy(good_, seededDraw(seed));
            writeFileAtomically("p.pop", renewed ? withChecksums(copy.bytes) : copy.bytes);
            const Answers answers = answersOf("p.pop", seed % every_, every_);
            QVERIFY2(answers.bad.isEmpty(),
                     qPrintable(QString("%1: %2: %3").arg(seed).arg(text(copy.what), answers.bad)));
            QVERIFY2(renewed || answers.refused || every_ > 1 || copy.bytes == good_,
                     qPrintable(QString("%1: %2: no message").arg(seed).arg(text(copy.what))));
        }
    }

    void damageIsTheSameForASeed() {
        const DamagedCopy first = damagedCopy(good_, seededDraw(7));
        QCOMPARE(damagedCopy(good_, seededDraw(7)).what, first.what);
        QVERIFY(damagedCopy(good_, seededDraw(7)).bytes == first.bytes);
        QVERIFY(damagedCopy(good_, seededDraw(8)).what != first.what);
    }
};

TILESCOPE_TEST(DamagedProfilesTest, QCoreApplication)

} // namespace damaged_profiles_test

#include "damaged_profiles_test.moc"
