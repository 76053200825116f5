// Two versions of a file of the user's program, line by line; what is given away of one.
#include <QElapsedTimer>
#include <QTest>
#include <algorithm>
#include <random>

#include "core/analysis/compare/source_lines.h"
#include "core/analysis/source/source_names.h"
#include "tests/support/qt_text.h"
#include "tests/support/test_main.h"

namespace source_versions_test {
using namespace tilescope;
using namespace tilescope::test;

class SourceVersionsTest : public QObject {
    Q_OBJECT

    /// "1:1 2:- -:2", with the number in the other version of moved (>) and edited (~) lines.
    static QString textOf(const std::vector<ComparedLine>& lines) {
        QStringList texts;
        for (const ComparedLine& line : lines) {
            const auto number = [](std::int32_t of) {
                return of > 0 ? QString::number(of) : QStringLiteral("-");
            };
            texts << number(line.source) + ':' + number(line.target) +
                         (line.moved > 0    ? QStringLiteral(">%1").arg(line.moved)
                          : line.edited > 0 ? QStringLiteral("~%1").arg(line.edited)
                                            : QString());
        }
        return texts.join(' ');
    }

private slots:
    void versionsAreAligned_data() {
        QTest::addColumn<QString>("source");
        QTest::addColumn<QString>("target");
        QTest::addColumn<QString>("lines");
        QTest::newRow("equal") << "a\nb\n"
                               << "a\nb\n"
                               << "1:1 2:2";
        QTest::newRow("empty") << ""
                               << ""
                               << "";
        QTest::newRow("not recorded before") << ""
                                             << "a\nb"
                                             << "-:1 -:2";
        QTest::newRow("not recorded after") << "a\nb"
                                            << ""
                                            << "1:- 2:-";
        QTest::newRow("inserted") << "a\nb"
                                  << "a\nx\nb"
                                  << "1:1 -:2 2:3";
        QTest::newRow("removed") << "a\nx\nb"
                                 << "a\nb"
                                 << "1:1 2:- 3:2";
        QTest::newRow("replaced") << "a\nx\nb"
                                  << "a\ny\nb"
                                  << "1:1 2:-~2 -:2~2 3:3";
        QTest::newRow("several replaced") << "a\nx\ny\nb"
                                          << "a\np\nq\nb"
                                          << "1:1 2:-~2 3:-~3 -:2~2 -:3~3 4:4";
        QTest::newRow("replaced by more") << "a\nx\nb"
                                          << "a\np\nq\nb"
                                          << "1:1 2:- -:2 -:3 3:4";
        QTest::newRow("moved") << "first\na\nb\nc"
                               << "a\nb\nc\nfirst"
                               << "1:->4 2:1 3:2 4:3 -:4>1";
        QTest::newRow("moved and indented") << "first\na\nb\nc"
                                            << "a\nb\nc\n    first"
                                            << "1:->4 2:1 3:2 4:3 -:4>1";
        QTest::newRow("too short to be moved") << ")\na\nb\nc"
                                               << "a\nb\nc\n)"
                                               << "1:- 2:1 3:2 4:3 -:4";
        QTest::newRow("equal lines") << "x\nx\nx"
                                     << "x\nx"
                                     << "1:1 2:2 3:-";
        QTest::newRow("blank lines") << "a\n\n\nb"
                                     << "a\n\nb"
                                     << "1:1 2:2 3:- 4:3";
    }
    void versionsAreAligned() {
        QFETCH(QString, source);
        QFETCH(QString, target);
        QTEST(textOf(compareLines(source.toStdString(), target.toStdString())), "lines");
    }

    void everyLineIsThereOnce() {
        std::mt19937 random(5); // the same texts each time
        for (int round = 0; round < 300; ++round) {
            std::string texts[2];
            for (std::string& text : texts)
                for (auto lines = random() % 30; lines > 0; --lines)
                    text += std::string("line ") + static_cast<char>('a' + random() % 6) + "\n";
            std::int32_t source = 0;
            std::int32_t target = 0;
            for (const ComparedLine& line : compareLines(texts[0], texts[1])) {
                QVERIFY(line.source > 0 || line.target > 0);
                if (line.source > 0)
                    QCOMPARE(line.source, ++source);
                if (line.target > 0)
                    QCOMPARE(line.target, ++target);
            }
            QCOMPARE(source, std::count(texts[0].begin(), texts[0].end(), '\n'));
            QCOMPARE(target, std::count(texts[1].begin(), texts[1].end(), '\n'));
        }
    }

    void hugeFilesTakeAMoment() {
        std::string source;
        std::string target;
        for (int i = 0; i < 100000; ++i) {
            source += "x = " + std::to_string(i % 5000) + "\n";
            target += "x = " + std::to_string(i * 7 % 5000) + "\n";
        }
        QElapsedTimer timer;
        timer.start();
        QVERIFY(!compareLines(source, target).empty());
        QVERIFY2(timer.elapsed() < 5000, qPrintable(QString::number(timer.elapsed())));
    }

    void whatIsGivenAwayHasNoTexts() {
        SourceCode code;
        code.files.add({"/home/me/net/train.py", {}, "secret"});
        code.files.add({"/home/me/net/parts/model.py", {}, "secret"});
        code.files.add({"/usr/lib/torch/nn.py", SourceOrigin::Library, {}});
        code.files.add({"<ipython-input-1>", SourceOrigin::Notebook, "secret"});
        const SourceCode stripped = withoutTexts(code);
        QStringList paths;
        for (const SourceFile& file : stripped.files) {
            QVERIFY(file.text.empty());
            paths << text(file.path);
        }
        QCOMPARE(paths, QStringList({"train.py", "parts/model.py", "/usr/lib/torch/nn.py",
                                     "<ipython-input-1>"}));
    }
};

TILESCOPE_TEST(SourceVersionsTest)

} // namespace source_versions_test

#include "source_versions_test.moc"
