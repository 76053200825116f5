// Look-ups and updates as planned: everything valid, and the exchanges that a plan implies.
#include <QtTest>

#include "core/store/placement_codec.h"
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

/// Memory elements that a variable reaches into on the first tile: the first and the last.
std::pair<std::int64_t, std::int64_t> elementsOnFirstTile(const Profile& profile,
                                                          std::string_view name) {
    const auto placements = unpackedPlacements(profile.placements);
    const std::int64_t at = profile.placementOfTile.at(TileId(0)) - 1;
    for (const PlacedVariable& placed :
         placements[PlacementId(static_cast<std::int32_t>(at))].variables) {
        const Variable& variable = profile.variables[placed.variable];
        const std::int64_t bytes = variable.bytes.at(TileId(0));
        const std::int64_t element = profile.info.target.elementBytes;
        if (std::string_view(variable.name) == name && bytes > 0)
            return {placed.offset / element, (placed.offset + bytes - 1) / element};
    }
    return {-1, -1};
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

    /// Indices, table and what is looked up share no memory element; nor does what is added.
    void operandsHaveElementsOfTheirOwn() {
        const Profile profile = embedding(5000, 8, 12);
        const std::string slice = "multiSlice/multiSlice/",
                          update = "multiUpdateAdd/multiUpdateAdd/";
        for (const std::vector<std::string>& operands :
             {std::vector<std::string>{"embeddingMatrix", slice + "offsets", slice + "partials"},
              std::vector<std::string>{"embeddingMatrix", update + "offsets", update + "slices"}}) {
            std::pair<std::int64_t, std::int64_t> before{-1, -1};
            for (const std::string& operand : operands) {
                const auto elements = elementsOnFirstTile(profile, operand);
                QVERIFY2(elements.first > before.second, operand.c_str());
                before = elements;
            }
        }
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
