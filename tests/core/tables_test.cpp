#include "core/analysis/accounting/cost_rows.h"
#include "core/analysis/memory/tables.h"

#include <QTest>

#include "core/analysis/execution/pipeline.h"
#include "core/analysis/programs/programs.h"
#include "tests/support/qt_text.h"
#include "tests/support/sample_profile.h"
#include "tests/support/scope_memory.h"
#include "tests/support/test_main.h"

namespace tables_test {
using namespace tilescope;
using namespace tilescope::test;

class TablesTest : public QObject {
    Q_OBJECT

    const Profile p_ = sampleProfile();

private slots:
    void variablesOfATile() {
        const auto all = variableTable(p_.info.target, p_.variables, TileSelection::all());
        QCOMPARE(text(all[0].name), "layer1/conv/partials");
        QCOMPARE(all[0].bytes, 1472 * sample::partialsBytes);
        QCOMPARE(all[0].tiles, 1472);
        const auto tile =
            variableTable(p_.info.target, p_.variables, TileSelection::ofTile(TileId(1000)));
        for (const VariableRow& row : tile) {
            QCOMPARE(row.tiles, 1);
            QCOMPARE(row.bytes, row.maxTileBytes);
            QCOMPARE(row.maxTile.value(), 1000);
            QVERIFY(row.name != "conv1/weights");
        }
    }

    void verticesWithTheirComputeSets() {
        const auto rows =
            vertexTable(p_.info.target, p_.vertexTypes, p_.computeSets, TileSelection::all());
        QCOMPARE(rows.size(), std::size_t(4));
        QCOMPARE(text(rows[0].name), "poplin::ConvPartial1x1Out<half,float,true,false,16,4,false>");
        QCOMPARE(rows[0].count, 1472 * 12 + 1472 * 6);
        QCOMPARE(rows[0].stateBytes, rows[0].count * 24);
        QCOMPARE(rows[0].codeBytes, 1472 * 256);
        QCOMPARE(rows[0].computeSets.size(), std::size_t(2));
        // The softmax runs on 16 tiles only.
        QCOMPARE(vertexTable(p_.info.target, p_.vertexTypes, p_.computeSets,
                             TileSelection::ofTile(TileId(500)))
                     .size(),
                 std::size_t(2));
    }

    void computeSetsWithTheirBalance() {
        const auto rows = computeSetTable(p_.info.target, p_.computeSets, TileSelection::all());
        QCOMPARE(text(rows[0].name), "conv1/Convolve");
        QCOMPARE(rows[0].cycles, sample::convCycles);
        QCOMPARE(rows[0].tiles, 1472);
        // Half of the tiles work all the time, the other half a quarter of it.
        QCOMPARE(rows[0].balance, 0.625);
    }

    void exchangesByCode() {
        const auto rows = exchangeTable(p_.info.target, p_.exchanges, TileSelection::all());
        QCOMPARE(text(rows[0].name), "conv1/PreArrange-0/ExchangePre");
        QCOMPARE(rows[0].bytesReceived, 1472 * 4096);
        QCOMPARE(rows[0].bytesSent, rows[0].bytesReceived);
        QCOMPARE(rows[0].codeBytes, 1472 * 640);
        QCOMPARE(rows[0].cycles, 1024);
        QCOMPARE(rows[0].runBytes, 2);
    }

    void operationsWithTheirCosts() {
        const ProfileView profile(std::make_shared<const Profile>(p_));
        const auto rows = costRows(profile, *accountingOf(profile), CostLayer::Shared);
        const CostRow& layer = rows[2];
        QCOMPARE(text(layer.path), "layer1/conv");
        QCOMPARE(layer.computeOnce, 4000 + 900);
        QCOMPARE(layer.exchangeOnce, 512 + 128);
        QCOMPARE(layer.steps.size(), std::size_t(4));
        QCOMPARE(layer.executions, 20);
        QCOMPARE(layer.flopsOnce, 2 * 231211008.0); // at two places of the model
        QCOMPARE(layer.flops, 20 * 231211008.0);
        QCOMPARE(layer.memory.exchangeCode, 1472 * (160 + 160));
        QCOMPARE(layer.memory.controlCode, 1472 * 4 * 8);
        QCOMPARE(layer.memory.vertexState, 1472 * 6 * 24 + 256 * 6 * 16);
        QCOMPARE(layer.memory.variables, 1472 * sample::partialsBytes + 64 * 2);
    }

