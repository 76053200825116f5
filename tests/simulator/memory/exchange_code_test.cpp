// Code of exchanges: sends, pieces, and shared code.
#include <QtTest>

#include <algorithm>
#include <fmt/format.h>
#include <map>

#include "simulator/cost/footprint.h"
#include "simulator/layout/layout.h"
#include "simulator/lowering/program/builder.h"
#include "simulator/memory/liveness.h"
#include "simulator/memory/shared_exchanges.h"
#include "simulator/simulate.h"
#include "tests/support/run_options_of.h"
#include "tests/support/test_main.h"

namespace exchange_code_test {
using namespace tilescope;
using namespace tilescope::sim;
using namespace tilescope::test;

namespace {

BlockedDim dimOf(std::vector<int> atoms, std::vector<Interval> blocks, std::int32_t stride) {
    BlockedDim dim;
    dim.atoms = std::move(atoms);
    dim.size = blocks.back().end;
    dim.digits = {{static_cast<std::int32_t>(blocks.size()), stride}};
    dim.blocks = std::move(blocks);
    return dim;
}

// Scores of attention in a published profile of a Vision Transformer: a product whose tiles have 16
// columns of half a head's rows, for a softmax whose tiles have whole rows.
constexpr std::int64_t heads = 16;
constexpr std::int64_t rows = 729;
constexpr std::int64_t columns = 729;
constexpr std::int64_t columnsOfTile = 16;
constexpr std::int32_t tiles = 1472;
const std::vector<std::int64_t> scoreSizes{heads, rows, columns};

Blocking scoresAsMade() {
    std::vector<Interval> groups;
    for (std::int64_t at = 0; at < columns; at += columnsOfTile)
        groups.push_back({at, std::min(columns, at + columnsOfTile)});
    const auto count = static_cast<std::int32_t>(groups.size());
    Blocking made;
    made.dims = {dimOf({0}, evenBlocks(heads, heads), 2 * count),
                 dimOf({1}, evenBlocks(rows, 2), count), dimOf({2}, groups, 1)};
    return made;
}

Blocking scoresByRow() {
    Blocking wanted;
    wanted.dims = {dimOf({0, 1}, evenBlocks(heads * rows, tiles), 1),
                   dimOf({2}, {{0, columns}}, 1)};
    return wanted;
}

/// A program of exchanges from one variable to another, all tiles to the next ones.
class Exchanges {
public:
    Exchanges()
        : builder_(target_, lowered_) {
        builder_.beginControlProgram("main");
    }
    VariableId temporary() {
        return builder_.variable("t", MemoryCategory::Variable, TileSeries(TileId(0), 8, 64));
    }
    VariableId weight() {
        return builder_.alwaysLive("w", MemoryCategory::Variable, TileSeries(TileId(0), 8, 64));
    }
    ExchangeId move(VariableId from, VariableId to) {
        Traffic traffic;
        traffic.sent = TileSeries(TileId(0), 8, 16);
        traffic.received = traffic.sent;
        traffic.messages = traffic.sent.ones();
        traffic.total = traffic.sent.sum();
        Movement movement;
        movement.add(target_, traffic, 4, 64);
        return builder_.exchange("move", std::move(movement), {{from}, {to}});
    }
    void finish() {
        builder_.end();
        analyseLiveness(lowered_.profile);
        shareExchangeCode(lowered_.profile);
    }
    std::int64_t codeOf(ExchangeId id) const {
        return lowered_.profile.exchanges[id].codeBytes.sum();
    }

private:
    Target target_ = targetPreset("mk2");
    LoweredProgram lowered_;
    ProgramBuilder builder_;
};

} // namespace

class ExchangeCodeTest : public QObject {
    Q_OBJECT

private slots:
    void sends() {
        QCOMPARE(sendCodeBytes(1, 256, 1), std::int64_t(8));
        QCOMPARE(sendCodeBytes(3, 256, 3), std::int64_t(24));
        QCOMPARE(sendCodeBytes(3, 256, 1), std::int64_t(4 + 3 * 4));
        QCOMPARE(sendCodeBytes(1, 260, 1), std::int64_t(8 + 4 + 4));
        QCOMPARE(sendCodeBytes(1, 256 + 4 * 4096, 1), std::int64_t(8 + 4 + 4));
        QCOMPARE(sendCodeBytes(2, 260 + 4 * 4096, 2), std::int64_t(2 * (8 + 4 + 8)));
        QCOMPARE(exchangeCodeBytes(8, 1, 3), std::int64_t(8 + 8 + 4 + 12));
        QCOMPARE(exchangeCodeBytes(0, 0, 0), std::int64_t(0));
    }

