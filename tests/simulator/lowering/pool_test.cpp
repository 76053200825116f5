// Poolings on the tiles: the work of each vertex, and the steps around it.
#include <QtTest>

#include <algorithm>

#include "simulator/lowering/operations/pool_work.h"
#include "simulator/operations/operations.h"
#include "support/invariants.h"
#include "tests/support/test_main.h"

namespace pool_test {
using namespace tilescope;
using namespace tilescope::sim;
using namespace tilescope::test;

namespace {

Target mk2() {
    return targetPreset("mk2");
}

/// A row of results of four channels in half precision, all on one tile.
PoolWork onOneTile(const FieldDim& dim, bool gradient) {
    PoolPlan plan;
    plan.problem.gradient = gradient;
    plan.problem.channels = 4;
    plan.problem.field = {FieldDim(), dim};
    plan.group.channels = 4;
    plan.splits = plan.grains = {1, 1, 1, 1};
    Blocking blocking;
    for (const std::int64_t size : {std::int64_t{1}, std::int64_t{4}, std::int64_t{1}, dim.out})
        blocking.dims.push_back({{}, size, {{0, size}}, {{1, 1}}});
    return {mk2(), plan, blocking};
}

std::int64_t vertexOfRow(bool gradient, std::int64_t positions) {
    const PoolCycles terms(mk2(), {PoolKind::Max, gradient, 1, 1});
    return terms.vertex(terms.worker(6, terms.row() + positions * terms.position(1)));
}

Profile profileOf(PoolingLayer layer, const std::vector<std::int64_t>& kernel) {
    layer.field = {28, 28};
    layer.kernel = layer.stride = kernel;
    layer.paddingLower = layer.paddingUpper = {0, 0};
    layer.channels = 64;
    Profile profile;
    runOperation(graphOf(layer, DataType::Half), {}, &profile);
    return profile;
}

bool hasStep(const Profile& profile, const std::string& part) {
    return std::any_of(
        profile.computeSets.begin(), profile.computeSets.end(),
        [&](const ComputeSet& set) { return set.name.find(part) != std::string::npos; });
}

} // namespace

class PoolTest : public QObject {
    Q_OBJECT

private slots:
    /// A window of three over six: two positions of the kernel meet the input at either end.
    void edgesHaveLessWork() {
        const PoolWork work = onOneTile({6, 6, 3, 1, 1, 1, 1}, false);
        QCOMPARE(work.cycles().max().value, vertexOfRow(false, 3));
        // Where workers begin, a base for each row, and three lists: first, inner, last.
        QCOMPARE(work.worklistBytes().sum(), 6 * 2 + 6 * 4 + (2 + 3 + 2) * 6);
    }

    /// Windows of two, two apart: each input lies in one, by one of two positions of the kernel.
    void gradientsOfStridesHaveLessWork() {
        const PoolWork work = onOneTile({3, 6, 2, 1, 1, 1, 2}, true);
        QCOMPARE(work.cycles().max().value, vertexOfRow(true, 1));
        QCOMPARE(work.worklistBytes().sum(), 6 * 2 + 6 * 4 + 2 * 6);
    }

    /// Channel groups are read as they lie: nothing is put in order element by element.
    void groupsAreReadAsTheyLie() {
        PoolingLayer layer;
        layer.forwardGroup = layer.backwardGroup = 16;
        const Profile grouped = profileOf(layer, {2, 2});
        QVERIFY(!hasStep(grouped, "PreArrange"));
        layer.forwardGroup = layer.backwardGroup = 1;
        QVERIFY(hasStep(profileOf(layer, {2, 2}), "PreArrange"));
    }

    /// The gradient is copied to where the pooled values lie, from another memory element.
    void gradientsAreCopiedFirst() {
        PoolingLayer layer;
        layer.forwardGroup = layer.backwardGroup = 16;
        const Profile profile = profileOf(layer, {2, 2});
        QVERIFY(hasStep(profile, "gradsRearranged/OnTileCopyPost"));
        QCOMPARE(complaints(profile), std::string());
    }

    void aWindowOfTheWholeFieldIsReduced() {
        for (const PoolKind kind : {PoolKind::Average, PoolKind::Max}) {
            PoolingLayer layer;
            layer.kind = kind;
            layer.forwardGroup = layer.backwardGroup = 16;
            const Profile profile = profileOf(layer, {28, 28});
            QVERIFY(hasStep(profile, "fwd/Reduce"));
            QCOMPARE(hasStep(profile, "broadcast"), kind == PoolKind::Average);
            QCOMPARE(complaints(profile), std::string());
        }
    }
};

TILESCOPE_TEST(PoolTest)

} // namespace pool_test

#include "pool_test.moc"
