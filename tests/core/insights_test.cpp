#include "core/analysis/insights/insights.h"

#include <QTemporaryDir>
#include <QTest>
#include <filesystem>
#include <optional>

#include "core/store/profile_writer.h"
#include "tests/support/qt_text.h"
#include "tests/support/sample_profile.h"
#include "tests/support/test_main.h"

namespace insights_test {
using namespace tilescope;
using namespace tilescope::test;

namespace {

std::optional<Insight> find(const std::vector<Insight>& insights, std::string_view rule) {
    for (const Insight& insight : insights)
        if (insight.rule == rule)
            return insight;
    return std::nullopt;
}

/// An insight's advice on an option; nullptr if there is none.
const Advice* adviceOn(const Insight& insight, std::string_view option) {
    for (const Advice& advice : insight.advice)
        if (advice.option == option)
            return &advice;
    return nullptr;
}

/// Executed steps of one kind become steps of another.
void turn(Profile& profile, ProgramKind from, ProgramKind to) {
    for (TraceBody& body : profile.trace.bodies)
        for (TraceStep& step : body.steps)
            if (step.kind == from)
                step.kind = to;
}

QString shownText(const Evidence& evidence) {
    return text(textOf(cellOf(evidence), evidence.unit));
}

} // namespace

class InsightsTest : public QObject {
    Q_OBJECT

private slots:
    void fitsOrSaysByHowMuchItDoesNot() {
        const auto good = find(findInsights(sampleProfile()), "fit");
        QVERIFY(good && good->level == InsightLevel::Good);
        const Profile large = sampleProfile({.tooLarge = true});
        const auto bad = find(findInsights(large), "fit");
        QVERIFY(bad && bad->level == InsightLevel::Problem);
        QCOMPARE(bad->link.things.tile().value(), 0);
        QCOMPARE(bad->evidence[0].value, 736.0); // the half of the tiles with the activations
        QVERIFY(!bad->advice.empty());
    }

    // Values to try follow the options, with the values in force.
    void advisesValues() {
        Profile p = sampleProfile({.tooLarge = true});
        p.info.batchSize = 8;
        const auto fit = find(findInsights(p), "fit");
        QVERIFY(fit);
        const Advice* lower = adviceOn(*fit, "availableMemoryProportion");
        QVERIFY(lower != nullptr && lower->direction == Advice::Direction::Lower);
        const double proportion = std::stod(lower->value);
        // A little less would choose the same plans.
        QVERIFY2(proportion <= 0.3 && proportion > 0, lower->value.c_str());
        QCOMPARE(text(adviceOn(*fit, "batchSize")->value), "4");
        QVERIFY(text(adviceText(*fit)).contains("--batch-size (4 instead of 8)"));
        const auto peak = find(findInsights(p), "peakVariables");
        QCOMPARE(text(adviceOn(*peak, "availableMemoryProportion")->value), "0.3");
        // Half of one sample is none.
        p.info.batchSize = 1;
        QVERIFY(adviceOn(*find(findInsights(p), "peakVariables"), "batchSize") == nullptr);
        // The memory that the planner could use for the operation in question.
        Operation& largest = p.operations[peak->link.things.operation];
        largest.options = R"({"availableMemoryProportion":0.45})";
        const Evidence last = find(findInsights(p), "peakVariables")->evidence.back();
        QCOMPARE(text(last.label), text("availableMemoryProportion of '" + largest.name + "'"));
        QCOMPARE(text(last.text), "0.45");
        largest.options = "[";
        QVERIFY(find(findInsights(p), "peakVariables")->evidence.back().text.empty());
    }