    /// Published: 5,242 B a tile. Messages of whole sources would be 560.
    void scoresToSoftmax() {
        const Target target = targetPreset("mk2");
        const Blocking made = scoresAsMade();
        const Blocking wanted = scoresByRow();
        QCOMPARE(made.tiles(), tiles);
        Traffic traffic = trafficBetween(made, wanted, scoreSizes);
        const std::vector<OrderLevel> blocked{{0, 0}, {2, 0}, {1, 0}, {2, columnsOfTile}};
        const std::vector<OrderLevel> byRow{{0, 0}, {1, 0}, {2, 0}};
        traffic.piece = pieceElements(blocked, byRow, {1, 8, columnsOfTile},
                                      blockSizes(made, scoreSizes), blockSizes(wanted, scoreSizes));
        QCOMPARE(traffic.piece, columnsOfTile);
        // Each piece of a row comes from another tile.
        traffic.landing = pieceElements(byRow, byRow, {1, 8, columnsOfTile}, {1, 8, columnsOfTile},
                                        blockSizes(wanted, scoreSizes));
        QCOMPARE(traffic.landing, columnsOfTile);
        LoweredProgram lowered;
        ProgramBuilder b(target, lowered);
        b.beginControlProgram("main");
        const VariableId from =
            b.variable("scores", MemoryCategory::Variable, made.elements().scaled(2));
        const VariableId to =
            b.variable("rows", MemoryCategory::Message, wanted.elements().scaled(2));
        Movement movement;
        movement.add(target, traffic, 2, 2 * traffic.piece);
        const ExchangeId id = b.exchange("softmax", std::move(movement), {{from}, {to}});
        b.end();
        const std::int64_t average = lowered.profile.exchanges[id].codeBytes.sum() / tiles;
        QVERIFY2(average > 4'300 && average < 5'900, qPrintable(QString::number(average)));
    }

    /// Pieces that come from one tile one after the other are sent one by one, without a pause, and
    /// received as one.
    void piecesThatFollowEachOther() {
        const Target target = targetPreset("mk2");
        Traffic traffic;
        traffic.total = 64;
        traffic.received = TileSeries::fromRuns({{0, 1, 64}});
        traffic.sent = traffic.received;
        traffic.messages = traffic.received.ones();
        const auto codeOf = [&](std::int64_t piece, std::int64_t landing) {
            traffic.piece = piece;
            traffic.landing = landing;
            Movement movement;
            movement.add(target, traffic, 4, 4 * piece);
            return std::pair(movement.sendCode.sum(), movement.messages.sum());
        };
        QCOMPARE(codeOf(8, 8), std::pair(std::int64_t(8 * 8), std::int64_t(8)));
        QCOMPARE(codeOf(8, 32), std::pair(std::int64_t(8 * 4 + 2 * 4), std::int64_t(2)));
        QCOMPARE(codeOf(8, 64), std::pair(std::int64_t(8 * 4 + 4), std::int64_t(1)));
    }

