// Operands in another order than their operation reads: the copies that this takes, their cost,
// and their record in the profile.
#include <filesystem>
#include <set>

#include <QtTest>
#undef emit // a name in headers below, and no signal is sent here

#include "core/analysis/accounting/strided_copies.h"
#include "core/options/job.h"
#include "core/options/option_table.h"
#include "simulator/frontend/import.h"
#include "simulator/lowering/movement/copies.h"
#include "simulator/lowering/movement/order_text.h"
#include "simulator/operations/operations.h"
#include "simulator/simulate.h"
#include "support/graph_builder.h"
#include "support/invariants.h"
#include "tests/support/test_main.h"

namespace strided_copies_test {
using namespace tilescope;
using namespace tilescope::sim;
using namespace tilescope::test;

namespace {

QString text(const std::string& value) {
    return QString::fromStdString(value);
}

Profile ofJob(const std::string& name) {
    const Job job =
        readJob(std::filesystem::path(TILESCOPE_SOURCE_DIR "/resources/jobs") / (name + ".json"));
    RunOptions options;
    setRunOptions(options, job.options);
    return simulateModel(job.model, options);
}

std::vector<StridedOperation> stridedOf(const Profile& p) {
    return stridedOperations(p.copies, p.computeSets, p.exchanges);
}

std::int64_t cyclesOf(const Profile& p, const std::string& computeSet) {
    for (const ComputeSet& set : p.computeSets)
        if (set.name == computeSet)
            return set.cycles.max().value;
    return -1;
}

/// Convolutions that read a channel shuffle: a reshape of a transpose.
std::set<std::string> readersOfShuffles(const Graph& graph) {
    std::map<TensorId, const Op*> makers;
    for (const Op& op : graph.ops)
        makers[op.outputs[0]] = &op;
    const auto made = [&](const Op* op) -> const Op* {
        const auto at = op == nullptr ? makers.end() : makers.find(op->inputs[0]);
        return at == makers.end() ? nullptr : at->second;
    };
    std::set<std::string> readers;
    for (const Op& op : graph.ops) {
        const Op* reshape = made(&op);
        const Op* transpose = made(reshape);
        if (std::holds_alternative<ConvAttributes>(op.attributes) && transpose != nullptr &&
            std::holds_alternative<ReshapeAttributes>(reshape->attributes) &&
            std::holds_alternative<TransposeAttributes>(transpose->attributes))
            readers.insert(op.name);
    }
    return readers;
}

std::set<std::string> namesOf(const Profile& p, const std::vector<StridedOperation>& operations) {
    std::set<std::string> names;
    for (const StridedOperation& found : operations)
        names.insert(p.operations[found.operation].name);
    return names;
}

void checkShuffles(const Graph& graph, std::size_t atLeast) {
    // A function's operations represent those of all its calls: here each is to be seen.
    RunOptions options;
    options.outline.enabled = false;
    const Profile p = simulate(graph, options);
    const std::set<std::string> strided = namesOf(p, stridedOf(p));
    const std::set<std::string> readers = readersOfShuffles(graph);
    QVERIFY(readers.size() >= atLeast);
    for (const std::string& reader : readers)
        QVERIFY2(strided.count(reader) == 1, reader.c_str());
    // What reads an operand as it lies is not among them.
    for (const Op& op : graph.ops)
        if (const auto* f = std::get_if<ElementwiseAttributes>(&op.attributes))
            QVERIFY2(f->function != ElementwiseFunction::Relu || strided.count(op.name) == 0,
                     op.name.c_str());
}

} // namespace

class StridedCopiesTest : public QObject {
    Q_OBJECT

private slots:
    void aTransposedSecondOperandIsCopied() {
        const Profile p = ofJob("plain_plus_transposed");
        QCOMPARE(p.copies.size(), std::size_t(1));
        const Copy& copy = p.copies[CopyId(0)];
        QVERIFY(copy.strided);
        QVERIFY(copy.cause == CopyCause::FirstOperand);
        QCOMPARE(copy.runElements, 1);
        QCOMPARE(copy.runBytes, 2);
        QCOMPARE(text(copy.sourceOrder), QString("[d2][d1]"));
        QCOMPARE(text(copy.wantedOrder), QString("[d1][d2]"));
        QCOMPARE(text(copy.shape), QString("[1,768,768]"));
        QCOMPARE(text(p.variables[copy.variable].name), QString("other"));
        QCOMPARE(text(p.operations[p.computeSets[copy.computeSet].operation].name), QString("add"));
        QCOMPARE(p.programs[copy.program].computeSet.value(), copy.computeSet.value());
        QVERIFY(copy.exchange.valid());
        const double ratio = static_cast<double>(cyclesOf(p, "add/Op/Add/PreArrange-0")) /
                             static_cast<double>(cyclesOf(p, "add/Op/Add"));
        QVERIFY2(ratio > 9 && ratio < 11, qPrintable(QString::number(ratio)));
    }

