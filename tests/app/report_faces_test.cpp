// A report is the same in text, CSV, JSON, SQL and Python, cell by cell: every report, for every
// kind of execution.
#include <QDir>
#include <QFileInfo>
#include <QJsonArray>
#include <QProcess>
#include <QSet>
#include <QTemporaryDir>
#include <QTest>
#include <algorithm>
#include <cmath>
#include <set>

#include "core/profile/run_samples.h"
#include "core/report/report.h"
#include "core/store/profile_writer.h"
#include "tests/app/cli_result.h"
#include "tests/support/sample_profile.h"
#include "tests/support/test_main.h"

namespace report_faces_test {
using namespace tilescope;
using namespace tilescope::test;

namespace {

constexpr double sameNumber = 1e-12; // relative: numbers are written with all of their digits

bool isSame(double a, double b) {
    return a == b || (std::isnan(a) && std::isnan(b)) ||
           std::abs(a - b) <= sameNumber * std::max(std::abs(a), std::abs(b));
}

/// A value of JSON, or of SQL or Python printed as JSON.
bool isSame(const QJsonValue& said, const Cell& cell) {
    if (std::holds_alternative<std::monostate>(cell))
        return said.isNull();
    if (const bool* value = std::get_if<bool>(&cell)) // SQL has no truth values
        return said.isBool() ? said.toBool() == *value : said.toInteger(-1) == (*value ? 1 : 0);
    if (const auto* value = std::get_if<std::int64_t>(&cell))
        return said.isDouble() && said.toInteger() == *value;
    if (const auto* value = std::get_if<double>(&cell))
        return std::isfinite(*value) ? said.isDouble() && isSame(said.toDouble(), *value)
                                     : said.isNull();
    if (const auto* value = std::get_if<std::string>(&cell))
        return said.isString() && said.toString() == text(*value);
    if (const auto* value = std::get_if<Duration>(&cell))
        return said.isDouble() && said.toInteger() == value->cycles;
    return said.isDouble() && isSame(said.toDouble(), std::get<Change>(cell).difference());
}

/// A field of CSV, in which a missing value is empty and text may be guarded against spreadsheets.
bool isSameText(const QString& said, const Cell& cell) {
    if (std::holds_alternative<std::monostate>(cell))
        return said.isEmpty();
    if (const auto* value = std::get_if<std::string>(&cell))
        return said == text(*value) || said == "'" + text(*value);
    if (const bool* value = std::get_if<bool>(&cell))
        return said == (*value ? "true" : "false") || said == (*value ? "1" : "0");
    bool ok = false;
    const double number = said.toDouble(&ok);
    if (const auto* value = std::get_if<double>(&cell); value && !std::isfinite(*value))
        return said.isEmpty() || (ok && isSame(number, *value));
    return ok &&
           isSame(QJsonValue(number), std::holds_alternative<std::int64_t>(cell)
                                          ? Cell(static_cast<double>(std::get<std::int64_t>(cell)))
                                          : cell);
}

/// Lines of CSV by RFC 4180.
QList<QStringList> parsedCsv(const QString& csv) {
    QList<QStringList> lines;
    QStringList line{{}};
    bool quoted = false;
    for (qsizetype i = 0; i < csv.size(); ++i) {
        const QChar c = csv[i];
        if (c == '"' && quoted && i + 1 < csv.size() && csv[i + 1] == '"')
            line.back() += csv[i++];
        else if (c == '"')
            quoted = !quoted;
        else if (c == ',' && !quoted)
            line << QString();
        else if (c == '\n' && !quoted) {
            lines << line;
            line = {{}};
        } else
            line.back() += c;
    }
    return lines;
}

QString said(const QJsonValue& value) {
    return value.isString()   ? value.toString()
           : value.isDouble() ? QString::number(value.toDouble(), 'g', 17)
           : value.isNull()   ? "null"
                              : QString(value.toBool() ? "true" : "false");
}

QString expected(const Cell& cell) {
    return text(textOf(cell, Unit::None));
}

QStringList keysOf(const Table& table) {
    QStringList keys;
    for (const Column& column : table.columns)
        keys << text(column.key);
    return keys;
}

/// What differs between rows of objects and a table as data; empty if nothing.
QString differences(const QJsonArray& rows, const Table& table) {
    if (static_cast<std::size_t>(rows.size()) != table.rows.size())
        return QString("%1 rows of %2").arg(rows.size()).arg(table.rows.size());
    for (qsizetype i = 0; i < rows.size(); ++i) {
        const QJsonObject row = rows[i].toObject();
        if (static_cast<std::size_t>(row.size()) != table.columns.size())
            return "columns " + row.keys().join(' ');
        for (std::size_t c = 0; c < table.columns.size(); ++c) {
            const QString key = text(table.columns[c].key);
            const Cell& cell = table.rows[static_cast<std::size_t>(i)].cells[c];
            if (!row.contains(key) || !isSame(row[key], cell))
                return QString("row %1, %2: %3 instead of %4")
                    .arg(i)
                    .arg(key, said(row[key]), expected(cell));
        }
    }
    return {};
}

} // namespace

class ReportFacesTest : public QObject {
    Q_OBJECT

