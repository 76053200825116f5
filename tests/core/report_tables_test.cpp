// Units, tables and the reports that are made of them.
#include <QTest>
#include <set>
#include <sstream>

#include "core/report/compared_tables.h"
#include "core/report/item_tables.h"
#include "core/report/report.h"
#include "tests/support/qt_text.h"
#include "tests/support/sample_profile.h"
#include "tests/support/test_main.h"

namespace report_tables_test {
using namespace tilescope;
using namespace tilescope::test;

namespace {

QString csvOf(const Table& table) {
    std::ostringstream out;
    writeCsv(out, table);
    return text(out.str());
}

} // namespace

class ReportTablesTest : public QObject {
    Q_OBJECT

private slots:
    void peopleReadUnitsAndProgramsNumbers() {
        const auto is = [](const Cell& cell, Unit unit, const QString& shown, const QString& raw) {
            QCOMPARE(text(textOf(cell, unit)), shown);
            QCOMPARE(text(rawText(cell)), raw);
        };
        is(std::int64_t{1536}, Unit::Bytes, "1.50 KiB", "1536");
        is(std::int64_t{34655}, Unit::Cycles, "34,655", "34655");
        is(std::int64_t{34655}, Unit::None, "34655", "34655");
        is(944e6, Unit::Flops, "944 MFLOP", "944000000");
        is(0.5, Unit::Share, "50.0 %", "0.5");
        is(45426.3, Unit::Rate, "45,426", "45426.3");
        is(1.25e-3, Unit::Seconds, "1.25 ms", "0.00125");
        is(std::monostate(), Unit::Bytes, "-", "");
        is(Duration{1330, 1.33e9}, Unit::Cycles, "1,330 cycles (1.00 us)", "1330");
    }

    // In the unit of its column, whichever that is.
    void changesKeepTheirUnit() {
        const auto is = [](Unit unit, const Change& change, const QString& shown) {
            QCOMPARE(text(textOf(change, unit)), shown);
        };
        is(Unit::Bytes, Change(2048, 1024), "-1.00 KiB (-50.0 %)");
        is(Unit::Seconds, Change(1e-3, 2e-3), "+1.00 ms (+100.0 %)");
        is(Unit::Flops, Change(1e9, 3e9), "+2.00 GFLOP (+200.0 %)");
        is(Unit::Rate, Change(100, 50), "-50 (-50.0 %)");
        is(Unit::Count, Change(0, 1200), "+1,200");
        QCOMPARE(text(textOf(Change(2048, 1024), Unit::Bytes, {}, true)), "-1.00 KiB");
    }

    void columnsAreShownWhereTheyBelong() {
        Table table{"t",
                    "",
                    {in(Shown::Data, {"path", ""}), in(Shown::Text, {"name", "Name"}),
                     in(Shown::Window, {"more", "More"}), in(Shown::Printed, {"stage", "Stage"}),
                     in(Shown::Nowhere, {"zero", "Zero"})},
                    {}};
        table.idKey = "item";
        table.add({std::string("a/b"), std::string("b"), std::int64_t{1}, std::int64_t{2},
                   std::int64_t{0}},
                  7);
        QCOMPARE(csvOf(table), "item,path,stage\n7,a/b,2\n");
        QCOMPARE(shownIn(Shown::Window, table).columns.size(), std::size_t(2));
        QCOMPARE(shownIn(Shown::Text, table).columns.size(), std::size_t(3));
    }

    void twoTablesSideBySide() {
        Table source{
            "t",
            "",
            {{"name", "Name"}, {"bytes", "Bytes", Unit::Bytes}, {"share", "Share", Unit::Share}},
            {}};
        Table target = source;
        source.add({std::string("a"), std::int64_t{10}, 0.5}, 3);
        target.add({std::string("a"), std::int64_t{14}, 0.25}, 3);
        target.add({std::string("b"), std::int64_t{5}, 1.0}, 4);
        QCOMPARE(csvOf(tableOfTwo(source, target)),
                 "name,bytesSource,bytesTarget,bytesDifference,shareSource,shareTarget\n"
                 "a,10,14,4,0.5,0.25\nb,,5,,,1\n");
    }

    // Each report responds to the options that it accepts, and names are unique.
    void reportsAreListedOnce() {
        std::set<std::string> ids;
        for (const Report& report : allReports())
            QVERIFY(ids.insert(report.id).second);
        const auto listens = [](const std::string& id, ReportOption option) {
            for (const Report& report : allReports())
                if (report.id == id)
                    return report.listensTo(option);
            return false;
        };
        QVERIFY(listens("memory", ReportOption::By));
        QVERIFY(!listens("trace", ReportOption::Tile));
        QVERIFY(!listens("pipeline", ReportOption::Filter));
    }

    void itemsHaveTheirIds() {
        const Profile p = sampleProfile();
        const Table table =
            computeSetsTable(p.info.target, p.computeSets, p.vertexTypes, p.operations, {});
        for (const Row& row : table.rows)
            QCOMPARE(std::get<std::string>(row.cells[table.columnOf("name")]),
                     p.computeSets[ComputeSetId(row.id)].name);
    }
};

TILESCOPE_TEST(ReportTablesTest)

} // namespace report_tables_test

#include "report_tables_test.moc"
