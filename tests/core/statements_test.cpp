// Statements over several lines: by hand, and against Python's own tokenizer.
#include <QDir>
#include <QFile>
#include <QProcess>
#include <QTest>
#include <random>

#include "core/analysis/source/statements.h"
#include "tests/support/qt_text.h"
#include "tests/support/test_main.h"

namespace statements_test {
using namespace tilescope;
using namespace tilescope::test;
using namespace std::string_view_literals;

class StatementsTest : public QObject {
    Q_OBJECT

    /// "1-3 4 5": the statements in order.
    static QString textOf(const std::vector<LineSpan>& spans) {
        QStringList texts;
        for (std::size_t line = 0; line < spans.size();
             line = static_cast<std::size_t>(spans[line].last))
            texts << (spans[line].first == spans[line].last
                          ? QString::number(spans[line].first)
                          : QStringLiteral("%1-%2").arg(spans[line].first).arg(spans[line].last));
        return texts.join(' ');
    }

private slots:
    void linesAreGathered_data() {
        QTest::addColumn<QString>("code");
        QTest::addColumn<QString>("statements");
        QTest::newRow("nothing") << ""
                                 << "";
        QTest::newRow("lines") << "a\nb\n"
                               << "1 2";
        QTest::newRow("no line feed at the end") << "a\nb"
                                                 << "1 2";
        QTest::newRow("a call") << "x = f(\n  a,\n  b)\ny\n"
                                << "1-3 4";
        QTest::newRow("blank lines") << "\n\nf(\n\n)\n\n"
                                     << "1 2 3-5 6";
        QTest::newRow("a head") << "if (a and\n    b):\n  c\n"
                                << "1-2 3";
        QTest::newRow("a comment") << "f(  # (((\n  a)\nb\n"
                                   << "1-2 3";
        QTest::newRow("brackets in a string") << "f('(')\nb\n"
                                              << "1 2";
        QTest::newRow("three quotes") << "x = '''a\n'b\n'''\ny\n"
                                      << "1-3 4";
        QTest::newRow("an escaped quote") << "x = 'a\\'('\ny\n"
                                          << "1 2";
        QTest::newRow("a backslash") << "x = a + \\\n  b\ny\n"
                                     << "1-2 3";
        QTest::newRow("a backslash and two characters") << "x = a + \\\r\n  b\r\ny\r\n"
                                                        << "1-2 3";
        QTest::newRow("a backslash in a string") << "x = 'a\\\nb'\ny\n"
                                                 << "1-2 3";
        QTest::newRow("a backslash at the end") << "x\\"
                                                << "1";
        QTest::newRow("a string that does not end") << "x = 'a\ny\n"
                                                    << "1 2";
        QTest::newRow("never closed") << "a\nf(\nb\nc\n"
                                      << "1 2 3 4";
        QTest::newRow("three quotes never closed") << "a\n'''\nb\n"
                                                   << "1 2 3";
        QTest::newRow("closed too often") << "a)\nf(\n)\n"
                                          << "1 2-3";
    }
    void linesAreGathered() {
        QFETCH(QString, code);
        QTEST(textOf(statementsOf(code.toStdString())), "statements");
    }

    void theyAreThoseOfPython() {
        QProcess python;
        python.start("python3", {"-c", "import tokenize; print(tokenize.__file__)"});
        if (!python.waitForFinished() || python.exitCode() != 0)
            QSKIP("there is no Python here");
        const QDir library = QFileInfo(python.readAllStandardOutput().trimmed()).dir();
        constexpr int most = 20; // modules of Python's own library
        QStringList files;
        for (const QString& name : library.entryList({"*.py"}, QDir::Files, QDir::Name))
            if (files.size() < most)
                files << library.filePath(name);
        QVERIFY(files.size() == most);
        python.start("python3",
                     QStringList{TILESCOPE_SOURCE_DIR "/tests/core/statements_reference.py"} +
                         files);
        QVERIFY(python.waitForFinished() && python.exitCode() == 0);
        const QString wanted = text(python.readAllStandardOutput().toStdString());
        QString found;
        for (int i = 0; i < most; ++i) {
            QFile file(files[i]);
            QVERIFY(file.open(QIODevice::ReadOnly));
            std::int32_t line = 0;
            for (const LineSpan& span : statementsOf(file.readAll().toStdString()))
                if (++line == span.first && span.last > span.first)
                    found += QStringLiteral("%1 %2 %3\n").arg(i).arg(span.first).arg(span.last);
        }
        QVERIFY(wanted.size() > 1000);
        QCOMPARE(found, wanted);
    }

    void anyTextIsReadWithoutHarm() {
        std::mt19937 random(11);                                       // the same texts each time
        const std::string_view letters = "([{)]}'\"\\#\n\r a\0\xff"sv; // with the zero
        for (int i = 0; i < 3000; ++i) {
            std::string code(random() % 120, ' ');
            for (char& c : code)
                c = letters[random() % letters.size()];
            const std::vector<LineSpan> spans = statementsOf(code);
            std::size_t lines = 0;
            for (std::size_t at = 0; at < code.size(); ++lines)
                at = std::min(code.find('\n', at), code.size()) + 1;
            QCOMPARE(spans.size(), lines);
            for (std::size_t line = 0; line < lines; ++line) {
                const auto number = static_cast<std::int32_t>(line + 1);
                QVERIFY(spans[line].first >= 1 && spans[line].first <= number &&
                        spans[line].last >= number &&
                        spans[line].last <= static_cast<std::int32_t>(lines));
                QVERIFY(spans[static_cast<std::size_t>(spans[line].first - 1)] == spans[line]);
            }
        }
    }
};

TILESCOPE_TEST(StatementsTest)

} // namespace statements_test

#include "statements_test.moc"
