// Lines of the user's program on the command line: rows with remarks, files with their state, and
// two versions.
#include <QJsonArray>
#include <QTemporaryDir>
#include <QTest>
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <map>

#include "core/store/profile_writer.h"
#include "tests/app/cli_result.h"
#include "tests/support/profile_sql.h"
#include "tests/support/sample_source.h"
#include "tests/support/test_main.h"

namespace source_json_test {
using namespace tilescope;
using namespace tilescope::test;

class SourceJsonTest : public QObject {
    Q_OBJECT
    QTemporaryDir folder_;

    std::string write(const char* name, const std::string& code) {
        const std::string file = folder_.filePath(name).toStdString();
        writeProfile(sampleWithLines(code, 4), file);
        return file;
    }

    static QString stateOf(const CliResult& result, const char* file) {
        for (const QJsonValue& one : json(result)["files"].toArray())
            if (one["file"].toString() == QLatin1String(file))
                return one["state"].toString();
        return {};
    }

private slots:
    void remarksAreInTheirRows() {
        const std::string file = write("a.pop", "a\nb\nc\nd\n");
        const CliResult result = runCommand({"report", file, "source", "--json"});
        QCOMPARE(result.status, 0);
        const QJsonObject document = json(result);
        QVERIFY(!document.contains("remarks"));
        int remarks = 0;
        for (const QJsonValue& row : document["rows"].toArray()) {
            QVERIFY(row["remarks"].isArray());
            for (const QJsonValue& remark : row["remarks"].toArray()) {
                QVERIFY(row["file"].isString() && !remark["title"].toString().isEmpty());
                QVERIFY(!remark["kind"].toString().isEmpty() && remark["path"].isUndefined());
                ++remarks;
            }
        }
        QVERIFY(remarks > 0);
        const CliResult text = runCommand({"report", file, "source"});
        QVERIFY2(text.out.contains("What insights say"), qPrintable(text.out));
    }

    // Places of a row have its cycles, losses its waits.
    void rowsOpenIntoTheirPlaces() {
        Profile profile = sampleWithLines("a\nb\nc\nd\n", 4);
        const SourceFrameId script = profile.source.frames.add(
            {{}, profile.source.files.add({"/home/me/train.py", {}, {}}), 9, "<module>"});
        for (const SourceAnchorKind kind : {SourceAnchorKind::Model, SourceAnchorKind::Call})
            profile.source.anchors.push_back({kind, script});
        const std::string file = folder_.filePath("places.pop").toStdString();
        writeProfile(profile, file);
        for (const char* by : {"line", "file", "line:libraries"}) {
            const CliResult result = runCommand({"report", file, "source", "--json", "--by", by});
            int places = 0;
            int losses = 0;
            for (const QJsonValue& row : json(result)["rows"].toArray()) {
                double cycles = 0;
                for (const QJsonValue& place : row["places"].toArray()) {
                    cycles += place["cycles"].toDouble();
                    QCOMPARE(place["how"].toString(), "written");
                    QVERIFY(!place["place"].toString().isEmpty());
                    ++places;
                }
                if (row["file"].isString())
                    QCOMPARE(cycles, row["measuredCycles"].toDouble());
                double waits = 0;
                for (const QJsonValue& loss : row["losses"].toArray()) {
                    waits += loss["cycles"].toDouble();
                    ++losses;
                }
                QCOMPARE(waits, row["waitCycles"].toDouble());
            }
            QVERIFY(places > 1 && losses > 0);
        }
    }

    // Without a run rows have one execution with its repeats, and so have their places.
    void placesOfWhatDidNotRunAddUp() {
        Profile profile = sampleWithLines("a\nb\nc\nd\n", 4, {.tooLarge = true});
        for (Program& program : profile.programs)
            if (program.kind == ProgramKind::Repeat || program.name == "batch")
                program.operation = OperationId(0); // as a recurrent layer has loops
        const std::string file = folder_.filePath("compiled.pop").toStdString();
        writeProfile(profile, file);
        const CliResult result = runCommand({"report", file, "source", "--json"});
        QCOMPARE(result.status, 0);
        double most = 0;
        for (const QJsonValue& row : json(result)["rows"].toArray()) {
            double cycles = 0;
            for (const QJsonValue& place : row["places"].toArray())
                cycles += place["cycles"].toDouble();
            if (row["file"].isString())
                QCOMPARE(cycles, row["estimatedCycles"].toDouble());
            most = std::max(most, cycles);
        }
        QVERIFY2(most >= 10.0 * sample::convCycles, qPrintable(QString::number(most)));
    }

