// README.md and the manual: commands end as the page says, options, files and links exist, and the
// page of options matches the tables.
//
// A comment before a block of commands tells the test what it cannot know:
//   <!-- exit 1 -->                     the status of its commands, if it is not 0
//   <!-- not run: needs mpirun -->      why its commands are not run
#include <QDir>
#include <QFile>
#include <QProcess>
#include <QRegularExpression>
#include <QSet>
#include <QTemporaryDir>
#include <QTest>

#include "core/base/atomic_file.h"
#include "core/options/engine_options.h"
#include "core/options/option_page.h"
#include "tests/app/typed_command.h"
#include "tests/support/test_main.h"

namespace manual_test {
using namespace tilescope;
using namespace tilescope::test;

namespace {

const QString source = QStringLiteral(TILESCOPE_SOURCE_DIR "/");
const QString manual = QStringLiteral("resources/manual/");

QStringList pages() {
    QStringList all{QStringLiteral("README.md")};
    for (const QString& name : QDir(source + manual).entryList({"*.md"}, QDir::Files))
        all << manual + name;
    return all;
}

QString textOf(const QString& page) {
    QFile file(source + page);
    return file.open(QIODevice::ReadOnly) ? QString::fromUtf8(file.readAll()) : QString();
}

/// A block of commands with the content of the comment before it.
struct Block {
    QStringList commands;
    int status = 0;
    QString whyNot; ///< empty if they are run
};

std::vector<Block> blocksOf(const QString& page) {
    static const QRegularExpression block(
        QStringLiteral(
            "(?:^<!-- (?:exit (\\d)|not run: ([^\\n]+)) -->\\n)?^```console\\n(.*?)^```"),
        QRegularExpression::MultilineOption | QRegularExpression::DotMatchesEverythingOption);
    std::vector<Block> blocks;
    auto matches = block.globalMatch(textOf(page));
    while (matches.hasNext()) {
        const QRegularExpressionMatch match = matches.next();
        Block& next = blocks.emplace_back();
        next.status = match.captured(1).toInt();
        next.whyNot = match.captured(2);
        for (const QString& line : match.captured(3).remove("\\\n").split('\n'))
            if (line.startsWith("$ "))
                next.commands << line.mid(2);
    }
    return blocks;
}

/// First groups of all matches.
QStringList matchesIn(const QString& text, const QString& pattern) {
    QStringList found;
    auto matches =
        QRegularExpression(pattern, QRegularExpression::MultilineOption).globalMatch(text);
    while (matches.hasNext())
        found << matches.next().captured(1);
    return found;
}

/// Needed by commands that start processes of their own program.
CliResult runAsProgram(const TypedCommand& command) {
    QStringList arguments;
    for (const std::string& argument : command.arguments)
        arguments << text(argument);
    QProcess process;
    process.start(programPath("tilescope"), arguments);
    process.waitForFinished(-1);
    return {process.exitCode(), QString::fromUtf8(process.readAllStandardOutput()),
            QString::fromUtf8(process.readAllStandardError())};
}

CliResult run(const TypedCommand& command) {
    const std::string name = command.arguments.empty() ? "" : command.arguments.front();
    return name == "sweep" || name == "try" ? runAsProgram(command) : runTyped(command);
}

/// Options named in the help of a command and its subcommands.
void addOptions(QSet<QString>& options, const std::vector<std::string>& command) {
    std::vector<std::string> words = command;
    words.emplace_back("--help");
    QString help = runCommand(words).out;
    if (help.contains("--help-all")) {
        words.back() = "--help-all";
        help = runCommand(words).out;
    }
    for (const QString& option : matchesIn(help, "(--[a-z][a-z0-9-]*)"))
        options << option;
    words.pop_back();
    for (const QString& name :
         matchesIn(help.section("\nSubcommands:\n", 1), "^  ([a-z][\\w-]*)")) {
        words.push_back(name.toStdString());
        addOptions(options, words);
        words.pop_back();
    }
}

} // namespace

class ManualTest : public QObject {
    Q_OBJECT

    int run_ = 0;

private slots:
    void init() {
        for (const char* variable :
             {"POPLAR_ENGINE_OPTIONS", "POPLAR_LOG_LEVEL", "POPLIBS_LOG_LEVEL"})
            qunsetenv(variable);
    }