    /// Code of a ring for each gradient, where they are summed over replicas one by one.
    void gradientsThatAreSummedOneByOneTakeCode() {
        Profile p = sampleProfile({.tooLarge = true});
        QVERIFY(adviceOn(*find(findInsights(p), "fit"), "maxCrossReplicaBufferSize") == nullptr);
        for (const char* name : {"a_allReduce", "b_allReduce"}) {
            Operation sum;
            sum.name = name;
            sum.type = "ReplicatedAllReduceInplace";
            p.operations.add(sum);
        }
        p.info.options = {{"replicas", "2"}, {"mode", "training"}};
        Variable code;
        code.category = MemoryCategory::GlobalExchangeCode;
        code.bytes = TileSeries(TileId(0), p.info.target.tilesPerIpu * p.info.target.ipus, 300'000);
        p.variables.add(code);
        const auto fit = find(findInsights(p), "fit");
        QCOMPARE(text(fit->advice.front().option), "maxCrossReplicaBufferSize");
        QCOMPARE(text(fit->advice.front().value), "52428800");
        p.info.options["maxCrossReplicaBufferSize"] = "52428800";
        QVERIFY(adviceOn(*find(findInsights(p), "fit"), "maxCrossReplicaBufferSize") == nullptr);
    }

    void namesTheLargest() {
        const Profile p = sampleProfile();
        const auto insights = findInsights(p);
        const auto tiles = find(insights, "worstTiles");
        QVERIFY(tiles);
        QCOMPARE(tiles->evidence.size(), std::size_t(6)); // and the mean
        QCOMPARE(tiles->evidence[0].value,
                 static_cast<double>(p.tileMemory[tiles->evidence[0].tile].includingGaps));
        const auto peak = find(insights, "peakVariables");
        QVERIFY(peak);
        QCOMPARE(text(peak->evidence[1].label), "layer1/conv/partials");
        QCOMPARE(peak->evidence[1].value, 1472.0 * sample::partialsBytes);
        QCOMPARE(peak->link.things.operation.value(), 2);
        // It belongs to the step's operation, or waits for others.
        double held = 0;
        for (const Evidence& one : peak->evidence)
            if (one.label.starts_with("made by the operation of the step") ||
                one.label.starts_with("kept from "))
                held += one.value;
        QCOMPARE(held, peak->evidence[0].value);
        QCOMPARE(text(find(insights, "vertexCode")->evidence[0].label),
                 "popnn::NonLinearity1DInPlace<half,RELU>");
        QCOMPARE(text(find(insights, "exchangeCode")->evidence[0].label),
                 "conv1/PreArrange-0/ExchangePre");
    }

    void seesHostBoundRuns() {
        const auto host = find(findInsights(sampleProfile()), "hostBound");
        QVERIFY(host && host->level == InsightLevel::Warning);
        QCOMPARE(shownText(host->evidence[0]), "100,000 cycles");
        QVERIFY(!find(findInsights(sampleProfile()), "exchangeBound"));
    }

    /// The host's influence on a run is reported with the options that change it.
    void advisesOnTheHost() {
        Profile p = sampleProfile();
        turn(p, ProgramKind::StreamCopyMid, ProgramKind::StreamCopyBegin);
        const auto advice = [&] { return text(adviceText(*find(findInsights(p), "hostBound"))); };
        p.info.options = {{"prefetchDepth", "1"},
                          {"ioTiles", "0"},
                          {"inputType", "as-model"},
                          {"execution", "single"},
                          {"exchangeStrategy", "just-in-time"}};
        QVERIFY(advice().contains("A higher --prefetch-depth (2 instead of 1)"));
        QVERIFY(!advice().contains("--instances"));
        p.info.options["prefetchDepth"] = "3";
        QVERIFY(!advice().contains("--prefetch-depth"));
        p.info.options["hostRate"] = "1000";
        p.info.options["instances"] = "1";
        p.info.options["replicas"] = "4";
        p.info.replicas = 4;
        QVERIFY(advice().contains("A higher --instances (4 instead of 1)"));
        QVERIFY(!advice().contains("--batch-size"));
        p.info.options["instances"] = "4";
        QVERIFY(advice().contains("A higher --host-rate (2000 instead of 1000)"));
    }

    /// Long transfers: smaller inputs and I/O tiles are advised; overlapped ones are not reported.
    void advisesOnTransfers() {
        Profile p = sampleProfile();
        turn(p, ProgramKind::StreamCopyBegin, ProgramKind::StreamCopyMid);
        const auto advice = [&] { return text(adviceText(*find(findInsights(p), "hostBound"))); };
        p.info.options = {{"ioTiles", "0"},
                          {"inputType", "as-model"},
                          {"execution", "single"},
                          {"exchangeStrategy", "just-in-time"},
                          {"precision", "half"}};
        QVERIFY(advice().contains("--input-type int8"));
        QVERIFY(advice().contains("--io-tiles (32 instead of 0)"));
        p.info.options["execution"] = "pipelined";
        p.info.options["schedule"] = "grouped";
        QVERIFY(advice().contains("--io-tiles (32 instead of 0)"));
        p.info.options["schedule"] = "interleaved";
        QVERIFY(!advice().contains("--io-tiles"));
        p.info.options["execution"] = "single";
        p.info.options["precision"] = "float";
        p.info.options["ioTiles"] = "32";
        QVERIFY(advice().contains("--input-type half"));
        QVERIFY(advice().contains("--exchange-strategy overlap-inner-loop"));
        p.info.options["inputType"] = "int8";
        p.info.options["exchangeStrategy"] = "overlap-loops";
        QVERIFY(advice().startsWith("A higher --batch-size"));
    }

    void sharesSayWhatTheyAreOf() {
        InsightCost cost;
        cost.bytes = 512;
        QCOMPARE(text(wholeOf(cost)), "all memory");
        cost.ofOneTile = true;
        QCOMPARE(text(wholeOf(cost)), "a tile's memory");
    }

    /// The same cycles of copies with streaming memory, and of exchanges between IPUs.
    void seesOtherBounds() {
        Profile p = sampleProfile();
        for (Stream& stream : p.streams)
            stream.remoteBuffer = RemoteBufferId(0);
        QVERIFY(!find(findInsights(p), "hostBound"));
        const auto memory = find(findInsights(p), "memoryBound");
        QVERIFY(memory && memory->level == InsightLevel::Warning);
        QVERIFY(text(adviceText(*memory)).contains("--offload"));
        p.info.options["execution"] = "phased";
        QVERIFY(text(adviceText(*find(findInsights(p), "memoryBound"))).contains("--phases"));
        turn(p, ProgramKind::StreamCopyMid, ProgramKind::GlobalExchange);
        p.streams = {};
        const auto links = find(findInsights(p), "linkBound");
        QVERIFY(links && links->level == InsightLevel::Warning && !adviceOn(*links, "precision"));
        p.info.options["precision"] = "float"; // without it, that of the weights: half
        QVERIFY(text(adviceText(*find(findInsights(p), "linkBound"))).contains("--precision half"));
        p.info.replicas = 2;
        p.info.mode = "training";
        p.info.options = {{"replicas", "2"}, {"mode", "training"}};
        QVERIFY(text(adviceText(*find(findInsights(p), "linkBound")))
                    .contains("--max-cross-replica-buffer-size"));
        QVERIFY(!find(findInsights(p), "exchangeBound"));
    }

    void seesShortRuns() {
        const auto copies = find(findInsights(sampleProfile()), "shortRunCopies");
        QVERIFY(copies);
        QCOMPARE(text(copies->title), "1 exchange moves data in runs under 8 bytes");
        QCOMPARE(copies->evidence[0].value, 10 * 1024.0); // in the ten turns of the loop
        QCOMPARE(text(copies->evidence[1].label), "conv1/PreArrange-0/ExchangePre (runs of 2 B)");
    }

    void tellsStridedCopies() {
        QVERIFY(!find(findInsights(sampleProfile()), "stridedCopies"));
        Profile p = sampleProfile({.withCopy = true});
        const auto insights = findInsights(p);
        const auto copy = find(insights, "stridedCopies");
        QVERIFY(copy);
        // 21000 of 21000 + 12000 + 1024.
        QCOMPARE(text(copy->title), "'conv1' spends 61.7 % of its cycles on strided copies");
        QVERIFY(text(adviceText(*copy)).contains("'input'"));
        const auto shown = [&](std::string_view label) {
            for (const Evidence& e : copy->evidence)
                if (e.label == label)
                    return shownText(e);
            return QString("none");
        };
        // In the ten turns of the loop.
        QCOMPARE(shown("strided copies"), "210,000 cycles");
        QCOMPARE(shown("exchanges before them"), "10,240 cycles");
        QCOMPARE(shown("estimated gain, at most"), "210,000 cycles");
        QCOMPARE(shown("copies"), "input [1,3,224,224]");
        QCOMPARE(shown("order it has"), "[C][HW]");
        QCOMPARE(shown("order it needs"), "[HW][C]");
        QCOMPARE(shown("contiguous run"), "1 element, 2 B");
        QCOMPARE(shown("vertex"), "poplar_rt::StridedCopyDA32");
        QCOMPARE(p.programs[p.steps[copy->link.things.step]].computeSet.value(),
                 p.copies[CopyId(0)].computeSet.value());
        QCOMPARE(text(p.variables[copy->link.things.variable].name), "input");
        // The exchange before it is not reported twice.
        QVERIFY(!find(insights, "shortRunCopies"));

        p.copies[CopyId(0)].cause = CopyCause::FirstOperand;
        const auto swap = find(findInsights(p), "stridedCopies");
        QVERIFY(text(adviceText(*swap)).startsWith("Swap the operands of 'conv1'"));
        QCOMPARE(swap->evidence[4].value, 10 * (21000.0 + 1024.0));
        p.copies[CopyId(0)].strided = false;
        QVERIFY(!find(findInsights(p), "stridedCopies"));
    }

    void namesTheLongestOperations() {
        const auto longest = find(findInsights(sampleProfile()), "longestOperations");
        QVERIFY(longest);
        // 12,000 of conv1 ten times, and its exchange; layer1/conv 5,540 twenty times.
        QVERIFY2(longest->title.starts_with("'conv1' takes "), longest->title.c_str());
        QVERIFY(longest->cost.cycles >= 10 * sample::convCycles);
        QVERIFY(longest->cost.cycles >= static_cast<std::int64_t>(longest->evidence[0].value));
        QCOMPARE(longest->link.things.operation.value(), 0);
        QCOMPARE(text(longest->link.report), "operations");
    }

    void singlePrecisionIsWorthHalf() {
        QVERIFY(!find(findInsights(sampleProfile()), "singlePrecision"));
        Profile p = sampleProfile();
        for (Variable& v : p.variables)
            if (v.name == "layer1/conv/partials")
                v.type = "float";
        for (TileMemory& tile : p.tileMemory)
            tile.includingGaps = 10 * sample::partialsBytes;
        p.info.options["precision"] = "float";
        const auto found = find(findInsights(p), "singlePrecision");
        QVERIFY(found);
        QCOMPARE(found->evidence[0].value, static_cast<double>(sample::partialsBytes));
        QCOMPARE(found->evidence[1].value, sample::partialsBytes / 2.0);
        QVERIFY(text(adviceText(*found)).startsWith("--precision half"));
        QCOMPARE(text(p.variables[found->link.things.variable].name), "layer1/conv/partials");
        p.info.options["precision"] = "half";
        QCOMPARE(text(find(findInsights(p), "singlePrecision")->advice.at(0).option),
                 "partialsType");
    }

    /// As long as the run here; more batches in a call make it a smaller part.
    void seesCallsOfTheHost() {
        Profile p = sampleProfile();
        QVERIFY(!find(findInsights(p), "callBound"));
        p.info.options["deviceIterations"] = "10";
        p.info.hostCallSeconds = p.info.seconds();
        const auto found = find(findInsights(p), "callBound");
        QVERIFY(found && found->level == InsightLevel::Warning);
        QCOMPARE(found->cost.share, 1.0);
        QCOMPARE(text(found->title), "The host's call of the engine takes 100.0 % of the run");
        const Advice* advice = adviceOn(*found, "deviceIterations");
        QVERIFY(advice != nullptr && advice->value == "20");
    }

    /// A model that already is in half cannot gain by precision.
    void halfIsNotAdvisedTwice() {
        Profile large = sampleProfile({.tooLarge = true});
        large.info.options.erase("precision");
        for (Variable& v : large.variables)
            if (v.alwaysLive && v.category == MemoryCategory::Variable)
                v.type = "half";
        QVERIFY(adviceOn(*find(findInsights(large), "fit"), "precision") == nullptr);
        large.info.options["precision"] = "float";
        QVERIFY(adviceOn(*find(findInsights(large), "fit"), "precision") != nullptr);
    }

    void seesGaps() {
        Profile p = sampleProfile();
        for (TileMemory& tile : p.tileMemory)
            tile.excludingGaps = tile.includingGaps;
        QVERIFY(!find(findInsights(p), "gaps"));
        p.tileMemory[TileId(0)].includingGaps += 100'000;
        QVERIFY(!find(findInsights(p), "gaps")); // there is room enough
        p.tileMemory[TileId(0)].includingGaps = 630'000;
        p.tileMemory[TileId(0)].excludingGaps = 530'000;
        const auto gaps = find(findInsights(p), "gaps");
        QVERIFY(gaps);
        QCOMPARE(gaps->evidence[0].value, 100'000.0);
        QCOMPARE(gaps->link.things.tile().value(), 0);
    }

    void operationsPlannedAlikeRepeatTheirCode() {
        QVERIFY(!find(findInsights(sampleProfile()), "repeatedCode"));
        Profile p = sampleProfile();
        for (const OperationId id : {OperationId(0), OperationId(2)}) {
            p.operations[id].plan = "{\"method\": \"AMP\"}";
            p.operations[id].outputShape = "[1,64,56,56]";
        }
        for (Exchange& e : p.exchanges)
            e.codeBytes = TileSeries(TileId(0), 1472, 4000);
        const auto found = find(findInsights(p), "repeatedCode");
        QVERIFY(found);
        QVERIFY(found->evidence[0].value >= 1472 * 4000.0);
        QVERIFY(adviceOn(*found, "outlineThreshold") != nullptr);
        p.info.options["outline"] = "off";
        QCOMPARE(text(find(findInsights(p), "repeatedCode")->advice.at(0).value), "on");
        p.operations[OperationId(2)].plan = "{\"method\": \"VMAC\"}";
        QVERIFY(!find(findInsights(p), "repeatedCode"));
    }

    void seesFewBusyTiles() {
        Profile p = sampleProfile();
        QVERIFY(!find(findInsights(p), "tileImbalance"));
        for (ComputeSet& set : p.computeSets)
            set.cycles = set.cycles.slice(0, 100);
        const auto imbalance = find(findInsights(p), "tileImbalance");
        QVERIFY(imbalance);
        QCOMPARE(text(imbalance->evidence[1].label), "most wasteful: conv1");
    }

    void withoutExecutionOnlyMemoryIsJudged() {
        for (const Insight& insight : findInsights(sampleProfile({.tooLarge = true})))
            QVERIFY2(insight.kind == InsightKind::Memory || insight.rule == "shortRunCopies",
                     insight.rule.c_str());
    }

    void aFileHasTheSameInsights() {
        const QTemporaryDir folder;
        const std::filesystem::path file = folder.filePath("p.pop").toStdString();
        for (const bool tooLarge : {false, true}) {
            const Profile p =
                sampleProfile({.ipus = 2, .tooLarge = tooLarge, .withCopy = !tooLarge});
            writeProfile(p, file);
            const auto expected = findInsights(p);
            const auto read = findInsights(ProfileView(file));
            QCOMPARE(read.size(), expected.size());
            for (std::size_t i = 0; i < read.size(); ++i) {
                QCOMPARE(text(read[i].title), text(expected[i].title));
                QCOMPARE(read[i].evidence.size(), expected[i].evidence.size());
            }
        }
    }

    // The highest cost comes first: time if the model fits, memory if it does not.
    void theyAreRankedByWhatTheyCost() {
        const auto verifyRanked = [](const std::vector<Insight>& insights, InsightKind first) {
            for (std::size_t i = 1; i < insights.size(); ++i) {
                const Insight& before = insights[i - 1];
                if (before.level == InsightLevel::Problem)
                    continue;
                if (before.kind == insights[i].kind)
                    QVERIFY(before.cost.share >= insights[i].cost.share);
                else
                    QVERIFY(before.kind == first);
            }
        };
        const auto fits = findInsights(sampleProfile({.withCopy = true}));
        QCOMPARE(text(fits[0].rule), "hostBound");
        verifyRanked(fits, InsightKind::Time);
        const auto large = findInsights(sampleProfile({.tooLarge = true}));
        QCOMPARE(text(large[0].rule), "fit");
        verifyRanked(large, InsightKind::Memory);
        QVERIFY(large.back().kind == InsightKind::Time);
    }

    void everyInsightHasItsCost() {
        const Profile p = sampleProfile({.withCopy = true});
        for (const Insight& insight : findInsights(p)) {
            const InsightCost& cost = insight.cost;
            if (insight.kind == InsightKind::Memory) {
                QVERIFY2(cost.bytes > 0 || insight.rule == "worstTiles", insight.rule.c_str());
                QCOMPARE(cost.cycles, std::int64_t(0));
            } else {
                QVERIFY2(cost.cycles > 0, insight.rule.c_str());
                QCOMPARE(cost.share, static_cast<double>(cost.cycles) / p.info.cycles);
            }
            QVERIFY2(cost.share >= 0 && cost.share <= 1, insight.rule.c_str());
        }
        // A copy is executed as often as its loop, and is a small part of the run.
        const auto copy = find(findInsights(p), "stridedCopies");
        QCOMPARE(copy->cost.cycles, 10 * sample::copyCycles);
        QVERIFY(copy->level == InsightLevel::Note);
        QCOMPARE(text(formatCost({130'240, 0, 0.0314})), "130,240 cycles, 3.1 % of the run");
        QCOMPARE(text(formatCost({0, 1536, 0.25})), "1.50 KiB, 25.0 % of all memory");
        QCOMPARE(text(formatCost({130'240, 0, 0})), "130,240 cycles");
    }

    void anEmptyProfileHasNone() { QVERIFY(findInsights(Profile()).empty()); }

    void writesEvidenceInItsUnit() {
        QCOMPARE(shownText({"", 1536, Unit::Bytes, {}, {}, {}}), "1.50 KiB");
        QCOMPARE(shownText({"", 0.25, Unit::Share, {}, {}, {}}), "25.0 %");
        QCOMPARE(shownText({"", 1234, Unit::Count, {}, {}, {}}), "1,234");
        QCOMPARE(shownText({"", 0, Unit::None, {}, {}, "[N][C]"}), "[N][C]");
    }
};

TILESCOPE_TEST(InsightsTest)

} // namespace insights_test

#include "insights_test.moc"
