// What a profile lacks: kept in its file, and no figure in any report.
#include <QTemporaryDir>
#include <QTest>

#include "core/analysis/insights/insights.h"
#include "core/analysis/insights/losses.h"
#include "core/report/missing_parts.h"
#include "core/report/report.h"
#include "core/report/run_fields.h"
#include "tests/core/sample_copies.h"
#include "tests/support/compare_profile.h"
#include "tests/support/test_main.h"

namespace coverage_test {
using namespace tilescope;
using namespace tilescope::test;

namespace {

Profile lacking(std::initializer_list<ProfilePart> parts) {
    Profile profile = sampleProfile({.withCopy = true});
    for (const ProfilePart part : parts)
        profile.info.coverage.rows.push_back({part, Covered::None, "the file has no such thing"});
    return profile;
}

bool isEmpty(const Cell& cell) {
    return std::holds_alternative<std::monostate>(cell);
}

Document made(const Profile& profile, const std::string& id, const ReportRequest& request = {}) {
    for (const Report& report : allReports())
        if (report.id == id)
            return makeReport(report, *ProfileView::of(profile), request);
    return {};
}

Cell fieldOf(const std::vector<Field>& fields, std::string_view key) {
    for (const Field& field : fields)
        if (field.key == key)
            return field.value;
    return std::string("no such field");
}

bool columnIsEmpty(const Document& document, std::string_view key) {
    for (const Table& table : document.tables)
        for (std::size_t i = 0; i < table.columns.size(); ++i)
            if (table.columns[i].key == key)
                for (const Row& row : table.rows)
                    if (!isEmpty(row.cells[i]))
                        return false;
    return true;
}

} // namespace

class CoverageTest : public QObject, SampleCopies {
    Q_OBJECT

private slots:
    void isKeptInTheFile() {
        Profile profile = lacking({ProfilePart::Run, ProfilePart::Streams});
        profile.info.coverage.rows.front().state = Covered::Part;
        profile.info.origin = {OriginKind::Measured, "Poplar", "3.3.0", "0123"};
        profile.programs[ProgramId(0)].originalKind = "OnEveryTileSwitch";
        writeProfile(profile, file("lacking.pop"));
        QCOMPARE(text(firstDifference(ProfileReader(file("lacking.pop")).load(), profile)), "");
        // A simulated profile has no rows.
        QVERIFY(ProfileReader(file("good.pop")).info().coverage.rows.empty());
        QVERIFY(ProfileReader(file("good.pop")).info().origin.kind == OriginKind::Simulated);
    }

    void isCheckedWhenItIsRead() {
        const auto error = [&](const char* sql) {
            writeProfile(lacking({ProfilePart::Run}), file("lacking.pop"));
            execute(file("lacking.pop"), sql);
            return userError([&] { (void)ProfileReader(file("lacking.pop")).load(); });
        };
        QVERIFY(error("UPDATE coverage SET part = 'all'").contains("unknown name 'all'"));
        QVERIFY(error("UPDATE coverage SET state = 'half'").contains("unknown name 'half'"));
        QVERIFY(error("UPDATE info SET value = 'x' WHERE key = 'origin'").contains("'origin'"));
        QVERIFY(error("DELETE FROM info WHERE key = 'origin'").contains("'origin' is missing"));
    }

    void factsOfTheRunAreEmpty() {
        const Profile profile = lacking({ProfilePart::Run, ProfilePart::HostTimes});
        for (const char* key : {"batchSize", "deviceIterations", "samplesOfRun"})
            QVERIFY2(isEmpty(fieldOf(runSampleFields(profile.info), key)), key);
        for (const char* key : {"throughput", "hostCallSeconds", "callSeconds"})
            QVERIFY2(isEmpty(fieldOf(runTimeFields(profile.info), key)), key);
        QVERIFY(!isEmpty(fieldOf(runTimeFields(profile.info), "seconds")));
        QVERIFY(!isEmpty(fieldOf(runSampleFields(sampleProfile().info), "batchSize")));
    }

