// What operands and results of convolutions leave free between them: each lies in memory elements
// of its own, so that fullest tiles are those of published products.
#include <algorithm>

#include <QtTest>

#include "simulator/memory/tile_placer.h"
#include "simulator/operations/operations.h"
#include "support/holds.h"
#include "tests/support/test_main.h"

namespace elements_test {
using namespace tilescope;
using namespace tilescope::sim;
using namespace tilescope::test;

namespace {

/// Elements of 64 B, of which the upper half of 4 KiB is interleaved in pairs.
Target smallTile() {
    Target target = targetPreset("mk2");
    target.bytesPerTile = 4096;
    target.interleavedOffset = 2048;
    target.elementBytes = 64;
    return target;
}

std::int64_t elementOf(std::int64_t address) {
    return address < 2048 ? address / 64 : 2048 / 64 + (address - 2048) / 128;
}

bool has(const PlaceRequest& request, VariableId peer) {
    return std::count(request.preferablyApart.begin(), request.preferablyApart.end(), peer) > 0;
}

/// Variables and messages, some of which are not on the tile, each with up to two peers.
std::vector<PlaceRequest> anyRequests(std::size_t classes) {
    std::vector<PlaceRequest> all;
    for (std::int64_t i = anyFrom(2, 100); i > 0; --i)
        all.push_back(
            {VariableId(all.size()),
             anyFrom(1, 150),
             LivenessClassId(static_cast<std::size_t>(anyFrom(0, std::int64_t(classes) - 1))),
             *rc::gen::element(MemoryCategory::Variable, MemoryCategory::Message),
             *rc::gen::arbitrary<bool>(),
             {},
             {}});
    const auto last = static_cast<std::int64_t>(all.size()) - 1;
    for (std::int64_t i = anyFrom(0, 40); i > 0; --i) {
        PlaceRequest& one = all[static_cast<std::size_t>(anyFrom(0, last))];
        PlaceRequest& other = all[static_cast<std::size_t>(anyFrom(0, last))];
        if (one.variable == other.variable || one.preferablyApart[1].valid() ||
            other.preferablyApart[1].valid())
            continue;
        for (PlaceRequest* request : {&one, &other})
            *std::find(request->preferablyApart.begin(), request->preferablyApart.end(),
                       VariableId()) = (request == &one ? other : one).variable;
    }
    for (PlaceRequest& request : all)
        if (anyFrom(0, 4) == 0)
            request.liveness = {};
    std::erase_if(all, [](const PlaceRequest&) { return anyFrom(0, 5) == 0; });
    return all;
}

} // namespace

class ElementsTest : public QObject {
    Q_OBJECT

private slots:
    /// What exchanges bring comes before larger variables; always-live ones before both.
    void messagesBeforeVariables() {
        IdVector<LivenessClassId, LivenessClass> classes;
        const LivenessClassId life = classes.add({{{StepId(0), StepId(3)}}});
        std::vector<PlaceRequest> requests{
            {VariableId(0), 64, life, MemoryCategory::Variable, false, {}, {}},
            {VariableId(1), 48, life, MemoryCategory::Message, false, {}, {}},
            {VariableId(2), 16, {}, MemoryCategory::Variable, false, {}, {}}};
        const Interference interference(classes);
        const Target target = targetPreset("mk2");
        const auto orderOf = [](const std::vector<PlacedRequest>& placed) {
            std::vector<std::uint32_t> order;
            for (const PlacedRequest& place : placed)
                order.push_back(place.request);
            return order;
        };
        using Order = std::vector<std::uint32_t>;
        QCOMPARE(orderOf(placeOnTile(requests, interference, target)), (Order{2, 0, 1}));
        TilePlacements placements(interference, target);
        QCOMPARE(orderOf(placements.placeMessagesFirst(requests)), (Order{2, 1, 0}));
        // In the next element than the always-live one: the larger variable takes the gap.
        requests[1].preferablyApart = {VariableId(2)};
        requests[2].preferablyApart = {VariableId(1)};
        const auto placed = placements.placeMessagesFirst(requests);
        QCOMPARE(orderOf(placed), (Order{2, 0, 1}));
        QCOMPARE(placed.back().offset, target.elementBytes);
        // Preferences count with messages only.
        QCOMPARE(orderOf(placements.place(requests)), (Order{2, 0, 1}));
        QCOMPARE(placements.place(requests).back().offset, 16 + 64);
        // One without the other on its tile.
        requests[1].preferablyApart = {VariableId(7)};
        QCOMPARE(orderOf(placements.placeMessagesFirst(requests)), (Order{2, 1, 0}));
    }

