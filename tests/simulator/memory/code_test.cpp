// Code on tiles: of copies with the host, of steps, of exchanges.
#include <QtTest>

#include <algorithm>

#include "simulator/cost/footprint.h"
#include "simulator/memory/code.h"
#include "simulator/memory/host_code.h"
#include "simulator/simulate.h"
#include "support/graph_builder.h"
#include "tests/support/category_bytes.h"
#include "tests/support/run_options_of.h"
#include "tests/support/test_main.h"

namespace code_test {
using namespace tilescope;
using namespace tilescope::sim;
using namespace tilescope::test;

namespace {

using Options = std::map<std::string, std::string>;

Target smallTarget(std::int32_t tiles) {
    Target target = targetPreset("mk2");
    target.tilesPerIpu = tiles;
    return target;
}

Profile ran(const Options& values) {
    return simulateModel("mnist-tutorial", optionsOf(values));
}

const Program* controlProgram(const Profile& p, std::string_view name) {
    for (const ProgramId root : p.controlPrograms)
        if (p.programs[root].name == name)
            return &p.programs[root];
    return nullptr;
}

/// Variables that a control program copies.
std::size_t variablesOf(const Profile& p, std::string_view name) {
    const Program* root = controlProgram(p, name);
    std::size_t count = 0;
    if (root != nullptr)
        for (const ProgramId child : root->children)
            count +=
                p.programs[child].variablesRead.size() + p.programs[child].variablesWritten.size();
    return count;
}

std::vector<std::string> runsOf(const Profile& p) {
    std::vector<std::string> names;
    for (const TraceRun& run : p.trace.runs)
        names.push_back(run.name);
    return names;
}

} // namespace

class CodeTest : public QObject {
    Q_OBJECT

private slots:
    void copiesWithTheHost() {
        QCOMPARE(hostCopyCodeBytes(true, 0), std::int64_t(0));
        QCOMPARE(hostCopyCodeBytes(true, 4), std::int64_t(12 + 4));
        QCOMPARE(hostCopyCodeBytes(true, 1025), std::int64_t(12 + 2 * 4));
        QCOMPARE(hostCopyCodeBytes(false, 256), std::int64_t(16 + 8));
        QCOMPARE(hostCopyCodeBytes(false, 257), std::int64_t(16 + 2 * 8 + 4)); // a short one
        QCOMPARE(hostCopyCodeBytes(false, 256 + 72), std::int64_t(16 + 2 * 8));
    }

    /// Two copies in a row are one phase, and a copy in another place again has its code.
    void phasesAreStoredOnce() {
        const Target target = smallTarget(4);
        LoweredProgram lowered;
        ProgramBuilder b(target, lowered);
        const StreamId x = b.stream("h2d_x", true, TileSeries(TileId(0), 1, 8));
        const StreamId y = b.stream("h2d_y", true, TileSeries(TileId(1), 1, 8));
        b.beginControlProgram("main");
        b.streamCopies({{x, {}}, {y, {}}});
        b.end();
        const auto codeOf = [&] {
            HostCode code(lowered.profile, target);
            code.addPrograms();
            return code.code();
        };
        const auto base = hostCodeBytesBase;
        TileSeries wanted(TileId(0), 2, base + hostPhaseCodeBytes + 16);
        wanted += TileSeries(TileId(2), 2, base + hostIdleCodeBytes);
        QCOMPARE(codeOf(), wanted);
        b.beginControlProgram("again");
        b.streamCopies({{x, {}}, {y, {}}});
        b.end();
        QCOMPARE(codeOf(), wanted);
        b.beginControlProgram("alone");
        b.streamCopy(x, {});
        b.end();
        wanted += TileSeries(TileId(0), 1, hostPhaseCodeBytes);
        wanted += TileSeries(TileId(1), 3, hostIdleCodeBytes);
        QCOMPARE(codeOf(), wanted);
    }

