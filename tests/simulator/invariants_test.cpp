// The invariants themselves: a sound profile passes, and each way to break it is detected.
#include <functional>

#include <QtTest>

#include "core/store/placement_codec.h"
#include "simulator/simulate.h"
#include "support/graph_builder.h"
#include "support/invariants.h"
#include "tests/support/test_main.h"

namespace invariants_test {
using namespace tilescope;
using namespace tilescope::sim;
using namespace tilescope::test;

namespace {

Profile sound() {
    GraphBuilder b;
    const TensorId x = b.input({1, 16, 8, 8});
    const TensorId y = b.conv("conv", x, 16, 3);
    RunOptions options;
    options.machine.target.tilesPerIpu = 16;
    options.batch.deviceIterations = 3;
    options.host.framework = Framework::Tensorflow; // copies weights in inference too
    return simulate(b.finish({b.unary("relu", ElementwiseFunction::Relu, y)}), options);
}

using Spoil = std::function<void(Profile&)>;

VariableId temporary(const Profile& profile, const std::string& name) {
    for (std::size_t i = 0; i < profile.variables.size(); ++i)
        if (profile.variables[VariableId(i)].name == name)
            return VariableId(i);
    return {};
}

ProgramId programOf(const Profile& profile, ProgramKind kind) {
    for (std::size_t i = 0; i < profile.programs.size(); ++i)
        if (profile.programs[ProgramId(i)].kind == kind)
            return ProgramId(i);
    return {};
}

/// Changes the addresses of the first placement.
template <class Change> void displace(Profile& profile, const Change& change) {
    std::vector<Placement> chunk = decodePlacements(profile.placements.front().packed);
    change(chunk.front().variables);
    profile.placements.front().packed = encodePlacements(chunk);
}

/// All variables of a tile at one address.
void pileUp(Profile& profile) {
    displace(profile, [](std::vector<PlacedVariable>& variables) {
        for (PlacedVariable& placed : variables)
            placed.offset = 0;
    });
}

} // namespace

class InvariantsTest : public QObject {
    Q_OBJECT

private slots:
    void aSoundProfilePasses() {
        const std::string wrong = complaints(sound());
        QVERIFY2(wrong.empty(), wrong.c_str());
    }

    void spoilt_data() {
        QTest::addColumn<QString>("complaint");
        QTest::addColumn<Spoil>("spoil");
        const auto row = [](const char* complaint, Spoil spoil) {
            QTest::newRow(complaint) << QString(complaint) << std::move(spoil);
        };
        row("bytes sent are received", [](Profile& p) {
            p.exchanges[ExchangeId(0)].bytesSent += TileSeries(TileId(0), 1, 4);
        });
        row("no negative bytes, cycles or counts", [](Profile& p) {
            p.exchanges[ExchangeId(0)].codeBytes = TileSeries(TileId(0), 1, -4);
        });
        row("tiles exist", [](Profile& p) {
            p.computeSets[ComputeSetId(0)].cycles += TileSeries(TileId(16), 1, 4);
        });
        row("vertices where there are cycles",
            [](Profile& p) { p.computeSets[ComputeSetId(0)].cycles = {}; });
        row("a tile has the code of its vertices",
            [](Profile& p) { p.vertexTypes[VertexTypeId(0)].codeBytes = {}; });
        row("a child names its parent", [](Profile& p) {
            p.programs[programOf(p, ProgramKind::OnTileExecute)].parent = ProgramId(0);
        });
        row("every program is once in the tree",
            [](Profile& p) { p.programs[p.controlPrograms[0]].children.clear(); });
        row("the steps are the leaves, depth first",
            [](Profile& p) { std::swap(p.steps[StepId(0)], p.steps[StepId(1)]); });
        row("a variable is written before it is read", [](Profile& p) {
            p.programs[programOf(p, ProgramKind::DoExchange)].variablesWritten.clear();
        });
        row("a variable is live while its value is needed", [](Profile& p) {
            auto& life =
                p.livenessClasses[p.variables[temporary(p, "conv/Conv_3x3/partialReduceOut")]
                                      .liveness];
            life.intervals.front().end = StepId(life.intervals.front().first.value() + 1);
        });
        row("live variables do not share addresses", pileUp);
        row("addresses are aligned",
            [](Profile& p) { displace(p, [](auto& variables) { ++variables.back().offset; }); });
        row("every variable has an address",
            [](Profile& p) { displace(p, [](auto& variables) { variables.pop_back(); }); });
        row("code lies in the plain region", [](Profile& p) {
            displace(p, [&](auto& variables) {
                for (PlacedVariable& placed : variables)
                    placed.offset += p.info.target.interleavedOffset;
            });
        });
        row("categories add up", [](Profile& p) { p.categoryMemory.pop_back(); });
        row("including gaps is the highest end",
            [](Profile& p) { ++p.tileMemory[TileId(3)].includingGaps; });
        row("excluding gaps is the used bytes",
            [](Profile& p) { ++p.tileMemory[TileId(3)].excludingGaps; });
        row("always live adds up", [](Profile& p) { ++p.tileMemory[TileId(3)].alwaysLive; });
        row("the liveness peak adds up",
            [](Profile& p) { ++p.tileMemory[TileId(3)].maxNotAlwaysLive; });
        row("steps follow without hole or overlap",
            [](Profile& p) { ++p.trace.bodies[TraceBodyId(0)].steps[1].ipus[0].start; });
        row("a repetition lasts as long as its body",
            [](Profile& p) { ++p.trace.bodies.back().calls.at(0).ipus[0].period; });
        row("an exchange's bytes in are its bytes out", [](Profile& p) {
            for (TraceBody& body : p.trace.bodies)
                for (TraceStep& step : body.steps)
                    if (step.kind == ProgramKind::DoExchange)
                        ++step.ipus[0].bytesIn;
        });
        row("the headline is the main program's cycles", [](Profile& p) { ++p.info.cycles; });
        row("every operation is in the graph", [](Profile& p) {
            p.modelGraph.nodes[ModelNodeId(0)].operation = p.modelGraph.nodes.back().operation;
        });
        row("a tensor is made before it is read",
            [](Profile& p) { p.modelGraph.nodes[ModelNodeId(0)].writes.clear(); });
        row("what does not fit does not run", [](Profile& p) { p.info.fits = false; });
    }

    void spoilt() {
        QFETCH(QString, complaint);
        QFETCH(Spoil, spoil);
        Profile profile = sound();
        spoil(profile);
        const QString found = QString::fromStdString(complaints(profile));
        QVERIFY2(found.contains(complaint + ":"), qPrintable(found));
    }
};

TILESCOPE_TEST(InvariantsTest)

} // namespace invariants_test

#include "invariants_test.moc"
