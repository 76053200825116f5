// What a published table says about the memory of one and of four replicas of BERT-Large; the rates
// of whole machines are in the ledger.
#include <QtTest>

#include <algorithm>
#include <filesystem>
#include <map>

#include "core/options/job.h"
#include "core/options/option_table.h"
#include "simulator/simulate.h"
#include "tests/support/category_bytes.h"
#include "tests/support/test_main.h"

namespace pod16_test {
using namespace tilescope;
using namespace tilescope::sim;
using tilescope::test::bytesOf;

namespace {

/// A job's options with others in their place.
RunOptions optionsOf(const Job& job, std::map<std::string, std::string> more) {
    RunOptions options;
    more.insert(job.options.begin(), job.options.end());
    setRunOptions(options, more);
    return options;
}

Profile run(const char* name, const std::map<std::string, std::string>& more = {}) {
    const Job job = readJob(std::filesystem::path(TILESCOPE_SOURCE_DIR "/resources/jobs") / name);
    return simulateModel(job.model, optionsOf(job, more));
}

/// BERT-Large with one and with four replicas, alike but for what several replicas share.
const Profile& bert(int replicas) {
    static std::map<int, Profile> profiles;
    if (!profiles.contains(replicas))
        profiles.emplace(replicas,
                         run("bert_large_pod16.json", {{"replicas", std::to_string(replicas)},
                                                       {"replicatedTensorSharding", "off"}}));
    return profiles.at(replicas);
}

const Profile& sharded() {
    static const Profile profile = run("bert_large_pod16.json");
    return profile;
}

double growth(MemoryCategory category) {
    return static_cast<double>(bytesOf(bert(4), category)) /
           static_cast<double>(bytesOf(bert(1), category));
}

bool isWithin(double ratio, double factor) {
    return ratio < factor && ratio > 1 / factor;
}

std::int64_t remoteBytes(const Profile& p) {
    std::int64_t bytes = 0;
    for (const RemoteBuffer& buffer : p.remoteBuffers)
        bytes += buffer.rows * buffer.rowBytes;
    return bytes;
}

/// Optimizer state that stays on the chip.
std::int64_t momentBytes(const Profile& p) {
    std::int64_t sum = 0;
    for (const Variable& v : p.variables)
        if (v.alwaysLive && v.name.starts_with("Accl"))
            sum += v.bytes.sum();
    return sum;
}

} // namespace

class Pod16Test : public QObject {
    Q_OBJECT
private slots:
    /// Directions and rough ratios of the guide's table of BERT-Large's memory.
    void memoryOfReplicas() {
        const double global = growth(MemoryCategory::GlobalExchangeCode);
        QVERIFY2(global > 3 && global < 5, qPrintable(QString::number(global)));
        const double internal = growth(MemoryCategory::InternalExchangeCode); // published: 1.17
        QVERIFY2(internal > 1.02 && internal < 1.2, qPrintable(QString::number(internal)));
        const double control = growth(MemoryCategory::ControlCode); // published: 1.28
        QVERIFY2(control > 1.05 && control < 1.3, qPrintable(QString::number(control)));
        QVERIFY(growth(MemoryCategory::HostExchangeCode) < 1.01);
    }

    void shardsDivideWhatIsOffTheChip() {
        const double ratio =
            static_cast<double>(remoteBytes(bert(4))) / static_cast<double>(remoteBytes(sharded()));
        QVERIFY2(ratio > 3.9 && ratio <= 4, qPrintable(QString::number(ratio)));
        QCOMPARE(momentBytes(sharded()), std::int64_t(0));
        const Profile onChip = run("bert_large_pod16.json", {{"offload", ""}});
        const auto whole = static_cast<double>(remoteBytes(bert(4)));
        const double share = whole / static_cast<double>(momentBytes(onChip));
        QVERIFY2(share > 3.9 && share < 4.1, qPrintable(QString::number(share)));
    }

    /// 256 IPUs are compiled and timed as one replica is: rings between domains are all that comes
    /// on top.
    void replicasCostNothing() {
        const char* const job = "bert_large_pod16_v11.json"; // v1.0's does not fit 64 times
        const Profile few = run(job);
        const Profile many = run(job, {{"target", "pod256"}, {"replicas", "64"}});
        const auto gateways =
            std::count_if(many.programs.begin(), many.programs.end(), [](const Program& p) {
                return p.name.find("/gateway") != std::string::npos;
            });
        QVERIFY(gateways > 0);
        // Shards of other sizes have a few copies more or less.
        const double ratio =
            static_cast<double>(many.programs.size() - static_cast<std::size_t>(gateways)) /
            static_cast<double>(few.programs.size());
        QVERIFY2(isWithin(ratio, 1.05), qPrintable(QString::number(ratio)));
        QVERIFY(many.info.throughput > 10 * few.info.throughput);
    }
};

TILESCOPE_TEST(Pod16Test, QCoreApplication)

} // namespace pod16_test

#include "pod16_test.moc"
