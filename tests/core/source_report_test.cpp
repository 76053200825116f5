// The report on lines of the program: statements, what insights say of them, and two versions.
#include <QTest>
#include <algorithm>
#include <map>
#include <set>

#include "core/analysis/insights/insights.h"
#include "core/analysis/source/source_names.h"
#include "core/report/compared_lines.h"
#include "core/report/report.h"
#include "tests/support/qt_text.h"
#include "tests/support/sample_source.h"
#include "tests/support/test_main.h"

namespace source_report_test {
using namespace tilescope;
using namespace tilescope::test;

namespace {

/// Three lines of a call, and one more.
const std::string called = "x = f(\n    a,\n    b)\ny = x\n";

QString cellOf(const Table& table, const Row& row, const char* column) {
    return text(textOf(row.cells[table.columnOf(column)], Unit::None));
}

std::int64_t numberOf(const Table& table, const Row& row, const char* column) {
    const auto* number = std::get_if<std::int64_t>(&row.cells[table.columnOf(column)]);
    return number == nullptr ? 0 : *number;
}

std::int64_t sumOf(const Table& table, const char* column) {
    std::int64_t sum = 0;
    for (const Row& row : table.rows)
        sum += numberOf(table, row, column);
    return sum;
}

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

    // Changes of lines and of what has none add up to that of Operations.
    void twoVersionsAddUp() {
        const Profile before = sampleWithLines("aaaa\nbbbb\ncccc\ndddd", 4);
        const Profile after = sampleWithLines("bbbb\nmore\ncccc\naaaa\ndddd", 5);
        const ProfilePair pair(ProfileView::of(before), ProfileView::of(after));
        const Table table = comparedLinesTable(pair);
        const auto cycles = [](const ProfileView& profile) {
            return sumOf(tableOf(profile, "line"), "measuredCycles");
        };
        QCOMPARE(sumOf(table, "cyclesSource"), cycles(*pair.source));
        QCOMPARE(sumOf(table, "cyclesTarget"), cycles(*pair.target));
        std::map<QString, QString> states;
        for (const Row& row : table.rows)
            if (cellOf(table, row, "file") == "net.py")
                states[cellOf(table, row, "text")] = QStringLiteral("%1 %2 %3")
                                                         .arg(numberOf(table, row, "sourceLine"))
                                                         .arg(numberOf(table, row, "targetLine"))
                                                         .arg(cellOf(table, row, "state"));
        QCOMPARE(states["bbbb"], "2 1 same");
        QCOMPARE(states["aaaa"], "1 4 moved");
        QCOMPARE(states["more"], "0 2 added");
    }

    void filesWithoutTextsAreComparedByNumber() {
        const Profile profile = sampleWithLines({}, 4);
        const auto view = ProfileView::of(profile);
        const Table table = comparedLinesTable(ProfilePair(view, ProfileView::of(profile)));
        QVERIFY(!table.rows.empty());
        for (const Row& row : table.rows) {
            QCOMPARE(numberOf(table, row, "cyclesSource"), numberOf(table, row, "cyclesTarget"));
            QCOMPARE(numberOf(table, row, "sourceLine"), numberOf(table, row, "targetLine"));
        }
    }

    // The other version of a file has its path, else its name if no other file has that.
    void versionsOfAFileFindEachOther() {
        Profile profile = sampleProfile();
        for (const char* path : {"/code/a/net.py", "/code/b/net.py", "/code/b/loss.py"})
            profile.source.files.add({path, {}, {}});
        const auto view = ProfileView::of(profile);
        const SourceNames names(*view);
        QCOMPARE(names.fileLike("b/net.py").value(), 1);
        QCOMPARE(names.fileLike("elsewhere/loss.py").value(), 2);
        QVERIFY(!names.fileLike("net.py").valid());
        QVERIFY(!names.fileLike("train.py").valid());
    }

    void profilesWithoutLinesHaveNone() {
        const Profile plain = sampleProfile();
        const ProfilePair pair(ProfileView::of(plain), ProfileView::of(plain));
        QVERIFY(comparedLinesTable(pair).rows.empty());
        const Profile lines = sampleWithLines(called, 4);
        const Table one = comparedLinesTable(ProfilePair(pair.source, ProfileView::of(lines)));
        QCOMPARE(sumOf(one, "cyclesSource"), sumOf(one, "cyclesTarget")); // the same program
        QVERIFY(one.rows.size() > 1);
    }
};

TILESCOPE_TEST(SourceReportTest)

} // namespace source_report_test

#include "source_report_test.moc"
