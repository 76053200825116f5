// Damaged profiles through every command that reads one: an answer or the user's error (exit
// status 2), never an internal error and never a crash.
#include <QDir>
#include <QTemporaryDir>
#include <QTest>
#include <sqlite3.h>
#include <sstream>

#include "app/cli/cli.h"
#include "core/base/atomic_file.h"
#include "core/store/profile_writer.h"
#include "tests/support/qt_text.h"
#include "tests/support/sample_profile.h"

using namespace tilescope;
using namespace tilescope::test;

namespace {

std::vector<std::vector<std::string>> readingCommands() {
    std::vector<std::vector<std::string>> commands{{"info", "p.pop", "--json"}};
    for (const char* section : {"memory", "liveness", "variables", "vertices", "exchanges",
                                "programs", "operations", "trace", "pipeline", "insights"})
        commands.push_back({"report", "p.pop", section});
    commands.push_back({"report", "p.pop", "memory", "--by", "category"});
    commands.push_back({"report", "p.pop", "liveness", "--step", "7"});
    commands.push_back({"report", "p.pop", "liveness", "--tile", "3"});
    commands.push_back({"report", "p.pop", "variables", "--tile", "3"});
    commands.push_back({"report", "p.pop", "trace", "--step", "100"});
    commands.push_back({"query", "p.pop", "SELECT * FROM tile_map(3)"});
    commands.push_back({"diff", "good.pop", "p.pop"});
    commands.push_back({"diff", "p.pop", "good.pop", "--json"});
    for (const char* format : {"json", "chrome-trace"})
        commands.push_back({"export", "p.pop", "--format", format});
    return commands;
}

/// The first command that answers with anything but its result or a user error; "" if none does.
QString firstBadAnswer() {
    for (const auto& command : readingCommands()) {
        std::ostringstream out;
        std::ostringstream err;
        const int status = cli::runCli(command, {out, err});
        if (status != 0 && status != 2)
            return text(err.str());
    }
    return "";
}

} // namespace

class DamagedProfilesTest : public QObject {
    Q_OBJECT

    QTemporaryDir directory_;
    std::string good_;

private slots:
    void initTestCase() {
        QVERIFY(QDir::setCurrent(directory_.path()));
        writeProfile(sampleProfile({.withCopy = true}), "good.pop");
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
                 "UPDATE compute_sets SET operation = 9999",
                 "UPDATE exchanges SET operation = 9999",
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
                 "DELETE FROM compute_sets",
                 "DELETE FROM vertex_types",
                 "DELETE FROM operations",
                 "DELETE FROM placement_chunks",
                 "UPDATE placement_tiles SET placement = 9999",
                 "UPDATE placement_chunks SET data = x'00'",
                 "UPDATE variable_tiles SET tiles = 2000000000",
                 "UPDATE OR REPLACE variable_tiles SET first_tile = -7",
                 "UPDATE memory_by_tile SET total = 9223372036854775807",
                 "UPDATE info SET value = 0 WHERE key = 'target.clockHz'",
                 "UPDATE info SET value = 0 WHERE key = 'target.bytesPerTile'",
                 "UPDATE info SET value = 1 WHERE key = 'target.tilesPerIpu'",
                 "UPDATE info SET value = 3 WHERE key = 'target.ipus'",
                 "DROP TABLE exchanges",
             })
            QTest::newRow(sql) << QByteArray(sql);
    }
    void referencesToNothing() {
        QFETCH(QByteArray, sql);
        writeFileAtomically("p.pop", good_);
        sqlite3* db = nullptr;
        sqlite3_open("p.pop", &db);
        const int code = sqlite3_exec(db, sql.constData(), nullptr, nullptr, nullptr);
        sqlite3_close(db);
        QCOMPARE(code, SQLITE_OK);
        QCOMPARE(firstBadAnswer(), "");
    }

    void flippedBytes() {
        for (std::size_t at = 110; at < good_.size(); at += 1597) {
            std::string flipped = good_;
            flipped[at] = static_cast<char>(flipped[at] ^ 0x41);
            writeFileAtomically("p.pop", flipped);
            const QString bad = firstBadAnswer();
            QVERIFY2(bad.isEmpty(), qPrintable(QString("byte %1: %2").arg(at).arg(bad)));
        }
    }
};

QTEST_GUILESS_MAIN(DamagedProfilesTest)
#include "damaged_profiles_test.moc"