    void filesAreComparedWithThoseOfAFolder() {
        const std::string file = write("a.pop", "a\nb\nc\nd\n");
        const std::string code = folder_.filePath("code").toStdString();
        std::filesystem::create_directory(code);
        const std::vector<std::string> words{"report",          file, "source", "--json",
                                             "--source-folder", code};
        QCOMPARE(stateOf(runCommand({"report", file, "source", "--json"}), "net.py"), "recorded");
        QCOMPARE(stateOf(runCommand(words), "net.py"), "missing");
        std::ofstream(code + "/net.py") << "a\nb\nc\nd\n";
        QCOMPARE(stateOf(runCommand(words), "net.py"), "same");
        std::ofstream(code + "/net.py") << "a\nb\nc\ne\n";
        QCOMPARE(stateOf(runCommand(words), "net.py"), "changed");
        QCOMPARE(stateOf(runCommand(words), "loss.py"), "notRecorded");
    }

    void wrongFoldersAreErrors() {
        const std::string file = write("a.pop", "a\nb\nc\nd\n");
        const CliResult nowhere =
            runCommand({"report", file, "source", "--source-folder", file + "/nowhere"});
        QCOMPARE(nowhere.status, 2);
        QVERIFY2(nowhere.err.contains("--source-folder"), qPrintable(nowhere.err));
        const CliResult other = runCommand({"report", file, "memory", "--source-folder", "."});
        QCOMPARE(other.status, 2);
        QVERIFY2(other.err.contains("does not apply to section 'memory'"), qPrintable(other.err));
    }

    void twoVersionsAreListed() {
        const std::string before = write("before.pop", "aaaa\nbbbb\ncccc\ndddd\n");
        const std::string after = write("after.pop", "aaaa\nmore\nbbbb\ncccc\ndddd\n");
        const CliResult all = runCommand({"diff", before, after, "--json"});
        const QJsonArray lines = json(all)["lines"].toArray();
        QVERIFY(!lines.isEmpty());
        bool added = false;
        for (const QJsonValue& line : lines)
            added = added || (line["state"] == "added" && line["text"] == "more");
        QVERIFY(added);
        const CliResult few =
            runCommand({"diff", before, after, "--section", "lines", "--top", "2"});
        QCOMPARE(few.status, 0);
        QCOMPARE(few.out.count(".py"), 2);
        const CliResult same = runCommand({"diff", before, before, "--json"});
        QVERIFY(json(same)["lines"].isArray() && json(same)["lines"].toArray().isEmpty());
    }

    void changesOfLinesMayBeThoseOfASample() {
        const std::string before = write("before.pop", "aaaa\nbbbb\ncccc\ndddd\n");
        const std::string after = folder_.filePath("after.pop").toStdString();
        writeProfile(sampleWithLines("aaaa\nbbbb\ncccc\ndddd\n", 2, {.repeats = 40}), after);
        std::vector<std::string> words{"diff", before, after, "--json"};
        const QJsonObject ofRuns = json(runCommand(words));
        words.emplace_back("--per-sample");
        const QJsonObject ofSamples = json(runCommand(words));
        const std::map<QLatin1String, QLatin1String> sides{
            {QLatin1String("cyclesSource"), QLatin1String("source")},
            {QLatin1String("cyclesTarget"), QLatin1String("target")}};
        int found = 0;
        for (const QJsonValue& line : ofSamples["lines"].toArray())
            for (const QJsonValue& other : ofRuns["lines"].toArray()) {
                if (line["file"] != other["file"] || line["targetLine"] != other["targetLine"] ||
                    line["sourceLine"] != other["sourceLine"])
                    continue;
                ++found;
                for (const auto& [column, side] : sides) {
                    const double samples = ofRuns[side].toObject()["samplesOfRun"].toDouble();
                    QVERIFY(samples > 1);
                    QCOMPARE(line[column].toDouble(),
                             std::round(other[column].toDouble() / samples));
                }
            }
        QVERIFY(found > 1);
    }

    // Whoever does not ask for lines compares the rest of a profile whose lines are damaged.
    void onlyLinesNeedTheTablesOfTheSource() {
        const std::string good = write("good.pop", "a\nb\nc\nd\n");
        const std::string damaged = write("damaged.pop", "a\nb\nc\nd\n");
        QCOMPARE(changeProfile(damaged, "UPDATE source_frames SET file = 99"), std::string());
        QCOMPARE(runCommand({"diff", good, damaged}).status, 0);
        QCOMPARE(runCommand({"diff", good, damaged, "--fail-if", "cycles>+1"}).status, 0);
        QCOMPARE(runCommand({"diff", good, damaged, "--section", "metrics", "--json"}).status, 0);
        QCOMPARE(runCommand({"diff", good, damaged, "--section", "lines"}).status, 2);
        QCOMPARE(runCommand({"diff", good, damaged, "--json"}).status, 2);
    }
};

TILESCOPE_TEST(SourceJsonTest)

} // namespace source_json_test

#include "source_json_test.moc"
