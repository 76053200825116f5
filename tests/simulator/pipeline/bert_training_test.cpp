// BERT trained over four IPUs: the effect of each choice of a user on memory and time. A small BERT
// whose stages have the proportions of the published placement (a short first stage with the
// embedding, the head on its IPU).
#include <QtTest>
#include <algorithm>
#include <map>
#include <set>

#include "core/analysis/execution/pipeline.h"
#include "core/options/option_table.h"
#include "simulator/simulate.h"
#include "support/invariants.h"
#include "tests/support/qt_text.h"
#include "tests/support/test_main.h"

namespace bert_training_test {
using namespace tilescope;
using namespace tilescope::sim;
using namespace tilescope::test;

namespace {

using Settings = std::map<std::string, std::string>;

Profile trained(const Settings& settings) {
    RunOptions options;
    const Settings base{{"mode", "training"},
                        {"ipus", "4"},
                        {"tilesPerIpu", "736"},
                        {"execution", "pipelined"},
                        {"precision", "half"},
                        {"partialsType", "half"},
                        {"accumulationType", "half"},
                        {"optimizer", "sgd"},
                        {"recompute", "pipeline"},
                        {"gradientAccumulation", "20"},
                        {"modelOptions", "layers=7,maskedTokens=20"},
                        {"split", "Layer1,Layer3,Layer5,MLM"},
                        {"deviceMapping", "0,1,2,3,0"}};
    setRunOptions(options, base);
    setRunOptions(options, settings);
    return simulateModel("bert-base", options);
}

const Profile& plain() {
    static const Profile profile = trained({});
    return profile;
}

/// Bytes on all tiles of code and state, which functions share.
std::int64_t sharedBytes(const Profile& p) {
    std::int64_t sum = 0;
    for (const Variable& v : p.variables)
        if (v.category == MemoryCategory::VertexInstanceState ||
            v.category == MemoryCategory::InternalExchangeCode)
            sum += v.bytes.sum();
    return sum;
}

/// Not always live bytes on all tiles, each at its own worst step.
std::int64_t notAlwaysLive(const Profile& p) {
    std::int64_t sum = 0;
    for (const TileMemory& tile : p.tileMemory)
        sum += tile.maxNotAlwaysLive;
    return sum;
}

/// Bytes of each stash or FIFO by name, all rows.
std::map<std::string, std::int64_t> bufferBytes(const Profile& p) {
    std::map<std::string, std::int64_t> bytes;
    for (const StageRecord& stage : p.pipeline.stages)
        for (const VariableId buffer : stage.buffers)
            bytes[p.variables[buffer].name] += p.variables[buffer].bytes.sum();
    return bytes;
}

std::int64_t sumOf(const std::map<std::string, std::int64_t>& bytes) {
    std::int64_t sum = 0;
    for (const auto& [name, one] : bytes)
        sum += one;
    return sum;
}

} // namespace

class BertTrainingTest : public QObject {
    Q_OBJECT

private slots:
    void profilesKeepTheInvariants() {
        QCOMPARE(text(complaints(plain())), QString());
        QVERIFY(plain().info.fits);
    }

    /// The head comes back to the embedding's IPU: its table is not copied, its gradient neither.
    void headRunsWhereItsTableIs() {
        QCOMPARE(plain().pipeline.stages.back().ipu, IpuId(0));
        const auto tableCopies = [](const Profile& p) {
            std::int64_t count = 0;
            for (const Program& program : p.programs)
                count += program.kind == ProgramKind::GlobalExchange &&
                                 program.name.find("Embedding/Token.weight") != std::string::npos
                             ? 1
                             : 0;
            return count;
        };
        QCOMPARE(tableCopies(plain()), 0);
        const Profile apart = trained({{"split", "Layer1,Layer3,Layer5"}, {"deviceMapping", ""}});
        QVERIFY(std::any_of(apart.messages.begin(), apart.messages.end(), [](const Message& m) {
            return m.text.find("--split Layer1,Layer3,Layer5,MLM --device-mapping 0,1,2,3,0") !=
                   std::string::npos;
        }));
        QVERIFY(apart.info.cycles > plain().info.cycles * 3 / 2);
    }

