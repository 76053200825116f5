// Profiles of older schema versions: later additions are empty, everything else is read.
#include <QTest>

#include "core/store/profile_reader.h"
#include "core/trace/lanes.h"
#include "core/trace/trace_index.h"
#include "tests/core/sample_copies.h"
#include "tests/support/compare_profile.h"
#include "tests/support/test_main.h"

namespace older_schemas_test {
using namespace tilescope;
using namespace tilescope::test;
namespace fs = std::filesystem;

class OlderSchemasTest : public QObject, SampleCopies {
    Q_OBJECT

private slots:
    void hasNoCopies() {
        const fs::path older = copy("older.pop");
        execute(older, "DROP VIEW copy_info; DROP TABLE copies; PRAGMA user_version = 1");
        const Profile read = ProfileReader(older).load();
        QVERIFY(read.copies.empty());
        QCOMPARE(read.computeSets.size(), sampleProfile({.withCopy = true}).computeSets.size());
    }

    void hasNoRemoteBuffers() {
        const fs::path older = copy("older3.pop");
        execute(older, "DROP TABLE remote_buffers; DROP TABLE execution_phases; "
                       "ALTER TABLE streams DROP COLUMN remote_buffer; "
                       "DELETE FROM info WHERE key = 'target.streamingMemoryBytesPerSecond'; "
                       "PRAGMA user_version = 3");
        const Profile read = ProfileReader(older).load();
        QVERIFY(read.remoteBuffers.empty() && read.phases.empty());
        QCOMPARE(read.streams.size(), sampleProfile({.withCopy = true}).streams.size());
    }

    void hasItsSeriesInRows() {
        const fs::path older = copy("older7.pop");
        execute(older, toSchemaVersion7().c_str());
        QCOMPARE(
            text(firstDifference(ProfileReader(older).load(), sampleProfile({.withCopy = true}))),
            "");
        const ProfileReader reader(older);
        QCOMPARE(reader.query("SELECT * FROM tile_map(20)").rows,
                 ProfileReader(file("good.pop")).query("SELECT * FROM tile_map(20)").rows);
    }

    void hasARowForEachRunOfAVariable() {
        const fs::path older = copy("older14.pop");
        execute(older, "CREATE TABLE old_runs(series INTEGER, first_tile INTEGER, tiles INTEGER, "
                       "bytes INTEGER, PRIMARY KEY(series, first_tile)) WITHOUT ROWID; "
                       "INSERT INTO old_runs SELECT * FROM variable_series; "
                       "DROP VIEW variable_series; DROP TABLE variable_runs; "
                       "PRAGMA legacy_alter_table = ON; "
                       "ALTER TABLE old_runs RENAME TO variable_series; "
                       "DELETE FROM info WHERE key = 'variables.tiles'; "
                       "PRAGMA user_version = 14");
        const ProfileReader reader(older);
        QCOMPARE(text(firstDifference(reader.load(), sampleProfile({.withCopy = true}))), "");
        QCOMPARE(reader.variablesOnTiles(), ProfileReader(file("good.pop")).variablesOnTiles());
    }

    void hasARowForEachVariableOfAProgram() {
        const fs::path older = copy("older14b.pop");
        execute(older, "CREATE TABLE old_uses(program INTEGER, variable INTEGER, written INTEGER); "
                       "INSERT INTO old_uses SELECT * FROM program_variables; "
                       "DROP VIEW program_variables; "
                       "ALTER TABLE programs DROP COLUMN variables_read; "
                       "ALTER TABLE programs DROP COLUMN variables_written; "
                       "PRAGMA legacy_alter_table = ON; "
                       "ALTER TABLE old_uses RENAME TO program_variables; "
                       "ALTER TABLE variable_runs RENAME TO new_runs; "
                       "DROP VIEW variable_series; "
                       "CREATE TABLE variable_series AS SELECT n.id AS series, "
                       "json_extract(r.value, '$[0]') AS first_tile, json_extract(r.value, '$[1]') "
                       "AS tiles, json_extract(r.value, '$[2]') AS bytes FROM new_runs n, "
                       "json_each(n.runs) r; DROP TABLE new_runs; "
                       "PRAGMA user_version = 14");
        QCOMPARE(
            text(firstDifference(ProfileReader(older).load(), sampleProfile({.withCopy = true}))),
            "");
        execute(older, "UPDATE program_variables SET variable = NULL");
        QCOMPARE(userError([&] { (void)ProfileReader(older).load(); }),
                 "damaged profile: a row refers to one that does not exist");
    }

    void hasNoHostSpans() {
        const fs::path older = copy("older5.pop");
        execute(older, "DROP TABLE host_spans; "
                       "DELETE FROM info WHERE key IN ('target.systemIpus', "
                       "'target.linkDomainIpus', 'target.gatewayBytesPerSecond'); "
                       "PRAGMA user_version = 5");
        const Profile read = ProfileReader(older).load();
        QVERIFY(read.hostSpans.empty());
        QCOMPARE(read.info.target.systemIpus, 0);
        QCOMPARE(read.trace.runs.size(), sampleProfile().trace.runs.size());
    }

    void hasNoModelGraph() {
        const fs::path older = copy("older4.pop");
        execute(older, "DROP VIEW graph_edges; DROP TABLE graph_operations; "
                       "DROP TABLE graph_tensors; DROP TABLE operation_tensors; "
                       "PRAGMA user_version = 4");
        const Profile read = ProfileReader(older).load();
        QVERIFY(!read.modelGraph.recorded());
        QCOMPARE(read.operations.size(), sampleProfile().operations.size());
    }

    void hasNoTracePages() {
        const fs::path older = copy("older4.pop");
        execute(older, "DROP TABLE trace_lanes; DROP TABLE trace_pages; "
                       "DROP TABLE trace_item_pages; DROP TABLE trace_program_totals; "
                       "PRAGMA user_version = 4");
        const TraceIndex index = ProfileReader(older).traceIndex();
        QVERIFY(!index.lanes().inPages());
        QCOMPARE(index.runs().size(), std::size_t{2});
    }
};

TILESCOPE_TEST(OlderSchemasTest)

} // namespace older_schemas_test

#include "older_schemas_test.moc"