    void figuresOfReportsAreEmpty_data() {
        QTest::addColumn<int>("part");
        QTest::addColumn<QString>("report");
        QTest::addColumn<QString>("key");
        const auto row = [](ProfilePart part, const char* report, const char* key) {
            QTest::addRow("%s %s", report, key) << static_cast<int>(part) << report << key;
        };
        row(ProfilePart::ExchangeBytes, "exchanges", "bytesReceived");
        row(ProfilePart::ExchangeBytes, "exchanges", "runBytes");
        row(ProfilePart::ExchangeBytes, "operations", "bytesExchanged");
        row(ProfilePart::ExchangeBytes, "operations", "roofFlopsPerCycle");
        row(ProfilePart::ExchangeBytes, "trace", "exchangeBytes");
        row(ProfilePart::StateBytes, "vertices", "stateBytes");
        row(ProfilePart::Flops, "operations", "flopsOnce");
        row(ProfilePart::Flops, "operations", "utilisation");
        row(ProfilePart::ActiveTiles, "operations", "balance");
        row(ProfilePart::ActiveTiles, "trace", "tileBalance");
        row(ProfilePart::TileCycles, "exchanges", "cycles");
        row(ProfilePart::HostTimes, "trace", "hostWaitsForIpu");
        row(ProfilePart::VariableTypes, "variables", "shape");
    }
    void figuresOfReportsAreEmpty() {
        QFETCH(int, part);
        QFETCH(QString, report);
        QFETCH(QString, key);
        const auto missing = static_cast<ProfilePart>(part);
        // Host lanes are read from a file.
        const auto inFile = [&](const Profile& profile) {
            writeProfile(profile, file("lacking.pop"));
            for (const Report& one : allReports())
                if (text(one.id) == report)
                    return makeReport(one, ProfileView(file("lacking.pop")), {});
            return Document();
        };
        QVERIFY(columnIsEmpty(inFile(lacking({missing})), key.toStdString()));
        QVERIFY(!columnIsEmpty(inFile(sampleProfile({.withCopy = true})), key.toStdString()));
    }

    void aReportOfAMissingPartSaysWhy() {
        const Profile profile = lacking({ProfilePart::Pipeline, ProfilePart::Values});
        for (const char* id : {"pipeline", "phases", "values"}) {
            const Document document = made(profile, id);
            QVERIFY2(document.tables.empty(), id);
            const Cell known = fieldOf(document.fields, "known");
            QVERIFY2(std::get<std::string>(known).find("no such thing") != std::string::npos, id);
        }
    }

    void thePhysicalTileIsNotOurAssumption() {
        ReportRequest request;
        request.selection = TileSelection::ofTile(TileId(1));
        QVERIFY(
            isEmpty(fieldOf(made(lacking({ProfilePart::PhysicalTiles}), "memory", request).fields,
                            "physicalTile")));
        QVERIFY(!isEmpty(fieldOf(made(sampleProfile(), "memory", request).fields, "physicalTile")));
    }

    // Without the tiles that work, and without FLOPs, compute is one loss.
    void lossesAreThoseThatAreKnown() {
        const Profile profile = lacking({ProfilePart::ActiveTiles, ProfilePart::Flops});
        for (const Loss& loss : findLosses(*ProfileView::of(profile))) {
            QVERIFY(loss.kind != LossKind::TileImbalance);
            QVERIFY(loss.kind != LossKind::Utilisation || nameOf(loss) == "Compute");
        }
        for (const Insight& insight : findInsights(profile))
            QVERIFY2(insight.title.find("of the tiles busy") == std::string::npos,
                     insight.title.c_str());
    }

    void memoryHasNoRegions() {
        const Document document = made(lacking({ProfilePart::Regions}), "memory");
        int empty = 0;
        for (const Row& row : document.tables.front().rows)
            empty += isEmpty(row.cells.back()) ? 1 : 0;
        QVERIFY(empty >= 3);
    }

    // Which values are in force is not known, so none is advised.
    void adviceHasNoValues() {
        const Profile profile = lacking({ProfilePart::Options});
        const Findings found = findAll(*ProfileView::of(profile));
        QVERIFY(!found.losses.empty());
        QVERIFY(suggestionsOf(found.losses).empty());
        const auto check = [](const std::vector<Advice>& advice) {
            for (const Advice& one : advice) {
                QVERIFY(one.value.empty() && one.instead.empty() && one.with.empty());
                QVERIFY(one.option == Advice::model || one.direction != Advice::Direction::Set);
                QCOMPARE(one.gain, 0);
            }
        };
        for (const Loss& loss : found.losses)
            check(loss.remedies);
        for (const Insight& insight : found.insights)
            check(insight.advice);
    }
};

TILESCOPE_TEST(CoverageTest)

} // namespace coverage_test

#include "coverage_test.moc"
