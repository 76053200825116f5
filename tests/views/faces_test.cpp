// Window and command line say the same of the same profile, cell by cell.
#include <QComboBox>
#include <QProcess>
#include <QTabWidget>
#include <QTableView>
#include <QtTest>

#include "app/gui/window/main_window.h"
#include "tests/support/test_main.h"
#include "tests/support/window_steps.h"
#include "views/tables/item_export.h"
#include "views/tables/table_panel.h"
#include "views/theme/style.h"

namespace faces_test {
using namespace tilescope;
using namespace tilescope::gui;

namespace {

using Record = QMap<QString, QString>;

/// A line of CSV; no cell of these profiles has a line break.
QStringList cellsOf(const QString& line) {
    QStringList cells{{}};
    bool quoted = false;
    for (const QChar c : line)
        if (c == '"')
            quoted = !quoted;
        else if (c == ',' && !quoted)
            cells << QString();
        else
            cells.back() += c;
    return cells;
}

/// Rows with a cell for each key, without totals, which only the window shows.
QList<Record> recordsOf(const QString& csv) {
    QStringList lines = csv.split('\n', Qt::SkipEmptyParts);
    const QStringList keys = cellsOf(lines.takeFirst().trimmed());
    QList<Record> records;
    for (const QString& line : lines) {
        const QStringList cells = cellsOf(line.trimmed());
        Record record;
        for (qsizetype i = 0; i < keys.size(); ++i)
            record[keys[i]] = cells.value(i);
        if (cells.value(0) != "Total")
            records << record;
    }
    return records;
}

/// What differs in the cells that both have; rows in any order.
QString differences(QList<Record> window, QList<Record> line) {
    if (window.size() != line.size() || window.isEmpty())
        return QString("%1 rows and %2").arg(window.size()).arg(line.size());
    QStringList common;
    for (const QString& key : window.front().keys())
        if (line.front().contains(key))
            common << key;
    if (common.size() < 3)
        return "only in common: " + common.join(' ');
    const auto textOf = [&](const Record& record) {
        QStringList cells;
        for (const QString& key : common)
            cells << key + "=" + record[key];
        return cells.join(' ');
    };
    const auto sorted = [&](const QList<Record>& records) {
        QStringList texts;
        for (const Record& record : records)
            texts << textOf(record);
        texts.sort();
        return texts;
    };
    const QStringList a = sorted(window);
    const QStringList b = sorted(line);
    for (qsizetype i = 0; i < a.size(); ++i)
        if (a[i] != b[i])
            return QString("window: %1\ncommand line: %2").arg(a[i], b[i]);
    return {};
}

} // namespace

class FacesTest : public QObject {
    Q_OBJECT
    QTemporaryDir folder_;
    std::unique_ptr<MainWindow> window_;

    static QString tilescope(const QStringList& arguments) {
        QProcess process;
        process.start(TILESCOPE_BIN_DIR "/tilescope", arguments);
        if (!process.waitForFinished(120'000) || process.exitCode() > 1)
            qFatal("%s", process.readAllStandardError().constData());
        return QString::fromUtf8(process.readAllStandardOutput());
    }
    [[nodiscard]] QString profile(const QString& job) const { return folder_.filePath(job); }

    /// The table that is in front.
    [[nodiscard]] QList<Record> shown() const {
        for (const auto* table : window_->findChildren<QTableView*>())
            if (table->isVisible() && qobject_cast<const views::TableModel*>(table->model()))
                return recordsOf(views::csvText(*table));
        return {};
    }
    void bringToFront(const QString& tab) {
        for (auto* tabs : window_->findChildren<QTabWidget*>())
            for (int i = 0; tabs->isVisible() && i < tabs->count(); ++i)
                if (tabs->tabText(i) == tab)
                    tabs->setCurrentIndex(i);
    }
    void choose(const QString& text) {
        for (auto* box : window_->findChildren<QComboBox*>())
            if (const int at = box->findText(text); box->isVisible() && at >= 0) {
                box->setCurrentIndex(at);
                emit box->activated(at);
            }
    }

private slots:
    void initTestCase() {
        QStandardPaths::setTestModeEnabled(true);
        QApplication::setStyle(new views::WindowStyle);
        for (const char* job : {"resnet50", "tutorial_pipelined"})
            tilescope({"run", QString(TILESCOPE_SOURCE_DIR "/resources/jobs/%1.json").arg(job),
                       "-o", profile(job)});
    }
    void cleanup() { window_.reset(); }

    void tablesAgree_data() {
        QTest::addColumn<QString>("job");
        QTest::addColumn<Report>("report");
        QTest::addColumn<QString>("choice");
        QTest::addColumn<QString>("tab");
        QTest::addColumn<QStringList>("arguments");
        const auto add = [](const char* job, Report report, const char* choice, const char* tab,
                            const QStringList& arguments) {
            QTest::addRow("%s: %s", job, qPrintable(arguments.join(' ')))
                << QString(job) << report << QString(choice) << QString(tab) << arguments;
        };
        for (const char* job : {"resnet50", "tutorial_pipelined"}) {
            add(job, Report::Operations, "Operations of the model", "",
                {"operations", "--by", "place"});
            add(job, Report::Operations, "Shared programs", "", {"operations", "--by", "shared"});
            add(job, Report::Operations, "Operation types", "", {"operations", "--by", "type"});
            add(job, Report::Memory, "", "Variables", {"variables", "--tile", "5"});
            add(job, Report::Memory, "", "Vertices", {"vertices", "--tile", "5"});
            add(job, Report::Memory, "", "Exchanges", {"exchanges", "--tile", "5"});
        }
    }

    void tablesAgree() {
        QFETCH(QString, job);
        QFETCH(Report, report);
        QFETCH(QString, choice);
        QFETCH(QString, tab);
        QFETCH(QStringList, arguments);
        window_ = std::make_unique<MainWindow>(Memory::None);
        window_->resize(1400, 900);
        window_->show();
        test::openProfiles(*window_, {profile(job) + "/profile.pop"});
        window_->showReport(report);
        window_->context().selection.update([](auto& selected) { selected.tiles = {TileId(5)}; });
        if (!choice.isEmpty())
            choose(choice);
        bringToFront(tab);
        test::waitUntilIdle(*window_);
        arguments.insert(1, "--csv");
        const QString wrong = differences(
            shown(), recordsOf(tilescope(QStringList{"report", profile(job)} + arguments)));
        QVERIFY2(wrong.isEmpty(), qPrintable(wrong));
    }
};

TILESCOPE_TEST(FacesTest, QApplication)

} // namespace faces_test

#include "faces_test.moc"
