#include "app/cli/document.h"

#include <QTest>
#include <boost/json.hpp>
#include <limits>
#include <sstream>

#include "tests/support/qt_text.h"
#include "tests/support/test_main.h"

namespace document_test {
using namespace tilescope;
using namespace tilescope::cli;
using tilescope::test::text;

namespace {

Table sampleTable() {
    return {"rows",
            "Things",
            {in(Shown::Data, {"path", ""}),
             in(Shown::Text, {"name", "Name"}),
             {"bytes", "Bytes", Unit::Bytes},
             {"share", "Share", Unit::Share}},
            {{{std::string("a/b"), std::string("  b"), std::int64_t{2048}, 0.5}},
             {{std::string("ü,\"x\""), std::string("ü\x1b[31m"), std::monostate(), 1.0}}}};
}

template <class Write> QString written(Write&& write) {
    std::ostringstream out;
    write(out);
    return text(out.str());
}

} // namespace

class DocumentTest : public QObject {
    Q_OBJECT

private slots:
    void whatCommandsATerminalIsBlank() {
        QCOMPARE(text(printable("a\x1b[31mb\r\n\x7f")), "a [31mb   ");
        QCOMPARE(text(printable("a\nb\x07", Lines::Keep)), "a\nb ");
        // C1, a bidi override and isolate, a line separator.
        QCOMPARE(text(printable("a\xc2\x9b"
                                "31mb")),
                 "a 31mb");
        QCOMPARE(text(printable("a\xe2\x80\xae"
                                "b\xe2\x81\xa6"
                                "c\xe2\x80\xa8"
                                "d")),
                 "a b c d");
        QCOMPARE(text(printable("\xc3\xbc \xe2\x82\xac \xc2\xa0 \xe2\x80\x93")),
                 "\xc3\xbc \xe2\x82\xac \xc2\xa0 \xe2\x80\x93");
        QCOMPARE(text(printable("cut \xe2\x80")), text(std::string("cut \xe2\x80")));
    }

    void textIsAlignedAndHarmless() {
        QCOMPARE(written([](auto& out) { writeText(out, sampleTable()); }),
                 QString::fromUtf8("Things\n"
                                   "Name       Bytes    Share\n"
                                   "  b     2.00 KiB   50.0 %\n"
                                   "ü [31m         -  100.0 %\n"));
    }

    void csvRunsNothingInASpreadsheet() {
        Table table;
        table.columns = {{"name", "Name"}, {"value", "Value"}};
        for (const char* name : {"=cmd|' /C calc'!A0", "+1", "-1", "@SUM(A1)", "a=1"})
            table.add({std::string(name), std::int64_t{-5}});
        QCOMPARE(written([&](auto& out) { writeCsv(out, table); }),
                 "name,value\n'=cmd|' /C calc'!A0,-5\n'+1,-5\n'-1,-5\n'@SUM(A1),-5\na=1,-5\n");
    }

    void aHugeCellDoesNotWidenAll() {
        Table table;
        table.columns = {{"name", "Name"}, {"value", "Value"}};
        table.add({std::string(100'000, 'x'), std::int64_t{1}});
        for (int i = 0; i < 100; ++i)
            table.add({std::string("y"), std::int64_t{1}});
        QVERIFY(written([&](auto& out) { writeText(out, table); }).size() < 110'000);
    }

    void csvIsQuoted() {
        QCOMPARE(written([](auto& out) { writeCsv(out, sampleTable()); }),
                 QString::fromUtf8("path,bytes,share\na/b,2048,0.5\n\"ü,\"\"x\"\"\",,1\n"));
    }

    void jsonHasPlainNumbers() {
        QCOMPARE(written([](auto& out) {
                     write(out, {{{"fits", "Fits", true}}, {sampleTable()}}, Format::Json);
                 }),
                 QString::fromUtf8("{\n"
                                   "  \"fits\": true,\n"
                                   "  \"rows\": [\n"
                                   "    {\n"
                                   "      \"path\": \"a/b\",\n"
                                   "      \"bytes\": 2048,\n"
                                   "      \"share\": 0.5\n"
                                   "    },\n"
                                   "    {\n"
                                   "      \"path\": \"ü,\\\"x\\\"\",\n"
                                   "      \"bytes\": null,\n"
                                   "      \"share\": 1\n"
                                   "    }\n"
                                   "  ]\n"
                                   "}\n"));
    }

    void numbersThatJsonLacksAreNull() {
        QCOMPARE(written([](auto& out) {
                     writeJson(out, boost::json::value(std::numeric_limits<double>::infinity()));
                 }),
                 "null\n");
    }

    void emptyTablesSaySo() {
        Table table = sampleTable();
        table.rows.clear();
        QCOMPARE(written([&](auto& out) { writeText(out, table); }), "Things\nnone\n");
        QCOMPARE(written([&](auto& out) { writeCsv(out, table); }), "path,bytes,share\n");
        QCOMPARE(written([&](auto& out) { writeJson(out, toJson(table)); }), "[]\n");
    }
};

TILESCOPE_TEST(DocumentTest)

} // namespace document_test

#include "document_test.moc"