    void theSameSumReversedIsNot() {
        const Profile p = ofJob("transposed_plus_plain");
        QVERIFY(p.copies.empty());
        QVERIFY(p.exchanges.empty());
        QCOMPARE(p.computeSets.size(), std::size_t(1));
        QCOMPARE(cyclesOf(p, "add/Op/Add"), cyclesOf(ofJob("plain_plus_transposed"), "add/Op/Add"));
    }

    /// Ten classes leave groups of two halves, which no plain copy moves.
    void weightsInSmallGroupsAreTransposed() {
        const Profile p = ofJob("tutorial_half");
        std::size_t found = 0;
        for (const Copy& copy : p.copies) {
            const ComputeSet& set = p.computeSets[copy.computeSet];
            if (p.operations[set.operation].name != "B4/fc/MatMulLhsGrad" ||
                copy.shape != "[10,256]")
                continue;
            ++found;
            QVERIFY2(copy.transposed, set.name.c_str());
        }
        QCOMPARE(found, std::size_t(1));
    }

    /// Neither order helps where both operands have been laid out.
    void operandsThatOthersLaidOut_data() {
        QTest::addColumn<bool>("reversed");
        QTest::newRow("plain first") << false;
        QTest::newRow("transposed first") << true;
    }
    void operandsThatOthersLaidOut() {
        QFETCH(bool, reversed);
        GraphBuilder b(DataType::Half);
        const TensorId plain = b.unary("plain", ElementwiseFunction::Relu, b.input({256, 256}));
        const TensorId made = b.unary("made", ElementwiseFunction::Relu, b.input({256, 256}));
        const TensorId turned = b.transpose("turned", made, {1, 0});
        const TensorId sum = b.binary("sum", ElementwiseFunction::Add, reversed ? turned : plain,
                                      reversed ? plain : turned, {256, 256});
        const Profile p = simulate(b.finish({sum}), {});
        QCOMPARE(p.copies.size(), std::size_t(1));
        QVERIFY(p.copies[CopyId(0)].cause == CopyCause::OtherOperand);
        QCOMPARE(text(p.variables[p.copies[CopyId(0)].variable].name),
                 QString(reversed ? "plain/out" : "made/out"));
    }

    /// An exchange writes words of 32 bits where they belong. Copies on a tile move 64 bits, as do
    /// exchanges where a transpose of blocks makes groups of them; it cannot where a group on
    /// either side is no whole number of atoms.
    void wordsAreExchangedToTheirPlaces_data() {
        QTest::addColumn<int>("run");
        QTest::addColumn<int>("moved");
        QTest::addColumn<int>("sourceGroup");
        QTest::addColumn<int>("wantedGroup");
        QTest::addColumn<bool>("strided");
        QTest::newRow("a word") << 4 << 1000 << 1 << 16 << false;
        QTest::newRow("half a word") << 2 << 1000 << 1 << 16 << true;
        QTest::newRow("a word on the tile") << 4 << 0 << 1 << 16 << true;
        QTest::newRow("an atom on the tile") << 8 << 0 << 1 << 16 << false;
        QTest::newRow("a word between groups") << 4 << 1000 << 8 << 16 << true;
        QTest::newRow("a word from groups of five") << 4 << 1000 << 5 << 16 << false;
        QTest::newRow("a word to groups of five") << 4 << 1000 << 8 << 5 << false;
        QTest::newRow("half a word from groups of five") << 2 << 1000 << 5 << 16 << true;
    }
    void wordsAreExchangedToTheirPlaces() {
        QFETCH(int, run);
        QFETCH(int, moved);
        QFETCH(int, sourceGroup);
        QFETCH(int, wantedGroup);
        OperandMove move;
        move.bytes = TileSeries(TileId(0), 10, 100);
        move.runBytes = run;
        move.traffic.total = moved;
        move.elementBytes = run;
        move.sourceGroup = sourceGroup;
        move.wantedGroup = wantedGroup;
        QTEST(move.strided(), "strided");
    }