    /// Less code is not for nothing: what arrives in whole messages has to be put in order.
    void savedCodeCostsCopies() {
        const auto ran = [](const char* target) {
            return simulateModel(
                "vit-base",
                optionsOf({{"precision", "half"},
                           {"batchSize", "4"},
                           {"modelOptions", R"({"layers": "1"})"},
                           {"engineOptions",
                            fmt::format(R"({{"opt.internalExchangeOptimisationTarget":"{}"}})",
                                        target)}}));
        };
        const Profile pieces = ran("balanced"), whole = ran("memory");
        const auto codeOf = [](const Profile& p) {
            std::int64_t bytes = 0;
            for (const Exchange& exchange : p.exchanges)
                bytes += exchange.codeBytes.sum();
            return bytes;
        };
        QVERIFY(codeOf(whole) < codeOf(pieces));
        QVERIFY(whole.info.cycles > pieces.info.cycles);
        QVERIFY(whole.copies.size() > pieces.copies.size());
    }

    void equalOrdersMoveBlocks() {
        const std::vector<OrderLevel> order{{0, 0}, {1, 0}};
        QCOMPARE(pieceElements(order, order, {4, 8}, {4, 8}, {4, 8}), std::int64_t(32));
        // A tile that has or wants more of a row has a gap between two rows.
        QCOMPARE(pieceElements(order, order, {4, 8}, {4, 16}, {4, 8}), std::int64_t(8));
        QCOMPARE(pieceElements(order, order, {4, 8}, {4, 8}, {4, 16}), std::int64_t(8));
        QCOMPARE(pieceElements(order, {{1, 0}, {0, 0}}, {4, 8}, {4, 8}, {4, 8}), std::int64_t(1));
    }

    void temporariesInTheSamePlaceShare() {
        Exchanges made;
        const VariableId w = made.weight();
        const VariableId v = made.weight();
        const ExchangeId first = made.move(made.temporary(), made.temporary());
        const ExchangeId second = made.move(made.temporary(), made.temporary());
        const ExchangeId ofWeight = made.move(w, made.temporary());
        const ExchangeId again = made.move(w, made.temporary());
        const ExchangeId ofOther = made.move(v, made.temporary());
        made.finish();
        QVERIFY(made.codeOf(first) > 0);
        QCOMPARE(made.codeOf(second), std::int64_t(0));
        QCOMPARE(made.codeOf(ofWeight), made.codeOf(first));
        QCOMPARE(made.codeOf(again), std::int64_t(0));
        QCOMPARE(made.codeOf(ofOther), made.codeOf(first));
    }

    /// A variable that stays live moves those after it elsewhere.
    void anotherNeighbourIsAnotherPlace() {
        Exchanges made;
        const VariableId kept = made.temporary();
        const ExchangeId first = made.move(made.temporary(), kept);
        const ExchangeId second = made.move(made.temporary(), made.temporary());
        made.move(kept, made.temporary());
        made.finish();
        QCOMPARE(made.codeOf(second), made.codeOf(first));
    }

    /// Layers of the same model differ in their weights only.
    void repeatedLayersShareCode() {
        const Profile p = simulateModel(
            "bert-base", optionsOf({{"outline", "off"},
                                    {"modelOptions", "layers=4,sequenceLength=32,head=squad"}}));
        std::map<std::string, std::pair<int, int>> ofLayer; // exchanges, those with code
        for (const Exchange& exchange : p.exchanges)
            for (const char* layer : {"Layer0/", "Layer1/", "Layer2/"})
                if (exchange.name.find(layer) != std::string::npos) {
                    ++ofLayer[layer].first;
                    ofLayer[layer].second += exchange.codeBytes.empty() ? 0 : 1;
                }
        QVERIFY(ofLayer["Layer1/"].first > 20);
        QVERIFY(ofLayer["Layer2/"].second > 0); // its weights
        QVERIFY2(2 * ofLayer["Layer2/"].second < ofLayer["Layer2/"].first,
                 qPrintable(QString::number(ofLayer["Layer2/"].second)));
        QVERIFY(ofLayer["Layer0/"].second > ofLayer["Layer2/"].second);
    }
};

TILESCOPE_TEST(ExchangeCodeTest)

} // namespace exchange_code_test

#include "exchange_code_test.moc"
