// Two versions of the user's files side by side, as the Source page has them.
#include <QtTest>

#include "tests/support/sample_source.h"
#include "tests/support/test_main.h"
#include "views/operations/operations_content.h"
#include "views/operations/source_content.h"

namespace source_content_test {
using namespace tilescope;
using namespace tilescope::views;
using test::sampleWithLines;

class SourceContentTest : public QObject {
    Q_OBJECT

    static CodeFiles filesOf(const Profile& before, const Profile& after) {
        return codeFiles(
            readOperations(ProfilePair(ProfileView::of(before), ProfileView::of(after)),
                           GroupChoice{CostLayer::Line}, {}));
    }

    static const CodeFile& fileOf(const CodeFiles& all, const QString& name) {
        for (const CodeFile& file : all.files)
            if (file.name == name)
                return file;
        throw InternalError("no such file");
    }

    static std::int64_t sumOf(const CodeFiles& all, std::size_t column) {
        std::int64_t sum = 0;
        for (const CodeFile& file : all.files)
            for (const CodeLine& line : file.lines)
                sum += line.figure(column);
        return sum;
    }

    const Profile before_ = sampleWithLines("aaaa\nbbbb\ncccc\ndddd", 4);

private slots:
    // A profile may be given away without its texts.
    void oneTextStandsForBoth() {
        Profile stripped = before_;
        stripped.source = withoutTexts(stripped.source);
        for (const CodeFiles& all : {filesOf(before_, stripped), filesOf(stripped, before_)}) {
            const CodeFile& file = fileOf(all, "net.py");
            QVERIFY(file.recorded);
            QCOMPARE(file.lines.size(), std::size_t{4});
            QCOMPARE(file.cost, std::int64_t{0}); // nothing changed
            QVERIFY(file.lines.at(0).figure(0) > 0);
            for (const CodeLine& line : file.lines) {
                QCOMPARE(line.number, line.targetNumber);
                QCOMPARE(line.figure(0), line.figure(1));
                QVERIFY(!line.text.isEmpty());
            }
        }
    }

    void equalPathsComeFirst() {
        Profile two = before_;
        two.source.files[SourceFileId(0)].path = "/home/me/model/net.py";
        two.source.files[SourceFileId(1)] = {"/home/me/net.py", {}, "loss\n"};
        Profile one = two; // all of it in the outer file
        for (SourceFrame& frame : one.source.frames)
            frame.file = SourceFileId(0);
        one.source.files = {};
        one.source.files.add({"/home/me/net.py", {}, "loss\n"});
        const CodeFiles all = filesOf(two, one);
        QCOMPARE(all.files.size(), std::size_t{2});
        for (const CodeLine& line : fileOf(all, "model/net.py").lines)
            QCOMPARE(line.targetNumber, 0);
        QCOMPARE(fileOf(all, "net.py").lines.at(0).targetNumber, 1);
        QVERIFY(fileOf(all, "net.py").lines.at(0).figure(1) > 0);
    }

    // A damaged file may have a line 0, which is no line that a version lacks.
    void numbersThatAreNoLinesAreKeptApart() {
        Profile after = sampleWithLines("cccc\nmore\ndddd", 3);
        after.source.frames[SourceFrameId(0)].line = 0;
        const CodeFiles all = filesOf(before_, after);
        for (const CodeLine& line : fileOf(all, "net.py").lines)
            if (line.number > 0 && line.targetNumber == 0 && line.moved == 0 && line.edited == 0)
                QCOMPARE(line.figure(1), std::int64_t{0});
        // The same program.
        QCOMPARE(sumOf(all, 0), sumOf(all, 1));
    }
};

TILESCOPE_TEST(SourceContentTest)

} // namespace source_content_test

#include "source_content_test.moc"