    /// The machine copies 64 bits a cycle, the IPU Model fewer; it begins sooner.
    void copiesOfTheIpuModel() {
        MachineOptions machine;
        QCOMPARE(localCopyCycles(machine, 0), 0);
        QCOMPARE(localCopyCycles(machine, 8000), 288 + 1000);
        machine.ipuModel = true;
        QCOMPARE(localCopyCycles(machine, 0), 0);
        QCOMPARE(localCopyCycles(machine, 8), 6 * 20 + 4);
        QCOMPARE(localCopyCycles(machine, 8000), 6 * 20 + 3520);
    }

    /// Halves of channels: each is read where it lies, and neither is overwritten.
    void slicesAreParts() {
        GraphBuilder b;
        const TensorId x = b.unary("whole", ElementwiseFunction::Sigmoid, b.input({1, 64, 16, 16}));
        std::vector<TensorId> halves;
        for (const std::int64_t start : {0, 32}) {
            const std::string name = start == 0 ? "low" : "high";
            const TensorId half =
                b.add(name, SliceAttributes{{0, start, 0, 0}, {1, 1, 1, 1}}, {x}, {1, 32, 16, 16});
            halves.push_back(b.unary(name + "/relu", ElementwiseFunction::Relu, half));
        }
        const Profile p = simulate(b.finish(halves), {});
        const std::string wrong = complaints(p);
        QVERIFY2(wrong.empty(), wrong.c_str());
        QVERIFY(p.copies.empty());
        std::int64_t bytes = 0;
        for (const Program& program : p.programs) {
            const std::string name = program.name;
            QVERIFY2(name.find("_to_low") == std::string::npos &&
                         name.find("_to_high") == std::string::npos,
                     name.c_str());
            if (name != "low/relu/Op/Relu" && name != "high/relu/Op/Relu")
                continue;
            QCOMPARE(text(p.variables[program.variablesRead[0]].name), QString("whole/out"));
            const Variable& made = p.variables[program.variablesWritten[0]];
            QCOMPARE(text(made.name), text(name.substr(0, name.find("/Op")) + "/out"));
            bytes += made.bytes.sum();
        }
        QCOMPARE(bytes, 64 * 16 * 16 * 4);
    }

    void partsOfStorages() {
        const Storage rows = linearStorage({8, 64}, 4, 8);
        const auto part = partOfStorage(rows, 0, {2, 5}, 8);
        QVERIFY(part);
        QCOMPARE(part->atomSizes[0], 3);
        QCOMPARE(part->layout.blocking.elements().sum(), 3 * 64);
        for (int tile = 0; tile < 8; ++tile)
            QCOMPARE(part->layout.blocking.elements().at(TileId(tile)) > 0,
                     rows.layout.blocking.dims[0].blocks.size() == 8 ? tile >= 2 && tile < 5
                                                                     : tile < 8);
        // One column of rows: element runs. Cut groups. Blocks across dimensions.
        QVERIFY(!partOfStorage(rows, 1, {3, 4}, 8));
        Storage grouped = rows;
        grouped.layout.order = {{1, 0}, {0, 0}, {1, 16}};
        QVERIFY(!partOfStorage(grouped, 1, {8, 24}, 8));
        QVERIFY(partOfStorage(grouped, 1, {16, 48}, 8));
        QVERIFY(!partOfStorage(linearStorage({7, 33}, 4, 5), 0, {0, 2}, 8));
    }

    void channelShufflesAreNamed() {
        GraphBuilder b;
        TensorId x = b.conv("expand", b.input({1, 24, 28, 28}), 112, 1);
        for (const std::string unit : {"a", "b"}) {
            x = b.unary(unit + "/relu", ElementwiseFunction::Relu,
                        b.conv(unit + "/grouped", x, 112, 1, 1, 4));
            x = b.reshape(unit + "/split", x, {1, 4, 28, 28, 28});
            x = b.transpose(unit + "/turn", x, {0, 2, 1, 3, 4});
            x = b.reshape(unit + "/join", x, {1, 112, 28, 28});
            x = b.conv(unit + "/depthwise", x, 112, 3, 1, 112);
        }
        checkShuffles(b.finish({x}), 2);
    }