    QTemporaryDir directory_;
    QMap<QString, QString> kinds_; ///< a profile of each
    QJsonObject python_;           ///< by file and report; empty without the package

    void run(const QString& kind, std::vector<std::string> arguments) {
        arguments.insert(arguments.begin(), "run");
        arguments.insert(arguments.end(), {"-o", kind.toStdString()});
        const CliResult result = runCommand(arguments);
        QVERIFY2(result.status == 0, qPrintable(kind + ": " + result.err));
        kinds_[kind] = kind + "/profile.pop";
    }
    void sample(const QString& kind, const SampleOptions& options) {
        writeProfile(sampleProfile(options), (kind + ".pop").toStdString());
        kinds_[kind] = kind + ".pop";
    }

    /// All reports of all profiles, from one interpreter.
    void readByPython() {
        static const char* const script = R"(
import json, sys, tilescope
def report(r):
    return {"fields": r.fields, "units": r.units, "tables": [
        {"key": t.key, "units": t.units, "titles": t.titles,
         "rows": [dict(zip(t.columns, row)) for row in t.rows]} for t in r.tables.values()]}
print(json.dumps({file: {"info": tilescope.open(file).info,
                         "reports": {name: report(tilescope.open(file).report(name))
                                     for name in tilescope.open(file).reports()}}
                  for file in sys.argv[1:]}))
)";
        const QString packages = test::programFolder() + "/../python";
        if (QDir(packages + "/tilescope").entryList({"_core*.so"}).isEmpty())
            return qInfo("left out: Python, whose package is not built");
        QProcess process;
        QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
        environment.insert("PYTHONPATH", packages);
        process.setProcessEnvironment(environment);
        process.start(TILESCOPE_PYTHON, QStringList{"-B", "-c", script} + kinds_.values());
        QVERIFY(process.waitForFinished(120'000));
        QVERIFY2(process.exitCode() == 0, process.readAllStandardError().constData());
        python_ = QJsonDocument::fromJson(process.readAllStandardOutput()).object();
        QCOMPARE(python_.size(), kinds_.size());
    }

    void verifyJson(const Report& report, const std::string& file, const Document& document) {
        const QJsonObject all = json(runCommand({"report", file, report.id, "--json"}));
        QVERIFY(!all.isEmpty());
        for (const Field& field : document.fields)
            if (isShown(field.shown, Shown::Data))
                QVERIFY2(isSame(all[text(field.key)], field.value),
                         qPrintable(text(field.key) + ": " + said(all[text(field.key)])));
        for (const NumberList& list : document.lists) {
            const QJsonArray numbers = all[text(list.group)].toObject()[text(list.key)].toArray();
            QCOMPARE(static_cast<std::size_t>(numbers.size()), list.values.size());
            for (std::size_t i = 0; i < list.values.size(); ++i)
                QCOMPARE(numbers[static_cast<qsizetype>(i)].toInteger(), list.values[i]);
        }
        QSet<QString> keys;
        for (const Table& table : document.tables) {
            const QString key = text(table.key);
            QVERIFY2(!keys.contains(key), qPrintable("two tables are " + key));
            keys << key;
            if (report.id == "insights") {
                if (key == "losses")
                    verifyLosses(all[key].toArray(), table);
                continue;
            }
            const QString wrong = differences(all[key].toArray(), shownIn(Shown::Data, table));
            QVERIFY2(wrong.isEmpty() && all[key].isArray(), qPrintable(key + ": " + wrong));
        }
    }

    /// JSON has more of them, kinds by their keys and remedies as objects: figures are the same.
    static void verifyLosses(const QJsonArray& losses, const Table& table) {
        QCOMPARE(static_cast<std::size_t>(losses.size()), table.rows.size());
        for (qsizetype i = 0; i < losses.size(); ++i)
            for (const char* key : {"share", "cycles", "place", "gain"}) {
                const Cell& cell =
                    table.rows[static_cast<std::size_t>(i)].cells[table.columnOf(key)];
                const bool none = std::holds_alternative<std::monostate>(cell);
                QVERIFY2(none || isSame(losses[i].toObject()[QLatin1String(key)], cell), key);
            }
    }

    void verifyCsv(const Report& report, const std::string& file, const Document& document) {
        const CliResult result = runCommand({"report", file, report.id, "--csv"});
        const QList<QStringList> lines = parsedCsv(result.out);
        if (document.tables.empty()) {
            QVERIFY(lines.isEmpty());
            return;
        }
        const Table table = shownIn(Shown::Data, document.tables.front());
        QCOMPARE(static_cast<std::size_t>(lines.size()), table.rows.size() + 1);
        QCOMPARE(lines.front(), keysOf(table));
        for (std::size_t i = 0; i < table.rows.size(); ++i)
            for (std::size_t c = 0; c < table.columns.size(); ++c) {
                const QString& cell =
                    lines[static_cast<qsizetype>(i + 1)][static_cast<qsizetype>(c)];
                QVERIFY2(isSameText(cell, table.rows[i].cells[c]),
                         qPrintable(text(table.columns[c].key) + ": " + cell + " instead of " +
                                    expected(table.rows[i].cells[c])));
            }
    }

    void verifySql(const Report& report, const std::string& file, const Document& document) {
        if (document.tables.empty())
            return;
        const CliResult result =
            runCommand({"query", file, "SELECT * FROM report_" + report.id, "--json"});
        QCOMPARE(result.err, "");
        const QString wrong = differences(QJsonDocument::fromJson(result.out.toUtf8()).array(),
                                          shownIn(Shown::Data, document.tables.front()));
        QVERIFY2(wrong.isEmpty(), qPrintable(wrong));
    }

    /// Each line has the cells of a row in their order, with their units.
    void verifyText(const Report& report, const std::string& file, const Document& document) {
        const QStringList lines = runCommand({"report", file, report.id}).out.split('\n');
        qsizetype line = 0;
        const auto find = [&](const QStringList& parts) {
            for (; line < lines.size(); ++line) {
                qsizetype at = 0;
                for (const QString& part : parts) {
                    at = lines[line].indexOf(part.trimmed(), at);
                    if (at < 0)
                        break;
                    at += part.trimmed().size();
                }
                if (at >= 0)
                    return ++line > 0;
            }
            return false;
        };
        for (const Field& field : document.fields)
            if (isShown(field.shown, Shown::Text))
                QVERIFY2(find({text(field.label), text(textOf(field.value, field.unit))}),
                         field.label.c_str());
        if (report.id == "programs")
            return; // a tree, see below
        for (const Table& whole : document.tables) {
            const Table table = shownIn(Shown::Text, whole);
            if (!table.title.empty())
                QVERIFY2(find({text(table.title).section('\n', 0, 0)}), table.title.c_str());
            if (table.rows.empty()) {
                QVERIFY(find({text(table.emptyText)}));
                continue;
            }
            QStringList titles;
            for (const Column& column : table.columns)
                titles << text(column.title);
            QVERIFY2(find(titles), qPrintable(titles.join('|')));
            for (const Row& row : table.rows) {
                QStringList cells;
                for (std::size_t c = 0; c < row.cells.size(); ++c)
                    cells << text(textOf(row.cells[c], unitOf(row, table.columns[c]), {},
                                         table.columns[c].difference));
                QVERIFY2(find(cells), qPrintable(cells.join('|')));
            }
        }
    }

    void verifyPython(const Report& report, const std::string& file, const Document& document) {
        if (python_.isEmpty())
            return;
        const QJsonObject all =
            python_[text(file)].toObject()["reports"].toObject()[text(report.id)].toObject();
        const QJsonObject fields = all["fields"].toObject();
        for (const Field& field : document.fields)
            if (isShown(field.shown, Shown::Data)) {
                const QString key = text(field.key);
                QVERIFY2(isSame(fields[key], field.value),
                         qPrintable(key + ": " + said(fields[key])));
                QCOMPARE(all["units"].toObject()[key].toString(),
                         text(std::string(toString(field.unit))));
            }
        const QJsonArray tables = all["tables"].toArray();
        QCOMPARE(static_cast<std::size_t>(tables.size()), document.tables.size());
        for (std::size_t i = 0; i < document.tables.size(); ++i) {
            const Table table = shownIn(Shown::Data, document.tables[i]);
            const QJsonObject other = tables[static_cast<qsizetype>(i)].toObject();
            QCOMPARE(other["key"].toString(), text(table.key));
            for (const Column& column : table.columns) {
                QCOMPARE(other["units"].toObject()[text(column.key)].toString(),
                         text(std::string(toString(column.unit))));
                QCOMPARE(other["titles"].toObject()[text(column.key)].toString(),
                         text(column.title));
            }
            const QString wrong = differences(other["rows"].toArray(), table);
            QVERIFY2(wrong.isEmpty(), qPrintable(text(table.key) + ": " + wrong));
        }
    }

private slots:
    void initTestCase() {
        QVERIFY(QDir::setCurrent(directory_.path()));
        const std::string jobs = TILESCOPE_SOURCE_DIR "/resources/jobs/";
        run("single", {"mlp", "--tiles-per-ipu", "64"});
        run("computed", {"mlp", "--tiles-per-ipu", "64", "--compute"});
        run("replicated",
            {"mlp", "--tiles-per-ipu", "64", "--mode", "training", "--replicas", "2",
             "--batch-size", "4", "--gradient-accumulation", "3", "--device-iterations", "5"});
        for (const char* kind : {"pipelined", "phased", "sharded"})
            run(kind, {jobs + "tutorial_" + kind + ".json"});
        sample("recorded", {.ipus = 2, .withRecord = true, .withValues = true});
        sample("tooLarge", {.tooLarge = true});
        readByPython();
    }

    void reportsAreTheSame_data() {
        QTest::addColumn<QString>("file");
        QTest::addColumn<std::size_t>("number");
        for (auto kind = kinds_.cbegin(); kind != kinds_.cend(); ++kind)
            for (std::size_t i = 0; i < allReports().size(); ++i)
                QTest::addRow("%s: %s", qPrintable(kind.key()), allReports()[i].id.c_str())
                    << kind.value() << i;
    }
    void reportsAreTheSame() {
        QFETCH(QString, file);
        QFETCH(std::size_t, number);
        const Report& report = allReports()[number];
        const std::string path = file.toStdString();
        const ProfileView view{std::filesystem::path(path)};
        const Document document = makeReport(report, view, {});
        verifyJson(report, path, document);
        verifyCsv(report, path, document);
        verifySql(report, path, document);
        verifyText(report, path, document);
        verifyPython(report, path, document);
    }

    // The tree of programs has the lines of the table, each heading with lines below it.
    void theTreeOfProgramsIsItsTable() {
        for (const QString& file : kinds_) {
            const ProfileView view{std::filesystem::path(file.toStdString())};
            const Document document = programsReport(view, {});
            const Table& table = document.tables.front();
            std::size_t lines = 0;
            for (const QString& line :
                 runCommand({"report", file.toStdString(), "programs"}).out.split('\n'))
                lines += line.startsWith("  ") ? 1 : 0;
            QCOMPARE(lines, table.rows.size());
        }
    }

    void aFilterThatFindsLittleLeavesNoEmptyHeadings() {
        const auto programs = [&](const char* filter) {
            return runCommand({"report", "sharded/profile.pop", "programs", "--filter", filter})
                .out;
        };
        const QStringList lines = programs("DoExchange").split('\n', Qt::SkipEmptyParts);
        QVERIFY(lines.size() > 2);
        for (qsizetype i = 0; i < lines.size(); ++i)
            if (!lines[i].startsWith(' '))
                QVERIFY2(i + 1 < lines.size() && lines[i + 1].startsWith(' '),
                         qPrintable(lines[i]));
        QCOMPARE(programs("no program is called so"), "none\n");
    }

    // Samples of a run and its time agree with the samples per second shown.
    void samplesAndTimeGiveTheThroughput() {
        std::set<std::int64_t> factors;
        for (auto kind = kinds_.cbegin(); kind != kinds_.cend(); ++kind) {
            if (kind.key() == "tooLarge" || kind.key() == "recorded")
                continue;
            const std::string file = kind.value().toStdString();
            const QJsonObject info = json(runCommand({"info", file, "--json"}));
            const double samples =
                info["batchSize"].toDouble() * info["gradientAccumulation"].toDouble() *
                info["deviceIterations"].toDouble() * info["replicas"].toDouble();
            factors.insert(info["gradientAccumulation"].toInteger());
            factors.insert(info["replicas"].toInteger());
            QCOMPARE(info["samplesOfRun"].toDouble(), samples);
            const double call = info["seconds"].toDouble() + info["hostCallSeconds"].toDouble();
            QVERIFY(isSame(info["callSeconds"].toDouble(), call));
            QVERIFY2(std::abs(samples / call / info["throughput"].toDouble() - 1) < 1e-9,
                     qPrintable(kind.key()));
            const ProfileView view{std::filesystem::path(file)};
            QCOMPARE(static_cast<double>(runSamplesOf(view.info()).samples()), samples);
            const QString people = runCommand({"info", file}).out;
            QVERIFY(people.contains("Samples of a run") && people.contains("Host's call"));
            if (!python_.isEmpty()) {
                const QJsonObject other = python_[kind.value()].toObject()["info"].toObject();
                for (const char* key : {"batchSize", "gradientAccumulation", "deviceIterations",
                                        "replicas", "samplesOfRun", "callSeconds", "throughput"})
                    QCOMPARE(other[key], info[key]);
            }
        }
        QVERIFY(factors.size() > 2);
    }

    // An option that halves copies between IPUs is offered against them, with value and gain; an
    // option without a value is never suggested if another one has a value.
    void aLossOffersWhatHelps() {
        const QJsonArray losses =
            json(runCommand({"report", "pipelined/profile.pop", "insights", "--json"}))["losses"]
                .toArray();
        const auto found = std::find_if(losses.begin(), losses.end(), [](const QJsonValue& loss) {
            return loss["kind"].toString() == "globalExchange";
        });
        QVERIFY(found != losses.end());
        const QJsonObject loss = found->toObject();
        QCOMPARE(loss["remedy"].toObject()["option"].toString(), "precision");
        QCOMPARE(loss["remedy"].toObject()["value"].toString(), "half");
        QCOMPARE(loss["gain"].toInteger(), loss["cycles"].toInteger() / 2);
        for (const QJsonValue& each : losses)
            if (const QJsonObject remedy = each.toObject()["remedy"].toObject(); !remedy.isEmpty())
                QVERIFY2(!remedy["value"].toString().isEmpty(),
                         qPrintable(remedy["option"].toString()));
    }

    // The sum without host and sync is labelled as such; the figure taken for the run is the run.
    void cyclesOfOperationsAreNamedForWhatTheyAre() {
        const QJsonObject all =
            json(runCommand({"report", "phased/profile.pop", "operations", "--json"}));
        QVERIFY(!all.contains("totalCycles") && all.contains("estimatedCyclesOnce"));
        QVERIFY(all["runCycles"].toInteger() > all["estimatedCyclesOnce"].toInteger());
        const QJsonObject row = all["operations"].toArray().first().toObject();
        QVERIFY(!row.contains("cycles") && row.contains("estimatedCycles") &&
                row.contains("measuredCycles"));
    }
};

TILESCOPE_TEST(ReportFacesTest)

} // namespace report_faces_test

#include "report_faces_test.moc"
