// Look-ups and updates as planned: everything valid, and the exchanges that a plan implies.
#include <QtTest>

#include "simulator/operations/operations.h"
#include "simulator/simulate.h"
#include "support/graph_builder.h"
#include "support/holds.h"
#include "support/invariants.h"
#include "tests/support/test_main.h"

namespace embedding_test {
using namespace tilescope;
using namespace tilescope::sim;
using namespace tilescope::test;

namespace {

Profile embedding(std::int64_t rows, std::int64_t width, std::int64_t indices,
                  std::int32_t tiles = 60) {
    OperationOptions options;
    options.target = targetPreset("mk2");
    options.target.tilesPerIpu = tiles;
    Profile profile;
    runOperation(graphOf(EmbeddingLayer{rows, width, {indices}, {}}, DataType::Half), options,
                 &profile);
    return profile;
}

std::vector<std::string> computeSets(const Profile& profile) {
    std::vector<std::string> names;
    for (const ComputeSet& set : profile.computeSets)
        names.push_back(set.name);
    return names;
}

} // namespace

class EmbeddingTest : public QObject {
    Q_OBJECT

private slots:
    void splitByRows() {
        const Profile profile = embedding(5000, 8, 12);
        QVERIFY2(complaints(profile).empty(),
                 qPrintable(QString::fromStdString(complaints(profile))));
        QCOMPARE(
            computeSets(profile),
            (std::vector<std::string>{"multiSlice/multiSlice", "multiSlice/multiSlice/secondStage",
                                      "multiUpdateAdd/multiUpdateAdd"}));
        QVERIFY(profile.operations[OperationId(0)].plan == profile.operations[OperationId(1)].plan);
    }

    void splitByLookups() {
        const Profile profile = embedding(20, 8, 5000);
        QVERIFY2(complaints(profile).empty(),
                 qPrintable(QString::fromStdString(complaints(profile))));
        const auto names = computeSets(profile);
        for (const std::string name : {"CastSlices", "zeroPartials", "castBase", "castBaseBack"})
            QVERIFY2(std::find(names.begin(), names.end(),
                               "multiUpdateAdd/multiUpdateAdd/" + name) != names.end(),
                     name.c_str());
    }

    void anyEmbeddingIsSound() {
        QVERIFY(holds("embeddings", 40, [] {
            const Profile profile = embedding(anyFrom(1, 300), anyFrom(1, 40), anyFrom(1, 400),
                                              static_cast<std::int32_t>(anyFrom(1, 64)));
            const std::string found = complaints(profile);
            if (!found.empty())
                RC_FAIL(found);
        }));
    }
};

TILESCOPE_TEST(EmbeddingTest)

} // namespace embedding_test

#include "embedding_test.moc"