    void shuffleNet() {
        const std::filesystem::path file = TILESCOPE_SHARED_DIR "/models/light_shufflenet.onnx";
        if (!std::filesystem::exists(file))
            QSKIP("left out: ShuffleNet does not lie beside the checkout");
        // Of halves: words of single precision are exchanged to their places where groups of a
        // shuffle are no whole atoms.
        sim::ImportOptions halves;
        halves.half = true;
        checkShuffles(importOnnx(file, halves), 16);
    }

    void ordersAsText_data() {
        QTest::addColumn<int>("which");
        QTest::addColumn<QString>("expected");
        QTest::newRow("row major") << 0 << "[N][C][HW]";
        QTest::newRow("groups") << 1 << "[N][C/16][HW][16]";
        QTest::newRow("field apart") << 2 << "[N][H][C][W]";
        QTest::newRow("a dimension that is cut") << 3 << "[N][C%4][HW][C/4]";
        QTest::newRow("one index") << 4 << "[1]";
    }
    void ordersAsText() {
        QFETCH(int, which);
        const bool cut = which == 3;
        Storage storage;
        storage.atomSizes =
            cut ? std::vector<std::int64_t>{2, 8, 6, 6, 4} : std::vector<std::int64_t>{2, 32, 6, 6};
        const ViewDims view = cut ? ViewDims{{0}, {1, 4}, {2}, {3}} : ViewDims{{0}, {1}, {2}, {3}};
        const std::vector<std::vector<OrderLevel>> orders{{{0, 0}, {1, 0}, {2, 0}, {3, 0}},
                                                          {{0, 0}, {1, 0}, {2, 0}, {3, 0}, {1, 16}},
                                                          {{0, 0}, {2, 0}, {1, 0}, {3, 0}},
                                                          {{0, 0}, {4, 0}, {2, 0}, {3, 0}, {1, 0}},
                                                          {}};
        const std::vector<std::string> names{"N", "C", "H", "W"};
        const QString order =
            text(orderText(orders.at(static_cast<std::size_t>(which)), view, storage, names));
        QTEST(order, "expected");
    }

    // Positions of an unfolded input that become output channels lie outside of its channels, so
    // that a gradient is in groups of channels as its weights are (PopLibs poplin/Convolution.cpp,
    // outChanFlattenDims).
    void gradientsOfUnfoldedInputsAreInGroupsOfChannels() {
        SingleConvLayer layer;
        layer.field = {7, 7};
        layer.kernel = {3, 3};
        layer.stride = layer.dilation = layer.paddingLower = layer.paddingUpper = {1, 1};
        layer.inputChannels = layer.outputChannels = 512;
        layer.batchSize = 4;
        layer.bias = false;
        Profile profile;
        const OperationResult result =
            runOperation(graphOf(layer, DataType::Half), OperationOptions(), &profile);
        const QString update = text(result.plans.back());
        QVERIFY2(update.contains(R"("swapOperands":true,"expandDims":[0,1])"), qPrintable(update));
        for (const ComputeSet& set : profile.computeSets)
            QVERIFY2(!set.name.ends_with("Scaled_add/PreArrange-0"), set.name.c_str());
    }

    void namesOfDimensions() {
        const auto names = [](const Attributes& attributes, std::size_t operand, std::size_t rank) {
            Op op;
            op.attributes = attributes;
            QString all;
            for (const std::string& name : dimensionNames(op, operand, rank))
                all += text(name) + " ";
            return all.trimmed();
        };
        QCOMPARE(names(ConvAttributes{}, 0, 4), QString("N C H W"));
        QCOMPARE(names(ConvAttributes{}, 1, 4), QString("O I Y X"));
        QCOMPARE(names(PoolAttributes{}, 0, 3), QString("N C W"));
        QCOMPARE(names(MatMulAttributes{}, 0, 2), QString("d0 d1"));
    }
};

TILESCOPE_TEST(StridedCopiesTest)

} // namespace strided_copies_test

#include "strided_copies_test.moc"
