// Names of a model are data: they pass through the compiler and every report without any effect.
#include <QDir>
#include <QJsonArray>
#include <QTemporaryDir>
#include <QTest>
#include <boost/json.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <fstream>
#include <sstream>

#include "app/cli/terminal_buffer.h"
#include "core/report/report.h"
#include "core/store/profile_reader.h"
#include "tests/app/cli_result.h"
#include "tests/support/reading_commands.h"
#include "tests/support/test_main.h"

namespace hostile_names_test {
using namespace tilescope;
using namespace tilescope::test;

namespace {

/// Names with everything that has a meaning somewhere: control characters, bidi marks, delimiters
/// of strings, paths and cells, and our own keywords.
std::vector<std::string> hostileNames() {
    std::vector<std::string> names;
    for (char c = 0; c < 0x20; ++c)
        names.push_back(fmt::format("a{0}500000000{0}b", c));
    for (const char* mark :
         {"\u200E", "\u200F", "\u202A", "\u202B", "\u202C", "\u202D", "\u202E", "\u2066", "\u2067",
          "\u2068", "\u2069", "\u0085", "\u009B", "\x7F", "\xFF\xFE", "\uFEFF"})
        names.push_back(fmt::format("{0}x{0}", mark));
    for (const char* word :
         {"", "#", "copy7_x", "cs3_x/ExchangePre", "Engine::run", "weightsToHost", "lossScaling",
          "h2d_x", "\x1b[2J\x1b]0;t\x07", "'; DROP TABLE programs; --", "=1+1", "<b>&amp;", "{}",
          "%s%n", "../../x", "\"", "\\", "a\nb,c\td"})
        names.emplace_back(word);
    return names;
}

/// A list of operations, one of each name.
void writeList(const std::string& file, const std::vector<std::string>& names) {
    namespace json = boost::json;
    json::object variables{{"v", json::array{96, 16}}};
    json::array operations;
    std::string before = "v";
    for (std::size_t i = 0; i < names.size(); ++i) {
        // Each once, regardless of their form; text of a job is UTF-8.
        const std::string name = fmt::format("{}{}", names[i], i);
        operations.push_back(json::object{
            {"name", name}, {"type", i % 2 == 0 ? "relu" : "exp"}, {"inputs", {before}}});
        before = name;
    }
    std::ofstream(file) << json::serialize(
        json::object{{"model", json::object{{"name", names.front() + "\x01"
                                                                     "0\x01"},
                                            {"variables", variables},
                                            {"operations", operations}}}});
}

bool isUtf8(const std::string& name) {
    return !name.empty() && name.find('\xFF') == std::string::npos;
}

/// Text as it reaches a terminal.
QString onTerminal(const std::string& text) {
    std::stringbuf shown;
    cli::TerminalBuffer terminal(shown);
    std::ostream(&terminal) << text << std::flush;
    return QString::fromStdString(shown.str());
}

/// Whether a command prints data, in which names are unchanged: they are cleaned only on a
/// terminal.
bool printsData(const std::vector<std::string>& command) {
    return command.front() == "export" ||
           std::any_of(command.begin(), command.end(),
                       [](const std::string& word) { return word == "--json" || word == "--csv"; });
}

/// The first control character in a command's output, except line feeds and tabs.
int commandIn(const QString& text) {
    for (const QChar c : text)
        if ((c.unicode() < 0x20 && c != '\n' && c != '\t' && c != '\r') || c.unicode() == 0x7F ||
            (c.unicode() >= 0x80 && c.unicode() < 0xA0))
            return c.unicode();
    return -1;
}

QString whatIsWrongWith(const std::string& profile) {
    std::vector<std::vector<std::string>> commands = readingCommands(profile, profile);
    for (const Report& report : allReports())
        for (const char* form : {"--json", "--csv"})
            commands.push_back({"report", profile, report.id, form});
    for (const auto& command : commands) {
        const CliResult result = runCommand(command);
        if (result.status != 0 && result.status != 2)
            return text(fmt::format("{}: ", fmt::join(command, " "))) + result.err;
        const QString out = printsData(command) ? onTerminal(result.out.toStdString()) : result.out;
        if (const int found = commandIn(out + result.err); found >= 0)
            return text(fmt::format("{}: prints U+{:04X}", fmt::join(command, " "), found));
    }
    return {};
}

} // namespace

class HostileNamesTest : public QObject {
    Q_OBJECT

    QTemporaryDir directory_;

    static void go(const std::vector<std::string>& names) {
        writeList("job.json", names);
        const CliResult run = runCommand({"run", "job.json", "-o", "out"});
        QCOMPARE(run.err, "");
        QCOMPARE(run.status, 0);
        QCOMPARE(commandIn(run.out), -1);
        QCOMPARE(whatIsWrongWith("out/profile.pop"), "");
        // The file contains the model's names unchanged, and so do data.
        const CliResult data =
            runCommand({"query", "out/profile.pop", "SELECT name FROM operations", "--json"});
        QCOMPARE(data.err, "");
        const QJsonArray rows = QJsonDocument::fromJson(data.out.toUtf8()).array();
        const Profile profile = ProfileReader("out/profile.pop").loadChecked();
        for (std::size_t i = 0; i < names.size(); ++i) {
            const std::string name = fmt::format("{}{}", names[i], i);
            QVERIFY2(std::any_of(profile.operations.begin(), profile.operations.end(),
                                 [&](const Operation& o) { return o.name == name; }),
                     qPrintable(text(name).toUtf8().toPercentEncoding()));
            QVERIFY2(rows.contains(QJsonObject{{"name", text(name)}}),
                     qPrintable(text(name).toUtf8().toPercentEncoding()));
        }
    }

private slots:
    void initTestCase() { QVERIFY(QDir::setCurrent(directory_.path())); }

    void everyCharacterThatCommands() {
        std::vector<std::string> names = hostileNames();
        std::erase_if(names, [](const std::string& name) { return !isUtf8(name); });
        go(names);
    }

    void aMegabyte() { go({std::string(1 << 20, 'n')}); }

    /// The engine's own programs do not belong to the model, regardless of its name.
    void programsOfTheEngine() {
        writeList("job.json", {"plain"});
        QCOMPARE(runCommand({"run", "job.json", "-o", "plain"}).status, 0);
        const auto cycles = ProfileReader("plain/profile.pop").info().cycles;
        for (const char* name : {"weightsToHost", "Engine::run"}) {
            std::ofstream("job.json", std::ios::trunc)
                << "{\"model\": {\"name\": \"" << name
                << "\", \"variables\": {\"v\": [96, 16]}, \"operations\": [{\"name\": \"plain0\", "
                   "\"type\": \"relu\", \"inputs\": [\"v\"]}]}}";
            const CliResult run = runCommand({"run", "job.json", "-o", "named"});
            QCOMPARE(run.err, "");
            QCOMPARE(ProfileReader("named/profile.pop").info().cycles, cycles);
        }
    }
};

TILESCOPE_TEST(HostileNamesTest)

} // namespace hostile_names_test

#include "hostile_names_test.moc"
