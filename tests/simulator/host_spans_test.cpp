// The record of a run's host.
#include <QtTest>
#include <algorithm>
#include <map>

#include "core/profile/host.h"
#include "simulator/simulate.h"
#include "tests/support/test_main.h"

namespace host_spans_test {
using namespace tilescope;
using namespace tilescope::sim;

namespace {

const HostSpan& loadingOf(const Profile& p) {
    return *std::find_if(p.hostSpans.begin(), p.hostSpans.end(),
                         [](const HostSpan& span) { return span.lane == loadingLane; });
}

/// Bytes on one IPU that an executable contains: everything except reserved memory.
std::int64_t loadedBytes(const Profile& p) {
    std::int64_t bytes = 0;
    for (const CategoryMemory& memory : p.categoryMemory) {
        const std::string name(toString(memory.category));
        const bool room = name == "variable" || name == "message" || name == "stack" ||
                          name == "controlId" || name == "instrumentationResults";
        bytes += room ? 0 : memory.bytes.sum();
    }
    return bytes;
}

} // namespace

class HostSpansTest : public QObject {
    Q_OBJECT

private slots:
    void phasesFollowEachOther() {
        const Profile p = simulateModel("mlp", {});
        QStringList phases;
        std::map<std::string, double> seconds;
        double end = 0;
        for (const HostSpan& span : p.hostSpans) {
            QVERIFY(span.start >= end - 1e-9);
            QVERIFY(span.seconds > 0);
            end = span.start + span.seconds;
            if (span.lane != compilationLane)
                continue;
            phases << QString::fromStdString(span.name);
            seconds[span.name] += span.seconds;
        }
        QCOMPARE(phases,
                 (QStringList{"import", "prepare", "plan", "lower", "liveness", "place", "time"}));
        QVERIFY(seconds == p.info.timings);
    }

    void theExecutableIsLoadedAfterwards() {
        const Profile p = simulateModel("mlp", {});
        const HostSpan& loading = loadingOf(p);
        const HostSpan& last = *(&loading - 1);
        QCOMPARE(loading.start, last.start + last.seconds);
        const std::int64_t bytes = loadedBytes(p);
        QVERIFY(bytes > 100'000);
        const Target& target = p.info.target;
        QCOMPARE(loading.seconds, target.hostLatencySeconds +
                                      static_cast<double>(bytes) / target.hostBytesPerSecond);
    }

    // IPUs load side by side: two take less than one that holds everything.
    void ipusLoadSideBySide() {
        RunOptions options;
        options.machine.target.ipus = 2;
        options.execution.scheme = Execution::Pipelined;
        options.batch.deviceIterations = 4;
        const Profile p = simulateModel("mlp", options);
        const Target& target = p.info.target;
        const double all = static_cast<double>(loadedBytes(p)) / target.hostBytesPerSecond;
        const double loading = loadingOf(p).seconds - target.hostLatencySeconds;
        QVERIFY(loading < all && loading >= all / 2);
    }

    void whatDoesNotFitIsNotLoaded() {
        RunOptions options;
        options.batch.batchSize = 400'000;
        const Profile p = simulateModel("mlp", options);
        QVERIFY(!p.info.fits);
        QVERIFY(!p.hostSpans.empty());
        for (const HostSpan& span : p.hostSpans)
            QCOMPARE(span.lane, std::string(compilationLane));
    }
};

TILESCOPE_TEST(HostSpansTest)

} // namespace host_spans_test

#include "host_spans_test.moc"