    void copiesInARowBeginAndEndOnce() {
        const Target target = smallTarget(4);
        LoweredProgram lowered;
        ProgramBuilder b(target, lowered);
        const StreamId x = b.stream("h2d_x", true, TileSeries(TileId(0), 1, 8));
        const StreamId y = b.stream("h2d_y", true, TileSeries(TileId(1), 1, 8));
        b.beginControlProgram("main");
        b.streamCopies({{x, {}}, {y, {}}});
        b.end();
        std::int64_t bytes = 0;
        for (const Program& program : lowered.profile.programs)
            bytes += program.controlCode.sum();
        QCOMPARE(bytes, 4 * 4 * controlBytesStream);
    }

    /// PopART's variables come and go in training, and are constants in inference.
    void weightsComeAndGo() {
        const Profile training = ran({{"mode", "training"}, {"gradientAccumulation", "2"}});
        const std::size_t variables = variablesOf(training, "weightsFromHost");
        QVERIFY(variables > 0);
        QCOMPARE(variablesOf(training, "weightsToHost"), variables);
        const Profile keras =
            ran({{"mode", "training"}, {"gradientAccumulation", "2"}, {"framework", "keras"}});
        QCOMPARE(2 * variablesOf(keras, "weightsFromHost"), variables); // without accumulators
        QCOMPARE(variablesOf(ran({}), "weightsFromHost"), std::size_t(0));
        QVERIFY(controlProgram(ran({}), "weightsToHost") == nullptr);
        QVERIFY(variablesOf(ran({{"framework", "tensorflow"}}), "weightsFromHost") > 0);
    }

    /// Code and headers of the download exist; no run executes it.
    void theDownloadIsNotRun() {
        const Profile training = ran({{"mode", "training"}});
        QCOMPARE(runsOf(training), (std::vector<std::string>{"Engine::run #0 (weightsFromHost)",
                                                             "Engine::run #1 (outer)"}));
        QVERIFY(bytesOf(training, MemoryCategory::HostExchangePacketHeader) >
                bytesOf(ran({}), MemoryCategory::HostExchangePacketHeader));
    }

    /// Additions and subtractions of a vector have their loop in common; a tile has it once.
    void commonCodeIsStoredOnce() {
        const Target target = smallTarget(4);
        LoweredProgram lowered;
        ProgramBuilder b(target, lowered);
        const auto run = [&](const std::string& function, std::int32_t first, std::int32_t tiles) {
            const TileSeries one(TileId(first), tiles, 1);
            const std::string arguments = "<popops::expr::BinaryOpType::" + function + ",half>";
            b.execute("set", one, {{"popops::BroadcastVectorInner1DInPlace" + arguments, one}}, {});
        };
        b.beginControlProgram("main");
        run("ADD", 0, 2);
        run("SUBTRACT", 1, 2);
        b.end();
        MachineOptions machine;
        addCodeVariables(b, machine, {});
        const auto& types = lowered.profile.vertexTypes;
        const std::string name(types[VertexTypeId(0)].name);
        const std::int64_t own = codeletBytes(name), common = sharedCode(name).front().bytes;
        QCOMPARE(types[VertexTypeId(0)].codeBytes, TileSeries(TileId(0), 2, own + common));
        QCOMPARE(types[VertexTypeId(1)].codeBytes.toDense(4),
                 (std::vector<std::int64_t>{0, own, own + common, 0}));
        QCOMPARE(sharedCode("popops::BinaryOp1D<popops::expr::BinaryOpType::ADD,half>").size(),
                 std::size_t(0));
    }

    void whatNobodyCountsNeedsNoCalls() {
        const Profile counted = ran({});
        const Profile plain = ran({{"engineOptions", R"({"debug.instrument": "false"})"}});
        std::int64_t executes = 0;
        for (const Program& program : counted.programs)
            if (program.kind == ProgramKind::OnTileExecute)
                executes += program.controlCode.tilesUsed();
        QCOMPARE(bytesOf(counted, MemoryCategory::ControlCode) -
                     bytesOf(plain, MemoryCategory::ControlCode),
                 executes * controlBytesCounters);
    }
};

TILESCOPE_TEST(CodeTest)

} // namespace code_test

#include "code_test.moc"
