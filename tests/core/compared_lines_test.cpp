// What changed in the lines of two versions of a program.
#include <QTest>
#include <map>

#include "core/analysis/compare/source_files.h"
#include "core/report/compared_lines.h"
#include "core/report/report.h"
#include "tests/support/sample_source.h"
#include "tests/support/table_cells.h"
#include "tests/support/test_main.h"

namespace compared_lines_test {
using namespace tilescope;
using namespace tilescope::test;

namespace {

const std::string fourLines = "aaaa\nbbbb\ncccc\ndddd";

std::int64_t cyclesOf(const ProfileView& profile) {
    const Document report = sourceReport(profile, {});
    return sumOf(report.tables.front(), "measuredCycles");
}

std::int64_t changeIn(const Table& table) {
    return sumOf(table, "cyclesTarget") - sumOf(table, "cyclesSource");
}

/// "1 4 moved" by the text of the line.
std::map<QString, QString> statesIn(const Table& table, const char* file = "net.py") {
    std::map<QString, QString> states;
    for (const Row& row : table.rows)
        if (cellOf(table, row, "file") == file)
            states[cellOf(table, row, "text")] = QStringLiteral("%1 %2 %3")
                                                     .arg(numberOf(table, row, "sourceLine"))
                                                     .arg(numberOf(table, row, "targetLine"))
                                                     .arg(cellOf(table, row, "state"));
    return states;
}

ProfilePair pairOf(const Profile& before, const Profile& after) {
    return ProfilePair(ProfileView::of(before), ProfileView::of(after));
}

Profile withFiles(const std::vector<const char*>& paths) {
    Profile profile = sampleProfile();
    for (const char* path : paths)
        profile.source.files.add({path, {}, {}});
    return profile;
}

} // namespace

class ComparedLinesTest : public QObject {
    Q_OBJECT

private slots:
    // Changes of lines and of what has none add up to that of Operations.
    void twoVersionsAddUp() {
        const Profile before = sampleWithLines(fourLines, 4);
        const Profile after = sampleWithLines("bbbb\nmore\ncccc\naaaa\ndddd", 5);
        const ProfilePair pair = pairOf(before, after);
        const Table table = comparedLinesTable(pair);
        QCOMPARE(changeIn(table), cyclesOf(*pair.target) - cyclesOf(*pair.source));
        const auto states = statesIn(table);
        QCOMPARE(states.at("bbbb"), "2 1 same");
        QCOMPARE(states.at("aaaa"), "1 4 moved");
        QCOMPARE(states.at("more"), "0 2 added");
    }

    void whatIsAsItWasIsLeftOut() {
        for (const std::string& code : {fourLines, std::string()}) {
            const Profile profile = sampleWithLines(code, 4);
            QVERIFY(comparedLinesTable(pairOf(profile, profile)).rows.empty());
        }
        // One operation at another line: two lines changed, and nothing else did.
        const Profile before = sampleWithLines(fourLines, 4);
        Profile after = before;
        after.source.frames[SourceFrameId(0)].line = 4;
        QCOMPARE(comparedLinesTable(pairOf(before, after)).rows.size(), std::size_t{2});
    }

    void filesWithoutTextsAreComparedByNumber() {
        const Profile before = sampleWithLines({}, 4);
        const Profile after = sampleWithLines({}, 3);
        const Table table = comparedLinesTable(pairOf(before, after));
        QVERIFY(!table.rows.empty());
        for (const Row& row : table.rows) {
            const std::int64_t source = numberOf(table, row, "sourceLine");
            const std::int64_t target = numberOf(table, row, "targetLine");
            QVERIFY(source == target || source == 0 || target == 0);
        }
    }

    // A profile may be given away without its texts.
    void oneTextStandsForBoth_data() {
        QTest::addColumn<bool>("sourceHas");
        QTest::newRow("the source has it") << true;
        QTest::newRow("the target has it") << false;
    }
    void oneTextStandsForBoth() {
        QFETCH(bool, sourceHas);
        Profile before = sampleWithLines(fourLines, 4);
        Profile after = sampleWithLines(fourLines, 2);
        Profile& stripped = sourceHas ? after : before;
        stripped.source = withoutTexts(stripped.source);
        const ProfilePair pair = pairOf(before, after);
        const Table table = comparedLinesTable(pair);
        QCOMPARE(changeIn(table), cyclesOf(*pair.target) - cyclesOf(*pair.source));
        const auto states = statesIn(table);
        QCOMPARE(states.size(), std::size_t{2}); // an operation of line 3 is at line 1 now
        for (const auto& [line, state] : states) {
            const auto number = text(fourLines).split('\n').indexOf(line) + 1;
            QVERIFY(number > 0);
            QCOMPARE(state, QStringLiteral("%1 %1 notRecorded").arg(number));
        }
        Profile copy = before;
        copy.source = withoutTexts(copy.source);
        QVERIFY(comparedLinesTable(pairOf(before, copy)).rows.empty());
    }

