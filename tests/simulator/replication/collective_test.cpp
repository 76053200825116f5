// Collectives of replicas: rings, the machines that they run over, and the traffic of each step.
#include <QtTest>

#include <cmath>

#include "simulator/cost/collective.h"
#include "support/holds.h"
#include "tests/support/test_main.h"

namespace collective_test {
using namespace tilescope;
using namespace tilescope::sim;
using namespace tilescope::test;

namespace {

using Part = CollectiveSteps::Part;

Target machine(std::int32_t ipus) {
    Target target = targetPreset("mk2");
    target.ipus = ipus;
    return target;
}

/// Bytes that a replica sends in one collective on `bytes`.
double sentBytes(const std::vector<CollectiveSteps>& steps, double bytes) {
    double sent = 0;
    for (const CollectiveSteps& s : steps)
        sent += static_cast<double>(s.count * s.copies) / static_cast<double>(s.blocks) * bytes;
    return sent;
}

} // namespace

class CollectiveTest : public QObject {
    Q_OBJECT

private slots:
    void replicasFillDomains_data() {
        QTest::addColumn<int>("ipus");
        QTest::addColumn<int>("replicas");
        QTest::addColumn<int>("within");
        QTest::addColumn<int>("domains");
        QTest::addRow("POD16 of single IPUs") << 1 << 16 << 16 << 1;
        QTest::addRow("POD16 of fours") << 4 << 4 << 4 << 1;
        QTest::addRow("POD64 of fours") << 4 << 16 << 16 << 1;
        QTest::addRow("POD128 of single IPUs") << 1 << 128 << 64 << 2;
        QTest::addRow("POD256 of fours") << 4 << 64 << 16 << 4;
        QTest::addRow("POD256 of whole PODs") << 64 << 4 << 1 << 4;
    }
    void replicasFillDomains() {
        QFETCH(int, ipus);
        QFETCH(int, replicas);
        const ReplicaTopology topology = replicaTopology(machine(ipus), replicas);
        QTEST(topology.within, "within");
        QTEST(topology.domains, "domains");
    }

    /// The links of a ladder's side are shared by the rings of the IPUs that are on it.
    void ringsShareLinks() {
        const double link = targetPreset("mk2").ipuLinkBytesPerSecond;
        QCOMPARE(replicaTopology(machine(1), 16).linkBytesPerSecond, 2 * link);
        QCOMPARE(replicaTopology(machine(1), 2).linkBytesPerSecond, link);
        QCOMPARE(replicaTopology(machine(2), 8).linkBytesPerSecond, link);
        QCOMPARE(replicaTopology(machine(4), 4).linkBytesPerSecond, link / 2);
        // A whole POD64 is a torus, on which rings run both ways round.
        QCOMPARE(replicaTopology(machine(4), 16).linkBytesPerSecond, link);
    }

    void aRingMovesItsShare() {
        QVERIFY(holds("2 (R - 1) / R of the data, once there and once back", 200, [] {
            const auto ipus = *rc::gen::element(1, 2, 4);
            const auto replicas = *rc::gen::element(2, 4, 8, 16);
            const ReplicaTopology topology = replicaTopology(machine(ipus), replicas);
            const std::int64_t bytes = *rc::gen::inRange<std::int64_t>(10'000, 1'000'000'000);
            const double share = static_cast<double>(replicas - 1) / replicas;
            const auto sent = [&](CollectiveKind kind) {
                return sentBytes(collectiveSteps(topology, kind, bytes), 1);
            };
            RC_ASSERT(std::abs(sent(CollectiveKind::AllReduce) - 2 * share) < 1e-9);
            RC_ASSERT(std::abs(sent(CollectiveKind::ReduceScatter) - share) < 1e-9);
            RC_ASSERT(std::abs(sent(CollectiveKind::AllGather) - share) < 1e-9);
        }));
    }

    void domainsSumShards() {
        const ReplicaTopology topology = replicaTopology(machine(1), 256);
        const auto steps = collectiveSteps(topology, CollectiveKind::AllReduce, 1'000'000);
        QCOMPARE(steps.size(), std::size_t(4));
        QCOMPARE(int(steps[0].part), int(Part::Reduce));
        QCOMPARE(steps[0].count, std::int64_t(63));
        QCOMPARE(int(steps[1].part), int(Part::GatewayReduce));
        QCOMPARE(steps[1].count, std::int64_t(3));
        QCOMPARE(steps[1].blocks, std::int64_t(256));
        QCOMPARE(steps[1].bytesPerSecond, targetPreset("mk2").gatewayBytesPerSecond);
        QCOMPARE(int(steps[2].part), int(Part::GatewayGather));
        QCOMPARE(int(steps[3].part), int(Part::Gather));
        // Shards stay in their domain: the result of a scatter is summed over all domains.
        QCOMPARE(collectiveSteps(topology, CollectiveKind::ReduceScatter, 1'000'000).size(),
                 std::size_t(3));
        QCOMPARE(collectiveSteps(topology, CollectiveKind::AllGather, 1'000'000).size(),
                 std::size_t(1));
    }

    // Racks meet once for the sums and once for the results, in rounds of pairs; a rack alone does
    // not wait, and a faster clock does not help.
    void racksMeet() {
        const auto meeting = [](std::int32_t replicas) {
            double seconds = 0;
            for (const CollectiveSteps& step : collectiveSteps(
                     replicaTopology(machine(1), replicas), CollectiveKind::AllReduce, 1'000'000))
                seconds += static_cast<double>(step.count) * step.setupSeconds;
            return seconds;
        };
        QCOMPARE(meeting(64), 0.0);
        QCOMPARE(meeting(128), 2 * gatewayMeetingSeconds);
        QCOMPARE(meeting(256), 2 * 2 * gatewayMeetingSeconds);
        Target fast = machine(1);
        fast.clockHz *= 2;
        const CollectiveSteps step =
            collectiveSteps(replicaTopology(fast, 128), CollectiveKind::AllReduce, 1'000'000)[1];
        QCOMPARE(collectiveStepCycles(fast, step, 0) - collectiveSetupCycles,
                 2 * (collectiveStepCycles(machine(1), step, 0) - collectiveSetupCycles));
    }

    void smallDataAreBroadcast() {
        const auto steps = collectiveSteps(replicaTopology(machine(1), 16),
                                           CollectiveKind::AllReduce, mostBroadcastBytes);
        QCOMPARE(steps.size(), std::size_t(1));
        QCOMPARE(int(steps[0].part), int(Part::Broadcast));
        QCOMPARE(steps[0].copies, std::int64_t(15));
    }

    void oneReplicaDoesNothing() {
        QVERIFY(collectiveSteps(replicaTopology(machine(4), 1), CollectiveKind::AllReduce, 1 << 20)
                    .empty());
    }

    void codeGrowsWithTheRing() {
        QCOMPARE(collectiveCodeBytes(3), 3 * collectiveCodeBytes(1));
        QCOMPARE(collectiveCodeBytes(63), 63 * collectiveCodeBytes(1));
    }
};

TILESCOPE_TEST(CollectiveTest)

} // namespace collective_test

#include "collective_test.moc"
