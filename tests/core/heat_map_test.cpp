#include <QRegularExpression>
#include <QTest>
#include <QXmlStreamReader>
#include <cmath>

#include "core/export/heat_map.h"
#include "tests/support/qt_text.h"
#include "tests/support/test_main.h"

namespace heat_map_test {
using namespace tilescope;
using namespace tilescope::test;

namespace {

HeatMap mapOf(std::size_t rows, std::size_t columns) {
    HeatMap map{"A <title> & \"more\"", "below\x01it", "rowKey", {}, "columnKey", {}, {}, "per s"};
    for (std::size_t i = 0; i < rows; ++i)
        map.rows.push_back("r" + std::to_string(i));
    for (std::size_t i = 0; i < columns; ++i)
        map.columns.push_back("c" + std::to_string(i));
    for (std::size_t i = 0; i < rows * columns; ++i)
        map.cells.push_back({static_cast<double>(i) * 100, "", "cell " + std::to_string(i)});
    return map;
}

struct Picture {
    QString error; ///< of the XML
    QStringList texts;
    int cells = 0;
    int best = 0;
    int paths = 0;
};

Picture read(const std::string& svg) {
    Picture picture;
    QXmlStreamReader xml(QByteArray::fromStdString(svg));
    while (!xml.atEnd()) {
        xml.readNext();
        if (!xml.isStartElement())
            continue;
        const auto kind = xml.attributes().value("class");
        picture.cells += kind == u"cell";
        picture.best += kind == u"best";
        picture.paths += xml.name() == u"path";
        if (xml.name() == u"text")
            picture.texts << xml.readElementText();
    }
    if (xml.hasError())
        picture.error = xml.errorString();
    return picture;
}

} // namespace

class HeatMapTest : public QObject {
    Q_OBJECT

private slots:
    void everyCellAndEveryNameIsThere() {
        HeatMap map = mapOf(3, 4);
        map.cells[5] = {std::nullopt, "OOM", "too large"};
        map.cells[6] = {std::nullopt, "OOM", "too large"};
        map.cells[7] = {std::nullopt, "error", "crashed"};
        const Picture picture = read(heatMapSvg(map));
        QCOMPARE(picture.error, "");
        QCOMPARE(picture.cells, 12);
        QCOMPARE(picture.best, 1);
        // A hatch for each cell without a value and one for each label in the legend.
        QCOMPARE(picture.paths, 3 + 2);
        for (const char* expected : {"A <title> & \"more\"", "below it", "rowKey", "columnKey",
                                     "per s", "r0", "r2", "c0", "c3", "1,100", "largest value"})
            QVERIFY2(picture.texts.contains(expected), expected);
        QCOMPARE(picture.texts.count("OOM"), 2 + 1);
        QCOMPARE(picture.texts.count("error"), 1 + 1);
    }

    void itNeedsNothingFromOutside() {
        const QString svg = text(heatMapSvg(mapOf(2, 2)));
        QVERIFY(!svg.contains("href"));
        QVERIFY(!svg.contains("url("));
        QVERIFY(!svg.contains("<script"));
    }

    void extremesStayWellFormed_data() {
        QTest::addColumn<int>("rows");
        QTest::addColumn<int>("columns");
        QTest::newRow("one cell") << 1 << 1;
        QTest::newRow("a row") << 1 << 300;
        QTest::newRow("a column") << 1000 << 1;
        QTest::newRow("many") << 200 << 200;
    }
    void extremesStayWellFormed() {
        QFETCH(int, rows);
        QFETCH(int, columns);
        HeatMap map = mapOf(static_cast<std::size_t>(rows), static_cast<std::size_t>(columns));
        map.cells.back() = {std::nullopt, "OOM", ""};
        const std::string svg = heatMapSvg(map);
        const Picture picture = read(svg);
        QCOMPARE(picture.error, "");
        QCOMPARE(picture.cells, rows * columns);
        QVERIFY(!QRegularExpression("=\"-?(nan|inf)").match(text(svg)).hasMatch());
    }

    void equalValuesHaveNoLargest() {
        HeatMap map = mapOf(2, 2);
        for (HeatMapCell& cell : map.cells)
            cell.value = 5;
        const Picture picture = read(heatMapSvg(map));
        QCOMPARE(picture.error, "");
        QCOMPARE(picture.best, 0);
    }

    void withoutAnyValueThereIsNoScale() {
        HeatMap map = mapOf(2, 2);
        for (HeatMapCell& cell : map.cells)
            cell = {std::nullopt, "OOM", ""};
        const Picture picture = read(heatMapSvg(map));
        QCOMPARE(picture.error, "");
        QVERIFY(!picture.texts.contains("per s"));
    }

    void cellsMustFillTheGrid() {
        HeatMap map = mapOf(2, 2);
        map.cells.pop_back();
        QVERIFY_EXCEPTION_THROWN(heatMapSvg(map), InternalError);
    }
};

TILESCOPE_TEST(HeatMapTest)

} // namespace heat_map_test

#include "heat_map_test.moc"
