// The report on lines of the program: statements, and what insights say of them.
#include <QTest>
#include <algorithm>
#include <limits>
#include <set>

#include "core/analysis/accounting/cost_rows.h"
#include "core/analysis/insights/insights.h"
#include "core/analysis/source/source_names.h"
#include "core/report/report.h"
#include "tests/support/qt_text.h"
#include "tests/support/sample_source.h"
#include "tests/support/table_cells.h"
#include "tests/support/test_main.h"

namespace source_report_test {
using namespace tilescope;
using namespace tilescope::test;

namespace {

/// Three lines of a call, and one more.
const std::string called = "x = f(\n    a,\n    b)\ny = x\n";

Table tableOf(const ProfileView& profile, const char* by, std::string_view key = "rows") {
    ReportRequest request;
    request.breakdown = by;
    for (const Table& table : sourceReport(profile, request).tables)
        if (table.key == key)
            return table;
    throw InternalError("no such table");
}

} // namespace

class SourceReportTest : public QObject {
    Q_OBJECT

private slots:
    void statementsHaveTheSumsOfTheirLines() {
        const Profile profile = sampleWithLines(called, 4);
        const auto view = ProfileView::of(profile);
        const Table lines = tableOf(*view, "line");
        const Table statements = tableOf(*view, "statement");
        for (const char* column : {"measuredCycles", "estimatedCycles", "bytesExchanged",
                                   "codeBytes", "alwaysLiveBytes", "operations"})
            QCOMPARE(sumOf(statements, column), sumOf(lines, column));
        std::int64_t wanted = 0;
        for (const Row& row : lines.rows)
            if (cellOf(lines, row, "file") == "net.py" && numberOf(lines, row, "line") < 4)
                wanted += numberOf(lines, row, "estimatedCycles");
        QVERIFY(wanted > 0);
        std::int64_t found = 0;
        for (const Row& row : statements.rows)
            if (cellOf(statements, row, "path") == "net.py:1-3") {
                found += numberOf(statements, row, "estimatedCycles");
                QCOMPARE(numberOf(statements, row, "line"), std::int64_t{1});
                QCOMPARE(numberOf(statements, row, "endLine"), std::int64_t{3});
                QCOMPARE(cellOf(statements, row, "text"), "x = f( a, b)");
            }
        QCOMPARE(found, wanted);
    }

    void withoutATextAStatementIsALine() {
        const Profile profile = sampleWithLines({}, 4);
        const auto view = ProfileView::of(profile);
        const auto names = [&](const char* by) {
            const Table table = tableOf(*view, by);
            QStringList list;
            for (const Row& row : table.rows)
                list << cellOf(table, row, "path");
            return list;
        };
        QCOMPARE(names("statement"), names("line"));
    }

    void filesHaveAState() {
        const Profile profile = sampleWithLines(called, 4);
        const auto view = ProfileView::of(profile);
        const Table files = tableOf(*view, "line", "files");
        QStringList states;
        for (const Row& row : files.rows)
            states << cellOf(files, row, "file") + ' ' + cellOf(files, row, "state");
        QCOMPARE(states, QStringList({"net.py recorded", "loss.py notRecorded"}));
        ReportRequest request;
        request.sources = "/nowhere";
        QVERIFY(userError([&] {
                    static_cast<void>(sourceReport(*view, request));
                }).contains("--source-folder: '/nowhere' is not a folder"));
    }

    // Every remark is an insight's, at a row of the report; each operation of an insight has it.
    void remarksAreThoseOfInsights() {
        const Profile profile = sampleWithLines(called, 4);
        const auto view = ProfileView::of(profile);
        const SourceNames names(*view);
        for (const char* by : {"line", "statement", "file"}) {
            const Table rows = tableOf(*view, by);
            std::set<QString> paths;
            for (const Row& row : rows.rows)
                paths.insert(cellOf(rows, row, "path"));
            const Table remarks = tableOf(*view, by, "remarks");
            QVERIFY(!remarks.rows.empty());
            std::set<std::pair<QString, QString>> said;
            for (const Row& row : remarks.rows) {
                QVERIFY(paths.contains(cellOf(remarks, row, "path")));
                QVERIFY(said.insert({cellOf(remarks, row, "path"), cellOf(remarks, row, "title")})
                            .second);
            }
            const SourceGrain grain = by == std::string("line")   ? SourceGrain::Line
                                      : by == std::string("file") ? SourceGrain::File
                                                                  : SourceGrain::Statement;
            std::size_t wanted = 0;
            for (const Insight& insight : findInsights(*view)) {
                const OperationId operation = insight.link.things.operation;
                if (!operation.valid() || !names.frameOf(operation).valid())
                    continue;
                ++wanted;
                QVERIFY(said.contains(
                    {text(names.name(names.frameOf(operation), grain)), text(insight.title)}));
            }
            QVERIFY(wanted > 0);
        }
    }

    // Lines and statements are cut between characters.
    void longTextsStayText() {
        std::string wide;
        for (int i = 0; i < 150; ++i)
            wide += "\u00e9";
        const std::string one = "x" + wide + wide;
        const Profile profile = sampleWithLines(one + "\nff(" + wide + ",\n  " + wide + ")\n", 2);
        const auto view = ProfileView::of(profile);
        for (const char* by : {"line", "statement"}) {
            const Table rows = tableOf(*view, by);
            std::size_t longest = 0;
            for (const Row& row : rows.rows) {
                const auto* shown = std::get_if<std::string>(&row.cells[rows.columnOf("text")]);
                if (shown == nullptr)
                    continue;
                longest = std::max(longest, shown->size());
                QCOMPARE(QString::fromStdString(*shown).toStdString(), *shown);
            }
            QCOMPARE(longest, std::size_t{399});
        }
    }

    void oneExecutionHasItsRepeats() {
        constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
        IdVector<ProgramId, Program> programs;
        Program repeat;
        repeat.kind = ProgramKind::Repeat;
        repeat.operation = OperationId(0);
        repeat.count = 7;
        Program step;
        step.operation = OperationId(0);
        step.parent = programs.add(repeat);
        PlacedStep placed;
        placed.once.cycles = 6;
        QCOMPARE(cyclesOnce(programs, placed), std::int64_t{0}); // without a program
        placed.program = programs.add(step);
        QCOMPARE(cyclesOnce(programs, placed), std::int64_t{42});
        placed.once.cycles = most / 2;
        QCOMPARE(cyclesOnce(programs, placed), most);
        CostRow row;
        row.computeOnce = row.exchangeOnce = most;
        QCOMPARE(row.cyclesOnce(), most);
    }
};

TILESCOPE_TEST(SourceReportTest)

} // namespace source_report_test

#include "source_report_test.moc"