    /// Repeated layers are functions that calls name: less state and code; copies and time grow a
    /// little.
    void outliningSharesCode() {
        const Profile off = trained({{"outline", "off"}});
        QVERIFY(std::any_of(plain().programs.begin(), plain().programs.end(), [](const Program& p) {
            return p.kind == ProgramKind::Call &&
                   plain().programs[p.target].name.starts_with("call_subgraph(");
        }));
        QVERIFY(std::none_of(off.programs.begin(), off.programs.end(), [](const Program& program) {
            return program.name.starts_with("call_subgraph(");
        }));
        QVERIFY(sharedBytes(plain()) < sharedBytes(off));
        const double ratio =
            static_cast<double>(plain().info.cycles) / static_cast<double>(off.info.cycles);
        QVERIFY2(ratio > 1 && ratio < 1.2, qPrintable(QString::number(ratio)));
    }

    /// Activations of a stage live only while its backward pass runs; that costs a forward pass of
    /// all stages except the last.
    void recomputationTradesTimeForMemory() {
        const Profile off = trained({{"recompute", "none"}});
        QVERIFY(notAlwaysLive(plain()) < notAlwaysLive(off));
        QVERIFY(sumOf(bufferBytes(plain())) * 5 < sumOf(bufferBytes(off)));
        QVERIFY(plain().info.cycles > off.info.cycles);
        const PipelineReport with = pipelineReport(plain());
        const PipelineReport without = pipelineReport(off);
        for (std::size_t i = 0; i < with.stages.size(); ++i) {
            const auto ofBoth = [i](const PipelineReport& report) {
                const auto& stage = report.stages[i];
                return static_cast<double>(stage.forwardCycles + stage.backwardCycles);
            };
            const double share = (ofBoth(with) - ofBoth(without)) /
                                 static_cast<double>(with.stages[i].forwardCycles);
            const QString shown = QString("stage %1: %2").arg(i).arg(share);
            if (i + 1 == with.stages.size())
                QVERIFY2(std::abs(share) < 0.1, qPrintable(shown));
            else // less what stashing costs without recomputation
                QVERIFY2(share > 0.5 && share < 1.1, qPrintable(shown));
        }
    }

    /// A stash holds samples: eight at a time take eight times the bytes, each.
    void buffersGrowWithTheBatch() {
        const auto one = bufferBytes(plain());
        const auto eight = bufferBytes(trained({{"batchSize", "8"}}));
        QVERIFY(one.size() > 4);
        QCOMPARE(eight.size(), one.size());
        for (const auto& [name, bytes] : one) {
            QVERIFY2(eight.contains(name), name.c_str());
            QVERIFY2(eight.at(name) == 8 * bytes, name.c_str());
        }
    }

    /// Interleaved starts a micro-batch every second slot: half the FIFO rows, and slots that take
    /// the longer of a forward and a backward pass. Its IPUs run a stage each.
    void interleavedTakesLessMemoryAndMoreTime() {
        const Settings four{{"split", "Layer1,Layer3,Layer5"},
                            {"deviceMapping", ""},
                            {"modelOptions", "layers=7,maskedTokens=0,head=squad"},
                            {"gradientAccumulation", "16"}};
        Settings grouped = four;
        grouped["schedule"] = "grouped";
        Settings interleaved = four;
        interleaved["schedule"] = "interleaved";
        const Profile a = trained(grouped);
        const Profile b = trained(interleaved);
        QCOMPARE(sumOf(bufferBytes(b)) * 2, sumOf(bufferBytes(a)));
        QVERIFY(b.info.cycles > a.info.cycles * 5 / 4);
        for (const auto& [name, bytes] : bufferBytes(a))
            QVERIFY2(name.ends_with("/fifo"), name.c_str());
    }

    /// The time to simulate and the file do not depend on how often the slots run.
    void countsCostNothing() {
        const Profile many =
            trained({{"gradientAccumulation", "2000"}, {"deviceIterations", "1000"}});
        const Profile few = trained({{"deviceIterations", "2"}});
        QCOMPARE(many.programs.size(), few.programs.size());
        QCOMPARE(many.steps.size(), few.steps.size());
        QCOMPARE(many.trace.bodies.size(), few.trace.bodies.size());
        QCOMPARE(many.variables.size(), few.variables.size());
    }
};

TILESCOPE_TEST(BertTrainingTest)

} // namespace bert_training_test

#include "bert_training_test.moc"
