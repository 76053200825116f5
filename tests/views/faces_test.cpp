// Window and command line agree about a profile, cell by cell.
#include <QComboBox>
#include <QProcess>
#include <QTabWidget>
#include <QTableView>
#include <QtTest>

#include <QAbstractItemModelTester>

#include "tests/support/report_tables.h"
#include "tests/support/test_main.h"
#include "tests/views/shown_window.h"
#include "views/operations/operations_view.h"
#include "views/tables/item_export.h"
#include "views/tables/table_panel.h"

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

/// The differences between the cells that both have; rows in any order.
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
        process.start(test::programPath("tilescope"), arguments);
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

    void verifyShown(const Table& table) const {
        views::TableModel model(window_->context());
        const QAbstractItemModelTester tester(&model);
        model.setTable(table);
        QTRY_COMPARE(static_cast<std::size_t>(model.shownRows()), table.rows.size());
        const Table shown = shownIn(Shown::Window, table);
        QCOMPARE(static_cast<std::size_t>(model.columnCount()), shown.columns.size());
        const int totals = model.rowCount() - model.shownRows();
        const views::Preferences& preferences = window_->context().preferences;
        for (int c = 0; c < model.columnCount(); ++c) {
            const Column& column = shown.columns[static_cast<std::size_t>(c)];
            QVERIFY(model.headerData(c, Qt::Horizontal, Qt::DisplayRole)
                        .toString()
                        .startsWith(views::translated(column.title)));
            for (int r = 0; r < model.shownRows(); ++r) {
                const Row& row = shown.rows[static_cast<std::size_t>(r)];
                const Cell& cell = row.cells[static_cast<std::size_t>(c)];
                const QModelIndex at = model.index(r + totals, c);
                if (const Unit unit = unitOf(row, column); unit != Unit::Cycles)
                    QCOMPARE(at.data(Qt::DisplayRole).toString(),
                             views::cellText(cell, unit, preferences, 0, column.difference));
            }
        }
    }

private slots:
    void initTestCase() {
        test::prepareWindows();
        for (const char* job : {"resnet50", "tutorial_pipelined", "tutorial_phased",
                                "tutorial_sharded", "tutorial_grouped"})
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
        for (const char* job :
             {"resnet50", "tutorial_pipelined", "tutorial_phased", "tutorial_sharded"}) {
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
        window_ = test::shownWindow({1400, 900});
        test::openProfiles(*window_, {profile(job) + "/profile.pop"});
        window_->showReport(report);
        window_->context().selection.update([](auto& selected) { selected.tiles = {TileId(5)}; });
        if (report == Report::Operations)
            static_cast<views::OperationsView&>(window_->view(report))
                .showRows(views::ShownRows::All);
        if (!choice.isEmpty())
            choose(choice);
        bringToFront(tab);
        test::waitUntilIdle(*window_);
        arguments.insert(1, "--csv");
        const QString wrong = differences(
            shown(), recordsOf(tilescope(QStringList{"report", profile(job)} + arguments)));
        QVERIFY2(wrong.isEmpty(), qPrintable(wrong));
    }

    // Every table of every report: names, units and values as in the command line's CSV.
    void tablesOfReportsAreShownAsTheyAre_data() {
        QTest::addColumn<QString>("job");
        for (const char* job : {"resnet50", "tutorial_pipelined", "tutorial_phased",
                                "tutorial_sharded", "tutorial_grouped"})
            QTest::newRow(job) << QString(job);
    }
    void tablesOfReportsAreShownAsTheyAre() {
        QFETCH(QString, job);
        window_ = std::make_unique<MainWindow>(Memory::None);
        test::openProfiles(*window_, {profile(job) + "/profile.pop"});
        const ProfileView& view = *window_->context().reports.source();
        for (const Table& table : test::tablesOfAllReports(view))
            verifyShown(table);
    }

    // The header's factors multiply to the samples, and with its times to the samples a second.
    void theHeaderMultiplies_data() { tablesOfReportsAreShownAsTheyAre_data(); }
    void theHeaderMultiplies() {
        QFETCH(QString, job);
        window_ = std::make_unique<MainWindow>(Memory::None);
        test::openProfiles(*window_, {profile(job) + "/profile.pop"});
        test::waitUntilIdle(*window_);
        const ProfileInfo& info = window_->context().reports.source()->info();
        const QString header = window_->findChild<QWidget*>("headerStrip")->accessibleDescription();
        const auto numberAt = [&](const char* pattern) {
            const auto found = QRegularExpression(pattern).match(header);
            return found.hasMatch() ? found.captured(1).remove(',').toDouble() : 1;
        };
        const double product =
            numberAt("batch ([0-9,]+)") * numberAt("\u00d7 ([0-9,]+) accumulated") *
            numberAt("\u00d7 ([0-9,]+) iterations") * numberAt("\u00d7 ([0-9,]+) replicas");
        if (header.contains(" = "))
            QCOMPARE(numberAt("= ([0-9,]+) samples"), product);
        QVERIFY2(std::abs(product / info.callSeconds() / info.throughput - 1) < 1e-9,
                 qPrintable(header));
        if (info.hostCallSeconds > 0)
            QVERIFY2(header.contains(" with the host's call"), qPrintable(header));
    }
};

TILESCOPE_TEST(FacesTest, QApplication)

} // namespace faces_test

#include "faces_test.moc"