    // A damaged file may have a line 0, which is no line that a version lacks.
    void numbersThatAreNoLinesAreKeptApart() {
        for (const std::int32_t number : {0, -1}) {
            const Profile before = sampleWithLines(fourLines, 4);
            Profile after = sampleWithLines("cccc\nmore\ndddd", 3);
            after.source.frames[SourceFrameId(0)].line = number;
            for (const bool turned : {false, true}) {
                const ProfilePair pair = turned ? pairOf(after, before) : pairOf(before, after);
                const Table table = comparedLinesTable(pair);
                QCOMPARE(changeIn(table), cyclesOf(*pair.target) - cyclesOf(*pair.source));
                for (const Row& row : table.rows) {
                    const QString state = cellOf(table, row, "state");
                    if (state == "removed")
                        QCOMPARE(numberOf(table, row, "cyclesTarget"), std::int64_t{0});
                    if (state == "added")
                        QCOMPARE(numberOf(table, row, "cyclesSource"), std::int64_t{0});
                }
            }
        }
    }

    void longTextsStayText() {
        std::string wide = "x";
        for (int i = 0; i < 300; ++i)
            wide += "\u00e9";
        const Profile before = sampleWithLines(wide + "\nb\nc\nd\n", 4);
        const Profile after = sampleWithLines("b\nc\nd\n", 3);
        const Table table = comparedLinesTable(pairOf(before, after));
        std::size_t longest = 0;
        for (const Row& row : table.rows)
            for (const char* column : {"text", "sourceText"})
                if (const auto* shown =
                        std::get_if<std::string>(&row.cells[table.columnOf(column)])) {
                    longest = std::max(longest, shown->size());
                    QCOMPARE(QString::fromStdString(*shown).toStdString(), *shown);
                }
        QCOMPARE(longest, std::size_t{399});
    }

    // The other version of a file has its path, else its name if no other file has that.
    void versionsOfAFileFindEachOther_data() {
        QTest::addColumn<QList<const char*>>("before");
        QTest::addColumn<QList<const char*>>("after");
        QTest::addColumn<QList<int>>("others");
        using Paths = QList<const char*>;
        QTest::newRow("equal paths first") << Paths{"/code/model/util.py", "/code/util.py"}
                                           << Paths{"/code/util.py"} << QList<int>{-1, 0};
        QTest::newRow("in another folder")
            << Paths{"/old/model/util.py", "/old/util.py"} << Paths{"/new/a.py", "/new/util.py"}
            << QList<int>{-1, 1};
        QTest::newRow("whatever is shared") << Paths{"/code/model/util.py", "/code/util.py"}
                                            << Paths{"/code/model/util.py"} << QList<int>{0, -1};
        QTest::newRow("moved") << Paths{"/code/net.py", "/code/loss.py"}
                               << Paths{"/code/model/net.py", "/code/loss.py"} << QList<int>{0, 1};
        QTest::newRow("one is left")
            << Paths{"/code/a/net.py", "/code/b/net.py"}
            << Paths{"/code/c/net.py", "/code/b/net.py"} << QList<int>{0, 1};
        QTest::newRow("several are alike") << Paths{"/code/a/net.py", "/code/b/net.py"}
                                           << Paths{"/code/net.py"} << QList<int>{-1, -1};
        QTest::newRow("none") << Paths{"/code/a.py"} << Paths{"/code/b.py"} << QList<int>{-1};
    }
    void versionsOfAFileFindEachOther() {
        QFETCH(QList<const char*>, before);
        QFETCH(QList<const char*>, after);
        QFETCH(QList<int>, others);
        const Profile source = withFiles({before.begin(), before.end()});
        const Profile target = withFiles({after.begin(), after.end()});
        const ProfilePair pair = pairOf(source, target);
        const SourceNames sourceNames(*pair.source);
        const SourceNames targetNames(*pair.target);
        const SourceFilePairs pairs = pairedFiles(sourceNames, targetNames);
        for (int i = 0; i < others.size(); ++i) {
            const SourceFileId file(i);
            QCOMPARE(pairs.ofSource[file].value(), others[i]);
            if (others[i] >= 0)
                QCOMPARE(pairs.ofTarget[pairs.ofSource[file]].value(), i);
        }
        const SourceFilePairs turned = pairedFiles(targetNames, sourceNames);
        QVERIFY(turned.ofSource == pairs.ofTarget && turned.ofTarget == pairs.ofSource);
    }

    // A line whose text was there before is not new because it costs something only now.
    void aFileWithoutCostsBeforeIsNoNewFile() {
        Profile after = sampleWithLines(fourLines, 4);
        after.source.files[SourceFileId(1)].text = "loss\n";
        Profile before = after;
        for (SourceFrame& frame : before.source.frames)
            frame.file = SourceFileId(0);
        QCOMPARE(statesIn(comparedLinesTable(pairOf(before, after)), "loss.py").at("loss"),
                 "1 1 same");
        QCOMPARE(statesIn(comparedLinesTable(pairOf(after, before)), "loss.py").at("loss"),
                 "1 1 same");
    }

    void profilesWithoutLinesHaveNone() {
        const Profile plain = sampleProfile();
        const ProfilePair pair = pairOf(plain, plain);
        QVERIFY(comparedLinesTable(pair).rows.empty());
        const Profile lines = sampleWithLines(fourLines, 4);
        const Table one = comparedLinesTable(ProfilePair(pair.source, ProfileView::of(lines)));
        QCOMPARE(changeIn(one), std::int64_t{0}); // the same program
        QVERIFY(one.rows.size() > 1);
    }
};

TILESCOPE_TEST(ComparedLinesTest)

} // namespace compared_lines_test

#include "compared_lines_test.moc"
