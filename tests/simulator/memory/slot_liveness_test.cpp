// Lives of variables where calls are the slots of a pipeline.
#include <QtTest>

#include "simulator/memory/liveness.h"
#include "support/program_builder.h"
#include "tests/support/test_main.h"

namespace slot_liveness_test {
using namespace tilescope;
using namespace tilescope::sim;
using namespace tilescope::test;

class SlotLivenessTest : public QObject {
    Q_OBJECT

private slots:
    void aSlotInsideALife() {
        HandMade made;
        made.asPipeline();
        const VariableId across = made.variable("across"), own = made.variable("own");
        const ProgramId function = made.function("f");
        made.step({}, {own}); // 2
        made.step({own}, {}); // 3
        made.end();
        made.control("main");
        made.step({}, {across}); // 0
        made.call(function);
        made.step({across}, {}); // 1
        made.call(function);
        made.end();
        analyseLiveness(made.profile);
        QCOMPARE(made.life(across), std::string("0-3"));
        QCOMPARE(made.life(own), std::string("2-3"));
    }

    void slotsBeforeAndAfterALifeDoNotCount() {
        HandMade made;
        made.asPipeline();
        const VariableId v = made.variable("v");
        const ProgramId function = made.function("f");
        made.step({}, {}); // 3
        made.end();
        made.control("main");
        made.call(function);
        made.step({}, {v}); // 0
        made.step({v}, {}); // 1
        made.call(function);
        made.step({}, {}); // 2
        made.end();
        analyseLiveness(made.profile);
        QCOMPARE(made.life(v), std::string("0-1"));
    }

    /// A value live across a call is live across the calls that the function makes.
    void aCallInsideASlot() {
        HandMade made;
        made.asPipeline();
        const VariableId across = made.variable("across");
        const ProgramId inner = made.function("inner");
        made.step({}, {}); // 2
        made.end();
        const ProgramId outer = made.function("outer");
        made.call(inner);
        made.step({}, {}); // 3
        made.end();
        made.control("main");
        made.step({}, {across}); // 0
        made.call(outer);
        made.step({across}, {}); // 1
        made.end();
        analyseLiveness(made.profile);
        QCOMPARE(made.life(across), std::string("0-3"));
    }

    /// A loop that begins with a call carries its values over that call.
    void aSlotAtTheStartOfALoop() {
        HandMade made;
        made.asPipeline();
        const VariableId state = made.variable("state");
        const ProgramId function = made.function("f");
        made.step({}, {}); // 2
        made.end();
        made.control("main");
        made.step({}, {state}); // 0
        made.repeat(2);
        made.call(function);
        made.step({state}, {state}); // 1
        made.call(function);
        made.end();
        made.end();
        analyseLiveness(made.profile);
        QCOMPARE(made.life(state), std::string("0-2"));
    }

    /// What a function makes and its caller reads much later lives in between.
    void aSlotsResult() {
        HandMade made;
        made.asPipeline();
        const VariableId result = made.variable("result"), other = made.variable("other");
        const ProgramId function = made.function("f");
        made.step({}, {result}); // 3
        made.end();
        made.control("main");
        made.call(function);
        made.step({}, {other});  // 0
        made.step({other}, {});  // 1
        made.step({result}, {}); // 2
        made.end();
        analyseLiveness(made.profile);
        QCOMPARE(made.life(result), std::string("0-3"));
        QCOMPARE(made.life(other), std::string("0-1"));
    }

    /// A function that counts its calls keeps its counter between them.
    void aSlotsState() {
        HandMade made;
        made.asPipeline();
        const VariableId counter = made.variable("counter");
        const ProgramId function = made.function("f");
        made.step({counter}, {counter}); // 3
        made.end();
        made.control("main");
        made.step({}, {}); // 0
        made.call(function);
        made.step({}, {}); // 1
        made.call(function);
        made.step({}, {}); // 2
        made.end();
        analyseLiveness(made.profile);
        QCOMPARE(made.life(counter), std::string("1 3"));
    }

    /// A function's inputs are copied anew for each call, its results by each call: nothing lives
    /// between calls, even where another function calls it too.
    void whatASlotCopies() {
        HandMade made;
        made.asPipeline();
        const VariableId input = made.variable("input"), result = made.variable("result");
        const ProgramId inner = made.function("inner");
        made.step({}, {});             // 6
        made.step({input}, {result});  // 7
        made.step({result}, {result}); // 8
        made.end();
        std::set<std::pair<ProgramId, VariableId>> rewrites;
        const auto callInner = [&] {
            made.step({}, {input});
            rewrites.emplace(ProgramId(made.profile.programs.size() - 1), input);
            made.call(inner);
            rewrites.emplace(ProgramId(made.profile.programs.size() - 1), result);
            made.step({result}, {});
        };
        const ProgramId outer = made.function("outer");
        callInner();       // 9, 10
        made.step({}, {}); // 11
        made.end();
        made.control("main");
        callInner();       // 0, 1
        made.step({}, {}); // 2
        made.call(outer);
        made.step({}, {}); // 3
        callInner();       // 4, 5
        made.end();
        analyseLiveness(made.profile, rewrites);
        // Over the function up to the last read of the input, and from the first write of the
        // result.
        QCOMPARE(made.life(input), std::string("0 4 6-7 9"));
        QCOMPARE(made.life(result), std::string("1 5 7-8 10"));
    }
};

TILESCOPE_TEST(SlotLivenessTest)

} // namespace slot_liveness_test

#include "slot_liveness_test.moc"