    /// A codelet that two operations use on a tile belongs to neither, and counts once.
    void codeletsAreCountedOnce() {
        const ProfileView profile(std::make_shared<const Profile>(p_));
        std::int64_t code = 0;
        for (const CostRow& row : costRows(profile, *accountingOf(profile), CostLayer::Place))
            code += row.memory.vertexCode;
        std::int64_t wanted = 0;
        for (std::size_t type = 0; type < p_.vertexTypes.size(); ++type) {
            TileSeries count;
            for (const ComputeSet& set : p_.computeSets)
                for (const VertexInstances& vertices : set.vertices)
                    if (vertices.type == VertexTypeId(type))
                        count += vertices.count;
            wanted += TileSeries::zip(
                          count, p_.vertexTypes[VertexTypeId(type)].codeBytes,
                          [](std::int64_t n, std::int64_t bytes) { return n > 0 ? bytes : 0; })
                          .sum();
        }
        QCOMPARE(code, wanted);
    }

    void copiesArePartOfTheComputeCycles() {
        const ProfileView profile(
            std::make_shared<const Profile>(sampleProfile({.withCopy = true})));
        const auto rows = costRows(profile, *accountingOf(profile), CostLayer::Shared);
        QCOMPARE(rows[0].copyOnce, sample::copyCycles);
        QCOMPARE(rows[0].computeOnce, sample::copyCycles + sample::convCycles);
        QCOMPARE(rows[2].copyOnce, 0);
    }

    void memoryOfAScope() {
        const ScopeMemory layer = scopeMemory(p_, "layer1");
        QCOMPARE(layer.operations, 1);
        QCOMPARE(layer.vertexState, 1472 * 6 * 24 + 256 * 6 * 16);
        QCOMPARE(layer.exchangeCode, 1472 * (160 + 160));
        QCOMPARE(layer.controlCode, 1472 * 4 * 8);
        QVERIFY(layer.vertexCode > 0);
        // At most the bytes of all the operation's own variables.
        QVERIFY(layer.variables > 0);
        QVERIFY(layer.variables <= 1472 * sample::partialsBytes + 64 * 2);
        QCOMPARE(scopeMemory(p_, "layer").operations, 0);
        QVERIFY(isInScope("Layer0/FF/1", "Layer0/FF"));
        QVERIFY(!isInScope("Layer0/FF2", "Layer0/FF"));
    }

    void programTreeAsLines() {
        const auto trees = programTrees(p_.programs, p_.controlPrograms, p_.functions,
                                        p_.computeSets, p_.exchanges);
        QCOMPARE(trees.size(), std::size_t(3));
        QCOMPARE(text(trees[1].title), "Control program 1 (main)");
        QCOMPARE(text(trees[1].lines[1].label), "Repeat 10 times (deviceIterations)");
        QCOMPARE(trees[1].lines[1].depth, 1);
        QCOMPARE(text(trees[2].title), "Function 0 (layer1)");
        QCOMPARE(trees[2].lines[2].cycles, 4000);
        std::size_t lines = 0;
        for (const ProgramTree& tree : trees)
            lines += tree.lines.size();
        QCOMPARE(lines, p_.programs.size());
        Program repeat;
        repeat.kind = ProgramKind::Repeat;
        QCOMPARE(text(programLabel(repeat)), "Repeat once");
        repeat.count = 3;
        QCOMPARE(text(programLabel(repeat)), "Repeat 3 times");
    }

    void refusesDamagedTrees() {
        Profile p = sampleProfile();
        p.programs[p.functions[0]].children[0] = p.functions[0];
        const auto error = [&] {
            return userError([&] {
                (void)programTrees(p.programs, p.controlPrograms, p.functions, p.computeSets,
                                   p.exchanges);
            });
        };
        QCOMPARE(error(), "damaged profile: program 0 is in the tree twice");
        p.programs[p.functions[0]].children[0] = ProgramId(4000);
        QCOMPARE(error(), "damaged profile: the program tree names a program that does not exist");
    }

    void pipelineOfASingleIpuIsNone() {
        const PipelineReport report = pipelineReport(p_);
        QCOMPARE(text(report.schedule), "none");
        QVERIFY(report.stages.empty());
        QVERIFY(report.hint.find("--execution pipelined") != std::string::npos);
        QCOMPARE(report.longestStage, -1);
    }
};

TILESCOPE_TEST(TablesTest)

} // namespace tables_test

#include "tables_test.moc"
