// Lowering of small graphs: programs, names, order, reads and writes.
#include <QtTest>

#include "support/graph_builder.h"
#include "support/program_text.h"
#include "tests/support/test_main.h"

namespace program_tree_test {
using namespace tilescope;
using namespace tilescope::sim;
using namespace tilescope::test;

namespace {

std::string lowered(const Graph& graph, std::int32_t tiles, const RunOptions& options = {}) {
    // The frame is the same for all: what it streams and does not differ by graph.
    std::string text = programText(lowerOn(graph, options, tiles).profile);
    const std::string frame = "  Repeat batchesPerStep x1\n    Sequence batchesPerStep\n";
    text.erase(text.find(frame), frame.size());
    for (auto at = text.find("\n      "); at != std::string::npos; at = text.find("\n      "))
        text.erase(at + 1, 4);
    return "\n" + text;
}

void compare(const std::string& actual, const std::string& expected) {
    QCOMPARE(QString::fromStdString(actual).split('\n'),
             QString::fromStdString(expected).split('\n'));
}

/// Reads and writes of the programs with this in their names.
int countNames(const Profile& profile, const std::string& part) {
    int count = 0;
    for (const Program& program : profile.programs)
        count += program.name.find(part) != std::string::npos;
    return count;
}

} // namespace

class ProgramTreeTest : public QObject {
    Q_OBJECT

private slots:
    void frame() {
        GraphBuilder b;
        const TensorId x = b.input({64});
        const Graph graph = b.finish({b.unary("relu", ElementwiseFunction::Relu, x)});
        RunOptions options;
        options.batch.deviceIterations = 7;
        QCOMPARE(programText(lowerOn(graph, options, 4).profile),
                 std::string(R"(Sequence weightsFromHost
Sequence outer
  Repeat batchesPerStep x7
    Sequence batchesPerStep
      StreamCopy h2d_x0: -> x0
      OnTileExecute relu/Op/Relu: x0 -> relu/out
      StreamCopy anchor_d2h_relu:0: relu/out ->
)"));
    }

    void slicesStayWhereTheyLie() {
        GraphBuilder b;
        const TensorId x = b.unary("relu", ElementwiseFunction::Relu, b.input({64, 96}));
        const Profile profile =
            lowerOn(b.finish({b.slice("part", x, {0, 32}, {64, 32})}), {}, 16).profile;
        QCOMPARE(countNames(profile, "Copy_relu:0_to_part/OnTileCopy"), 1);
        QCOMPARE(countNames(profile, "ExchangePre"), 0);
    }

    void constantsStandWhereTheyAreUsed() {
        GraphBuilder b;
        const TensorId x = b.input({64, 96});
        const Profile profile = lowerOn(b.finish({b.binary("scale", ElementwiseFunction::Multiply,
                                                           x, b.number(), {64, 96})}),
                                        {}, 16)
                                    .profile;
        QCOMPARE(countNames(profile, "ExchangePre"), 0);
    }

    /// A residual sum follows the operand that is spread over more tiles.
    /// Tensors that nobody lays out otherwise begin where the one before ended; one that would pass
    /// the last tile begins at the first.
    void linearTensorsFollowEachOther() {
        GraphBuilder b;
        std::vector<TensorId> results;
        for (int i = 0; i < 5; ++i)
            results.push_back(b.unary("relu" + std::to_string(i), ElementwiseFunction::Relu,
                                      b.input({64}))); // 256 B: two tiles
        Graph graph = b.finish(results);
        for (const bool own : {false, true}) {
            graph.ownProgram = own;
            const Profile profile = lowerOn(graph, {}, 9).profile;
            std::vector<std::int32_t> first;
            for (const Variable& v : profile.variables)
                if (v.name.starts_with("relu"))
                    first.push_back(v.bytes.runs().front().first);
            QCOMPARE(first, own ? std::vector<std::int32_t>({0, 0, 0, 0, 0})
                                : std::vector<std::int32_t>({0, 2, 4, 6, 0}));
        }
    }

    void sumsFollowTheBestSpreadOperand() {
        GraphBuilder b;
        const TensorId rows = b.gather("table", b.weight({50, 4}), b.indices({1024}), 0);
        const TensorId other = b.unary("relu", ElementwiseFunction::Relu, b.input({1024, 4}));
        const Graph graph =
            b.finish({b.binary("sum", ElementwiseFunction::Add, rows, other, {1024, 4})});
        const Profile profile = lowerOn(graph, {}, 16).profile;
        for (const ComputeSet& set : profile.computeSets)
            if (set.name == "sum/Op/Add")
                QCOMPARE(set.vertices[0].count.tilesUsed(), 16);
    }

    /// Both operands come in one exchange.
    /// Kernel rows of which AMP takes several at once are filled up with zeros on the tile.
    void convolution() {
        GraphBuilder b(DataType::Half);
        const TensorId x = b.input({1, 16, 8, 8});
        compare(lowered(b.finish({b.conv("conv", x, 16, 3)}), 16), R"(
Sequence weightsFromHost
Sequence outer
  StreamCopy h2d_x0: -> x0
  DoExchange cs0_conv/Conv_3x3/Convolve/ExchangePre: x0, w0 -> conv/Conv_3x3/Convolve/actsRearranged, conv/Conv_3x3/Convolve/weightsRearranged
  OnTileExecute conv/Conv_3x3/Convolve/PreArrange-0: conv/Conv_3x3/Convolve/actsRearranged, conv/Conv_3x3/Convolve/weightsRearranged -> conv/Conv_3x3/Convolve/actsRearranged/padded, conv/Conv_3x3/Convolve/weightsRearranged/padded
  OnTileExecute conv/Conv_3x3/Convolve: conv/Conv_3x3/Convolve/actsRearranged, conv/Conv_3x3/Convolve/weightsRearranged, conv/Conv_3x3/Convolve/actsRearranged/padded, conv/Conv_3x3/Convolve/weightsRearranged/padded, conv/Conv_3x3/worklists -> conv/Conv_3x3/partials
  DoExchange cs1_conv/Conv_3x3/Reduce0/ExchangePre: conv/Conv_3x3/partials -> conv/Conv_3x3/Reduce0/partials
  OnTileExecute conv/Conv_3x3/Reduce0: conv/Conv_3x3/Reduce0/partials -> conv/Conv_3x3/partialReduceOut
  StreamCopy anchor_d2h_conv:0: conv/Conv_3x3/partialReduceOut ->
)");
    }

    /// Weights that only one tile uses are stored there, so that nothing has to move.
    void matrixProduct() {
        GraphBuilder b;
        const TensorId x = b.input({8, 64});
        compare(lowered(b.finish({b.matMul("product", x, b.weight({64, 32}))}), 16), R"(
Sequence weightsFromHost
Sequence outer
  StreamCopy h2d_x0: -> x0
  DoExchange cs0_product/Conv_1/Convolve/ExchangePre: x0 -> product/Conv_1/Convolve/weightsRearranged
  OnTileExecute product/Conv_1/Convolve: w0, product/Conv_1/Convolve/weightsRearranged, x0, product/Conv_1/worklists -> product/Conv_1/partials
  DoExchange cs1_product/Conv_1/Reduce0/ExchangePre: product/Conv_1/partials -> product/Conv_1/Reduce0/partials
  OnTileExecute product/Conv_1/Reduce0: product/Conv_1/Reduce0/partials -> product/Conv_1/partialReduceOut
  StreamCopy anchor_d2h_product:0: product/Conv_1/partialReduceOut ->
)");
    }

    /// The operand that lies across is brought element by element.
    void aTransposedOperandIsPreArranged() {
        GraphBuilder b;
        const TensorId x = b.input({16, 16});
        const TensorId t = b.transpose("t", x, {1, 0});
        const TensorId sum = b.binary("add", ElementwiseFunction::Add, x, t, {16, 16});
        compare(lowered(b.finish({sum}), 4), R"(
Sequence weightsFromHost
Sequence outer
  StreamCopy h2d_x0: -> x0
  DoExchange copy0_Copy_x0_to_add/Op/Add/in1/ExchangePre: x0 -> copy0_Copy_x0_to_add/Op/Add/in1/message
  OnTileExecute add/Op/Add/PreArrange-0: copy0_Copy_x0_to_add/Op/Add/in1/message -> add/Op/Add/in1
  OnTileExecute add/Op/Add: x0, add/Op/Add/in1 -> add/out
  StreamCopy anchor_d2h_add:0: add/out ->
)");
    }

    /// An input stays as it is (the next iteration may use it); an activation is overwritten by its
    /// last reader only.
    void inPlace() {
        GraphBuilder b;
        const TensorId x = b.input({64});
        const TensorId first = b.unary("first", ElementwiseFunction::Relu, x);
        const TensorId second = b.unary("second", ElementwiseFunction::Relu, first);
        const TensorId third = b.unary("third", ElementwiseFunction::Tanh, first);
        const TensorId sum = b.binary("sum", ElementwiseFunction::Add, second, third, {64});
        compare(lowered(b.finish({sum}), 4), R"(
Sequence weightsFromHost
Sequence outer
  StreamCopy h2d_x0: -> x0
  OnTileExecute first/Op/Relu: x0 -> first/out
  OnTileExecute second/Op/Relu: first/out -> second/out
  OnTileExecute third/Op/Tanh: first/out -> first/out
  OnTileExecute sum/Op/Add: second/out, first/out -> second/out
  StreamCopy anchor_d2h_sum:0: second/out ->
)");
    }

    void concatenation() {
        GraphBuilder b;
        const TensorId a = b.input({1, 16, 4, 4});
        const TensorId c = b.input({1, 32, 4, 4});
        compare(lowered(b.finish({b.concat("concat", {a, c}, 1)}), 4), R"(
Sequence weightsFromHost
Sequence outer
  StreamCopy h2d_x0: -> x0
  StreamCopy h2d_x1: -> x1
  WriteUndef concat/out: -> concat/out
  DoExchange copy0_Copy_x0_to_concat/ExchangePre: x0 -> copy0_Copy_x0_to_concat/message
  OnTileExecute copy0_Copy_x0_to_concat/OnTileCopy-0: copy0_Copy_x0_to_concat/message -> concat/out
  DoExchange copy1_Copy_x1_to_concat/ExchangePre: x1 -> copy1_Copy_x1_to_concat/message
  OnTileExecute copy1_Copy_x1_to_concat/OnTileCopy-0: copy1_Copy_x1_to_concat/message -> concat/out
  StreamCopy anchor_d2h_concat:0: concat/out ->
)");
    }

    /// One row over many tiles: each tile reduces what it has, and a single value comes back
    /// without any rearrangement.
    void softmaxReducesWhereTheDataLie() {
        GraphBuilder b;
        const TensorId x = b.input({1, 1000});
        compare(lowered(b.finish({b.softmax("s", x)}), 16), R"(
Sequence weightsFromHost
Sequence outer
  StreamCopy h2d_x0: -> x0
  OnTileExecute s/max/Reduce/ReduceOnTile/InToIntermediateNoExchange/Reduce: x0 -> s/max/Reduce/intermediate
  DoExchange cs1_s/max/Reduce/ReduceFinalStage/IntermediateToOutput/Reduce/ExchangePre: s/max/Reduce/intermediate -> s/max/Reduce/ReduceFinalStage/IntermediateToOutput/Reduce/partials
  OnTileExecute s/max/Reduce/ReduceFinalStage/IntermediateToOutput/Reduce: s/max/Reduce/ReduceFinalStage/IntermediateToOutput/Reduce/partials -> s/max/out
  DoExchange cs2_s/sub/Op/Subtract/ExchangePre: s/max/out -> s/sub/Op/Subtract/in1
  OnTileExecute s/sub/Op/Subtract: x0, s/sub/Op/Subtract/in1 -> s/sub/out
  OnTileExecute s/exp/Op/Exponent: s/sub/out -> s/sub/out
  OnTileExecute s/sum/Reduce/ReduceOnTile/InToIntermediateNoExchange/Reduce: s/sub/out -> s/sum/Reduce/intermediate
  DoExchange cs5_s/sum/Reduce/ReduceFinalStage/IntermediateToOutput/Reduce/ExchangePre: s/sum/Reduce/intermediate -> s/sum/Reduce/ReduceFinalStage/IntermediateToOutput/Reduce/partials
  OnTileExecute s/sum/Reduce/ReduceFinalStage/IntermediateToOutput/Reduce: s/sum/Reduce/ReduceFinalStage/IntermediateToOutput/Reduce/partials -> s/sum/out
  OnTileExecute s/inv/Op/Inverse: s/sum/out -> s/sum/out
  DoExchange cs7_s/invScale/Op/Multiply/ExchangePre: s/sum/out -> s/invScale/Op/Multiply/in1
  OnTileExecute s/invScale/Op/Multiply: s/sub/out, s/invScale/Op/Multiply/in1 -> s/sub/out
  StreamCopy anchor_d2h_s:0: s/sub/out ->
)");
    }

    /// The second convolution wants channel groups that do not nest in those of the first, so the
    /// input is copied; the host still sends it to where the first one reads it.
    void aCopiedInputArrivesAtItsFirstPlace() {
        GraphBuilder b;
        const TensorId x = b.input({1, 12, 4, 4});
        const TensorId fours = b.conv("fours", x, 4, 3, 1, 4);
        const TensorId sixes = b.conv("sixes", x, 6, 3, 1, 6);
        const Profile profile = lowerOn(b.finish({fours, sixes}), {}, 4).profile;
        const std::string text = programText(profile);
        QVERIFY2(text.find("StreamCopy h2d_x0: -> x0\n") != std::string::npos, text.c_str());
        QVERIFY2(countNames(profile, "Copy_x0_to_x0/rearranged") > 0, text.c_str());
    }

    void aSerialPlanIsALoop() {
        GraphBuilder b;
        const TensorId x = b.input({64, 1024});
        RunOptions options;
        options.planning.availableMemoryProportion = 0.13;
        const Profile profile =
            lowerOn(b.finish({b.matMul("product", x, b.weight({1024, 1024}))}), options, 16)
                .profile;
        const std::string& plan = profile.operations[OperationId(0)].plan;
        QVERIFY2(plan.find("\"inChansSerial\":16") != std::string::npos, plan.c_str());
        int loops = 0;
        for (const Program& program : profile.programs)
            if (program.kind == ProgramKind::Repeat && program.name == "product/Conv_1/serial") {
                ++loops;
                QCOMPARE(program.count, 16);
                QCOMPARE(program.children.size(), std::size_t(1));
            }
        QCOMPARE(loops, 1);
        QCOMPARE(countNames(profile, "serialAddInPlace"), 1);
        QCOMPARE(countNames(profile, "inputSerialSlice"), 1);
        QCOMPARE(countNames(profile, "actsRearranged"), 0);
    }

    /// Operands that are sliced in time and laid out otherwise are copied whole before the loop.
    void aSlicedInputIsArrangedBeforeTheLoop() {
        GraphBuilder b;
        const TensorId x = b.input({64, 1024});
        RunOptions options;
        options.planning.availableMemoryProportion = 0.13;
        options.planning.linearInputs = true;
        const Profile profile =
            lowerOn(b.finish({b.matMul("product", x, b.weight({1024, 1024}))}), options, 16)
                .profile;
        const auto arranged = std::find_if(
            profile.variables.begin(), profile.variables.end(), [](const Variable& variable) {
                return variable.name == "product/Conv_1/actsRearranged";
            });
        QVERIFY(arranged != profile.variables.end());
        // What moves over the field is the right matrix (PopLibs poplin/MatMul.cpp).
        QCOMPARE(arranged->bytes.sum(), std::int64_t(1024 * 1024 * 4));
        QCOMPARE(countNames(profile, "inputSerialSlice"), 1);
    }

    void everyWeightIsStreamedOnce() {
        GraphBuilder b;
        const TensorId x = b.input({4, 32});
        const TensorId shared = b.weight({32, 32});
        const TensorId first = b.matMul("first", x, shared);
        const TensorId second = b.matMul("second", first, shared);
        const TensorId bias =
            b.binary("bias", ElementwiseFunction::Add, second, b.weight({32}), {4, 32});
        RunOptions options;
        options.host.framework = Framework::Tensorflow; // PopART makes them constants
        const Profile profile = lowerOn(b.finish({bias}), options, 8).profile;
        const Program& weights = profile.programs[profile.controlPrograms[0]];
        QCOMPARE(weights.name, std::string("weightsFromHost"));
        std::map<std::string, int> written;
        for (const Program& program : profile.programs)
            if (program.kind == ProgramKind::StreamCopyMid && program.name == "weights")
                for (const VariableId id : program.variablesWritten)
                    ++written[profile.variables[id].name];
        QCOMPARE(written, (std::map<std::string, int>{{"w0", 1}, {"w1", 1}}));
        std::int64_t bytes = 0;
        for (const Stream& stream : profile.streams)
            bytes += stream.name == "weights" ? stream.bytes.sum() : 0;
        QCOMPARE(bytes, (32 * 32 + 32) * 4);
    }

    /// Looked-up rows lie whole on their tiles whatever the axis: a sum over them needs no
    /// exchange.
    void gatheredRowsLieTogether() {
        for (const std::int64_t axis : {0, 1, 2}) {
            GraphBuilder b;
            Shape shape{6, 6};
            shape.insert(shape.begin() + axis, 6);
            const TensorId rows = b.gather("gather", b.weight(shape), b.indices({6}), axis);
            const TensorId sum = b.reduce("sum", ReduceFunction::Add, rows, {axis});
            const Profile profile = lowerOn(b.finish({sum}), {}, 8).profile;
            QVERIFY2(countNames(profile, "sum/Reduce/ReduceOnTile/InToOutNoExchange/Reduce") == 1,
                     programText(profile).c_str());
        }
    }

    void exchangeLastsAsLongAsTheSender() {
        // All elements start on one tile and go out to ten: the sender is the bottleneck.
        LoweredProgram lowered;
        const Target target = targetPreset("mk2");
        ProgramBuilder builder(target, lowered);
        builder.beginControlProgram("outer");
        const VariableId from =
            builder.variable("from", MemoryCategory::Variable, TileSeries(TileId(0), 1, 4000));
        const VariableId to =
            builder.variable("to", MemoryCategory::Variable, TileSeries(TileId(1), 10, 400));
        Traffic scatter;
        scatter.total = 1000;
        scatter.sent = TileSeries(TileId(0), 1, 1000);
        scatter.received = TileSeries(TileId(1), 10, 100);
        scatter.messages = TileSeries(TileId(1), 10, 1);
        Movement out;
        out.add(target, scatter, 4, 4);
        builder.exchange("scatter", out, {{from}, {to}});
        // A broadcast goes out once, however many listen.
        Traffic broadcast = scatter;
        broadcast.total = 10'000;
        broadcast.sent = TileSeries(TileId(0), 1, 10'000);
        broadcast.received = TileSeries(TileId(1), 10, 1000);
        Movement all;
        all.add(target, broadcast, 4, 4);
        builder.exchange("broadcast", all, {{from}, {to}});
        builder.end();
        for (const Exchange& exchange : lowered.profile.exchanges)
            QCOMPARE(exchange.cycles.max().value, 4000 / target.exchangeBytesPerCycle);
        QCOMPARE(lowered.profile.exchanges[ExchangeId(0)].cycles.at(TileId(1)), 100);
    }
};

TILESCOPE_TEST(ProgramTreeTest)

} // namespace program_tree_test

#include "program_tree_test.moc"
