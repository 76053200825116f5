// The table of features keeps its word: every test that it names exists, every gap has a reason.
#include <QDirIterator>
#include <QFile>
#include <QRegularExpression>
#include <QSet>
#include <QTest>

#include "tests/support/test_main.h"

namespace checklist_test {

namespace {

QString read(const QString& name) {
    QFile file(name);
    return file.open(QIODevice::ReadOnly) ? QString::fromUtf8(file.readAll()) : QString();
}

struct Row {
    QString item;
    QString feature;
    QString state;
    QStringList tests; ///< "views/shell_test.cpp::helpIsSearched"
    QString reason;
};

// A row of the table, or one without an item.
Row rowOf(const QString& line) {
    QStringList cells = line.split(QStringLiteral("|"));
    if (!line.startsWith(QLatin1Char('|')) || cells.size() != 6 || !cells[1].contains('.'))
        return {};
    for (QString& cell : cells)
        cell = cell.trimmed();
    Row row{cells[1], cells[2], cells[3], {}, cells[4]};
    if (row.state == "in" || row.state == "partly") {
        const qsizetype dash = row.reason.indexOf(QStringLiteral(" - "));
        const QString tests = dash < 0 ? row.reason : row.reason.left(dash);
        row.reason = dash < 0 ? QString() : row.reason.mid(dash + 3);
        for (const QString& test : tests.split(QLatin1Char(';')))
            row.tests << test.trimmed();
    }
    return row;
}

QList<Row> rows() {
    QList<Row> all;
    const QString text = read(QStringLiteral(TILESCOPE_SOURCE_DIR "/tests/checklist/checklist.md"));
    for (const QString& line : text.split(QLatin1Char('\n')))
        if (Row row = rowOf(line); !row.item.isEmpty())
            all << row;
    return all;
}

// Boxes of the inventory by section and place, "1.2.3", in sections 1 to 12.
QStringList boxesOf(const QString& inventory) {
    static const QRegularExpression heading(QStringLiteral(R"(^##+ (\d+(?:\.\d+)?)\.? )"));
    QStringList boxes;
    QString section;
    int place = 0;
    for (const QString& line : inventory.split(QLatin1Char('\n'))) {
        if (const auto match = heading.match(line); match.hasMatch()) {
            section = match.captured(1);
            place = 0;
        } else if (line.startsWith(QStringLiteral("- [ ]")) && section.toDouble() < 13) {
            boxes << QStringLiteral("%1.%2").arg(section).arg(++place);
        }
    }
    return boxes;
}

} // namespace

class ChecklistTest : public QObject {
    Q_OBJECT

private slots:
    void everyRowHasAStateAndItsGround() {
        QSet<QString> seen;
        for (const Row& row : rows()) {
            const QByteArray at = row.item.toUtf8();
            QVERIFY2(!seen.contains(row.item), at);
            seen << row.item;
            QVERIFY2(!row.feature.isEmpty(), at);
            QVERIFY2(QStringList({"in", "partly", "missing", "left out"}).contains(row.state), at);
            QCOMPARE(row.reason.isEmpty(), row.state == "in");
        }
        QVERIFY(seen.size() > 80);
    }

    void everyNamedTestExists() {
        static const QRegularExpression name(QStringLiteral(R"(^([a-z_/]+\.cpp)::([A-Za-z]+)$)"));
        QHash<QString, QString> sources;
        for (const Row& row : rows())
            for (const QString& test : row.tests) {
                const auto match = name.match(test);
                QVERIFY2(match.hasMatch(), qPrintable(row.item + ": '" + test + "'"));
                QString& source = sources[match.captured(1)];
                if (source.isEmpty())
                    source =
                        read(QStringLiteral(TILESCOPE_SOURCE_DIR "/tests/") + match.captured(1));
                QVERIFY2(source.contains("void " + match.captured(2) + "() {"),
                         qPrintable(row.item + ": there is no test " + test));
            }
    }

    // Nothing of the inventory is passed over in silence.
    void everyItemOfTheInventoryHasARow() {
        const QString inventory = read(QStringLiteral(TILESCOPE_SHARED_DIR "/facts/popvision.md"));
        if (inventory.isEmpty())
            QSKIP("left out: the inventory is not beside the checkout");
        QStringList listed;
        static const QRegularExpression numbered(QStringLiteral(R"(^[\d.]+$)"));
        for (const Row& row : rows())
            if (numbered.match(row.item).hasMatch())
                listed << row.item;
        // The table may have more: what came with time.
        for (const QString& box : boxesOf(inventory))
            QVERIFY2(listed.contains(box), qPrintable("no row for item " + box));
        QVERIFY(boxesOf(inventory).size() > 60);
    }
};

TILESCOPE_TEST(ChecklistTest)

} // namespace checklist_test

#include "checklist_test.moc"