    void commandsEndAsThePageSays_data() {
        QTest::addColumn<QString>("page");
        for (const QString& page : pages())
            if (!blocksOf(page).empty())
                QTest::newRow(qPrintable(page)) << page;
    }
    /// In the order of the page, in a folder that looks like the checkout.
    void commandsEndAsThePageSays() {
        QFETCH(QString, page);
        const QTemporaryDir folder;
        QVERIFY(QDir::setCurrent(folder.path()));
        for (const QString name : {"resources", "tests"})
            QVERIFY(QFile::link(source + name, folder.filePath(name)));
        for (const Block& block : blocksOf(page)) {
            QVERIFY2(!block.commands.isEmpty(), "a block without commands");
            if (!block.whyNot.isEmpty())
                continue;
            for (const QString& line : block.commands) {
                const TypedCommand command = typedCommand(line.toStdString());
                QVERIFY2(command.program == "tilescope",
                         qPrintable("say why it is not run: " + line));
                const CliResult result = run(command);
                QVERIFY2(
                    result.status == block.status,
                    qPrintable(
                        QString("%1\n[exit %2] %3").arg(line).arg(result.status).arg(result.err)));
                ++run_;
            }
        }
        QVERIFY(QDir::setCurrent(QDir::rootPath()));
    }
    void whatIsNotRunIsCounted() {
        int left = 0;
        for (const QString& page : pages())
            for (const Block& block : blocksOf(page))
                for (const QString& line : block.commands)
                    if (!block.whyNot.isEmpty()) {
                        qInfo("%s, not run (%s): %s", qPrintable(page), qPrintable(block.whyNot),
                              qPrintable(line));
                        ++left;
                    }
        qInfo("%d commands are run, %d are not", run_, left);
        QVERIFY(left < 30);
    }

    void optionsOfTheTextsAreKnown() {
        // Options of other programs: packaging/check_deb.sh, poprun, tilescope-gui.
        QSet<QString> known{"--python", "--num-instances", "--num-replicas", "--view",
                            "--select", "--range",         "--compare",      "--grab"};
        addOptions(known, {});
        QVERIFY(known.size() > 150);
        for (const QString& page : pages())
            for (const QString& option : matchesIn(textOf(page), "(?<![\\w-])(--[a-z][a-z0-9-]*)"))
                QVERIFY2(known.contains(option), qPrintable(page + ": " + option));
    }

    void filesOfTheTextsAreThere() {
        for (const QString& page : pages()) {
            const QDir folder = QFileInfo(source + page).dir();
            const QString text = textOf(page);
            for (const QString& link : matchesIn(text, "\\]\\(([^)]+)\\)"))
                QVERIFY2(folder.exists(link), qPrintable(page + ": " + link));
            for (const QString& path :
                 matchesIn(text, "`((?:resources|tests|app)/[\\w./]*\\w)[`\\s]"))
                QVERIFY2(QFile::exists(source + path), qPrintable(page + ": " + path));
        }
    }

    /// TILESCOPE_UPDATE_GOLDEN=1 rewrites it.
    void optionsPageIsThatOfTheTables() {
        const QString file = manual + "options.md";
        const QString expected = text(optionPage());
        if (qEnvironmentVariableIntValue("TILESCOPE_UPDATE_GOLDEN") != 0)
            writeFileAtomically((source + file).toStdString(), optionPage());
        const QStringList expectedLines = expected.split('\n');
        const QStringList lines = textOf(file).split('\n');
        for (qsizetype i = 0; i < expectedLines.size(); ++i)
            QCOMPARE(lines.value(i), expectedLines[i]);
        QCOMPARE(lines.size(), expectedLines.size());
    }

    void engineOptionsThatActAreExplained() {
        const QString page = textOf(manual + "engine_options.md");
        for (const EngineOption& option : engineOptionTable()) {
            const QString key = '`' + text(option.key) + '`';
            if (option.effect == EngineEffect::Acts)
                QVERIFY2(page.contains(key), qPrintable(key));
        }
    }
};

TILESCOPE_TEST(ManualTest, QCoreApplication)

} // namespace manual_test

#include "manual_test.moc"