    /// Peers share no element, wherever they are; what lives at the same time shares no byte.
    void peersShareNoElement() {
        QVERIFY(holds("peers", 300, [] {
            IdVector<LivenessClassId, LivenessClass> classes;
            for (std::int64_t i = anyFrom(1, 8); i > 0; --i) {
                const std::int64_t first = anyFrom(0, 10);
                classes.add({{{StepId(static_cast<std::int32_t>(first)),
                               StepId(static_cast<std::int32_t>(anyFrom(first + 1, 12)))}}});
            }
            const std::vector<PlaceRequest> requests = anyRequests(classes.size());
            const Interference interference(classes);
            const Target target = smallTile();
            TilePlacements placements(interference, target);
            const auto placed = placements.placeMessagesFirst(requests);
            RC_ASSERT(placed.size() == requests.size());
            for (const PlacedRequest& one : placed)
                for (const PlacedRequest& other : placed) {
                    const PlaceRequest& a = requests[one.request];
                    const PlaceRequest& b = requests[other.request];
                    if (one.request == other.request)
                        continue;
                    const bool meet = !a.liveness.valid() || !b.liveness.valid() ||
                                      classes[a.liveness].overlaps(classes[b.liveness]);
                    if (meet)
                        RC_ASSERT(one.offset + a.bytes <= other.offset ||
                                  other.offset + b.bytes <= one.offset);
                    if (has(a, b.variable))
                        RC_ASSERT(elementOf(one.offset + a.bytes - 1) < elementOf(other.offset) ||
                                  elementOf(other.offset + b.bytes - 1) < elementOf(one.offset));
                }
        }));
    }

    // The input of the AMP's vertices shares no memory element with what they write (PopLibs
    // ConvPartial1x1Out.cpp, ConvPartialnx1.cpp). Where operands do not fit below interleaved
    // memory, the sums begin at the next pair of elements above them. Rows of PopLibs' regression
    // benchmarks, products of halves; each has 24 bytes more than is simulated.
    void fullestTilesOfProducts_data() {
        QTest::addColumn<QString>("target");
        QTest::addColumn<std::int64_t>("m");
        QTest::addColumn<std::int64_t>("k");
        QTest::addColumn<std::int64_t>("n");
        QTest::addColumn<std::int64_t>("published");
        const auto row = [](const char* target, int m, int k, int n, std::int64_t published) {
            QTest::addRow("%s %dx%dx%d", target, m, k, n)
                << target << std::int64_t{m} << std::int64_t{k} << std::int64_t{n} << published;
        };
        row("mk1", 200, 512, 20'000, 190'424);
        row("mk1", 1000, 256, 10'000, 197'464);
        row("mk2", 1000, 512, 10'000, 404'312);
        row("mk2", 1000, 256, 30'000, 394'424);
        row("mk2", 1000, 512, 30'000, 460'824);
    }
    void fullestTilesOfProducts() {
        QFETCH(QString, target);
        QFETCH(std::int64_t, m);
        QFETCH(std::int64_t, k);
        QFETCH(std::int64_t, n);
        QFETCH(std::int64_t, published);
        GeneralMatrixMultiply multiply;
        multiply.m = m;
        multiply.k = k;
        multiply.n = n;
        OperationOptions options;
        options.target = targetPreset(target.toStdString());
        options.compilesCode = true;
        constexpr std::int64_t notKnown = 24;
        QCOMPARE(runOperation(graphOf(multiply, DataType::Half), options).maxTileMemory + notKnown,
                 published);
    }
};

TILESCOPE_TEST(ElementsTest)

} // namespace elements_test

#include "elements_test.moc"
