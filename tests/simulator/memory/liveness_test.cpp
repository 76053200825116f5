// Lives of variables in straight lines, loops and calls.
#include <QtTest>

#include "simulator/memory/liveness.h"
#include "support/holds.h"
#include "support/invariant_parts.h"
#include "support/program_builder.h"
#include "support/program_text.h"
#include "tests/support/test_main.h"

namespace liveness_test {
using namespace tilescope;
using namespace tilescope::sim;
using namespace tilescope::test;

namespace {

using Names = std::vector<VariableId>;

/// Random steps, loops and calls of functions before them.
void fill(HandMade& made, const Names& variables, const std::vector<ProgramId>& functions,
          int depth) {
    const auto any = [&] {
        Names chosen;
        for (const VariableId v : variables)
            if (anyFrom(0, 4) == 0)
                chosen.push_back(v);
        return chosen;
    };
    for (std::int64_t i = anyFrom(1, 4); i > 0; --i) {
        const std::int64_t what = anyFrom(0, 5);
        if (what == 0 && depth > 0) {
            made.repeat(anyFrom(1, 3));
            fill(made, variables, functions, depth - 1);
            made.end();
        } else if (what == 1 && !functions.empty()) {
            made.call(functions[static_cast<std::size_t>(
                anyFrom(0, static_cast<std::int64_t>(functions.size()) - 1))]);
        } else {
            const Names read = any();
            made.step(read, any());
        }
    }
}

} // namespace

class LivenessTest : public QObject {
    Q_OBJECT

private slots:
    void straightLine() {
        HandMade made;
        const VariableId a = made.variable("a"), b = made.variable("b"), c = made.variable("c");
        const VariableId unused = made.variable("unused"), always = made.variable("always");
        made.profile.variables[always].alwaysLive = true;
        made.control("main");
        made.step({}, {a});
        made.step({a, always}, {b});
        made.step({b}, {c});
        made.step({c, a}, {});
        made.end();
        analyseLiveness(made.profile);
        QCOMPARE(made.profile.steps.size(), std::size_t(4));
        QCOMPARE(made.life(a), std::string("0-3"));
        QCOMPARE(made.life(b), std::string("1-2"));
        QCOMPARE(made.life(c), std::string("2-3"));
        QCOMPARE(made.life(unused), std::string());
        QCOMPARE(made.life(always), std::string());
    }

    void equalLivesShareAClass() {
        HandMade made;
        const VariableId a = made.variable("a"), b = made.variable("b");
        made.control("main");
        made.step({}, {a, b});
        made.step({a, b}, {});
        made.end();
        analyseLiveness(made.profile);
        QCOMPARE(made.profile.livenessClasses.size(), std::size_t(1));
        QVERIFY(made.profile.variables[a].liveness == made.profile.variables[b].liveness);
    }

    void usedInALoopAndOutside() {
        HandMade made;
        const VariableId before = made.variable("before"), after = made.variable("after");
        const VariableId inside = made.variable("inside");
        made.control("main");
        made.step({}, {before}); // 0
        made.repeat(3);
        made.step({}, {inside});      // 1
        made.step({before}, {});      // 2
        made.step({inside}, {after}); // 3
        made.step({}, {});            // 4
        made.end();
        made.step({after}, {}); // 5
        made.end();
        analyseLiveness(made.profile);
        // The next iteration reads it again, so it must survive the rest of the loop.
        QCOMPARE(made.life(before), std::string("0-4"));
        QCOMPARE(made.life(after), std::string("1-5"));
        QCOMPARE(made.life(inside), std::string("1-3"));
    }

    void readBeforeWrittenInALoop() {
        HandMade made;
        const VariableId sum = made.variable("sum"), fresh = made.variable("fresh");
        made.control("main");
        made.repeat(2);
        made.step({}, {});         // 0
        made.step({sum}, {fresh}); // 1
        made.step({fresh}, {sum}); // 2
        made.step({}, {});         // 3
        made.end();
        made.end();
        analyseLiveness(made.profile);
        QCOMPARE(made.life(sum), std::string("0-3"));
        QCOMPARE(made.life(fresh), std::string("1-2"));
    }

    void aLoopOfOneIterationIsNone() {
        HandMade made;
        const VariableId v = made.variable("v");
        made.control("main");
        made.step({}, {v});
        made.repeat(1);
        made.step({v}, {});
        made.step({}, {});
        made.end();
        made.end();
        analyseLiveness(made.profile);
        QCOMPARE(made.life(v), std::string("0-1"));
    }

    void nestedLoops() {
        HandMade made;
        const VariableId v = made.variable("v");
        made.control("main");
        made.repeat(2);
        made.step({}, {v}); // 0
        made.repeat(2);
        made.step({v}, {}); // 1
        made.step({}, {});  // 2
        made.end();
        made.step({}, {}); // 3
        made.end();
        made.end();
        analyseLiveness(made.profile);
        // Over the whole inner loop, but made anew by each iteration of the outer.
        QCOMPARE(made.life(v), std::string("0-2"));
    }

    /// The steps of a function are at each of its calls: values live across one call do not meet
    /// those live across another.
    void aStepForEachCall() {
        HandMade made;
        const VariableId early = made.variable("early"), late = made.variable("late");
        const VariableId own = made.variable("own");
        const ProgramId function = made.function("f");
        made.step({}, {own}); // 1, 5
        made.step({own}, {}); // 2, 6
        made.end();
        made.control("main");
        made.step({}, {early}); // 0
        made.call(function);
        made.step({early}, {}); // 3
        made.step({}, {late});  // 4
        made.call(function);
        made.step({late}, {}); // 7
        made.end();
        analyseLiveness(made.profile);
        QCOMPARE(made.profile.steps.size(), std::size_t(8));
        QVERIFY(made.profile.steps[StepId(1)] == made.profile.steps[StepId(5)]);
        QCOMPARE(made.life(early), std::string("0-3"));
        QCOMPARE(made.life(late), std::string("4-7"));
        QCOMPARE(made.life(own), std::string("1-2 5-6"));
    }

    /// A value that is also accessed elsewhere may be the one of the last call.
    void whatAFunctionLeavesBehind() {
        HandMade made;
        const VariableId shared = made.variable("shared");
        const ProgramId function = made.function("f");
        made.step({}, {shared}); // 0, 2
        made.end();
        made.control("main");
        made.call(function);
        made.step({}, {}); // 1
        made.call(function);
        made.step({shared}, {}); // 3
        made.end();
        analyseLiveness(made.profile);
        QCOMPARE(made.life(shared), std::string("0-3"));
    }

    /// A function's inputs are copied anew for each call, its results made by each call, and what
    /// only functions that it calls use is its own.
    void whatACallCopies() {
        HandMade made;
        const VariableId input = made.variable("input"), result = made.variable("result");
        const VariableId inside = made.variable("inside");
        const ProgramId inner = made.function("inner");
        made.step({}, {inside}); // 1, 5
        made.end();
        const ProgramId outer = made.function("outer");
        made.call(inner);
        made.step({input, inside}, {result}); // 2, 6
        made.end();
        std::set<std::pair<ProgramId, VariableId>> kills;
        made.control("main");
        for (int i = 0; i < 2; ++i) {
            made.step({}, {input}); // 0, 4
            kills.emplace(ProgramId(made.profile.programs.size() - 1), input);
            made.call(outer);
            kills.emplace(ProgramId(made.profile.programs.size() - 1), result);
            made.step({result}, {}); // 3, 7
        }
        made.end();
        analyseLiveness(made.profile, kills);
        QCOMPARE(made.life(input), std::string("0-2 4-6"));
        QCOMPARE(made.life(inside), std::string("1-2 5-6"));
        QCOMPARE(made.life(result), std::string("2-3 6-7"));
    }

    /// A call in a loop carries nothing of its own over to the next iteration.
    void aCallInALoop() {
        HandMade made;
        const VariableId own = made.variable("own"), state = made.variable("state");
        const ProgramId function = made.function("f");
        made.step({state}, {own}); // 1
        made.step({own}, {state}); // 2
        made.end();
        made.control("main");
        made.step({}, {state}); // 0
        made.repeat(2);
        made.call(function);
        made.step({}, {}); // 3
        made.end();
        made.end();
        analyseLiveness(made.profile);
        QCOMPARE(made.life(own), std::string("1-2"));
        QCOMPARE(made.life(state), std::string("0-3"));
    }

    /// One caller reads a function's result, another does not: after the other's call it is dead,
    /// though the variable is read elsewhere first.
    void aResultThatOneCallerReads() {
        HandMade made;
        made.asPipeline();
        const VariableId result = made.variable("result");
        const ProgramId function = made.function("f");
        made.step({}, {result}); // 4
        made.end();
        const ProgramId careless = made.function("careless");
        made.call(function);
        made.step({}, {}); // 5
        made.step({}, {}); // 6
        made.end();
        made.control("main");
        made.call(function);
        made.step({result}, {}); // 0
        made.step({}, {});       // 1
        made.call(careless);
        made.step({}, {}); // 2
        made.step({}, {}); // 3
        made.end();
        analyseLiveness(made.profile);
        QCOMPARE(made.life(result), std::string("0 4"));
    }

    /// The next round of a loop reads what the last one's call made.
    void aResultThatTheNextRoundReads() {
        HandMade made;
        made.asPipeline();
        const VariableId result = made.variable("result");
        const ProgramId function = made.function("f");
        made.step({}, {result}); // 4
        made.end();
        made.control("main");
        made.step({}, {result}); // 0
        made.repeat(2);
        made.step({result}, {}); // 1
        made.call(function);
        made.step({}, {}); // 2
        made.end();
        made.step({}, {}); // 3
        made.end();
        analyseLiveness(made.profile);
        QCOMPARE(made.life(result), std::string("0-2 4"));
    }

    void valuesLiveWhileAnyExecutionNeedsThem() {
        QVERIFY(holds("lives", 2000, [] {
            HandMade made;
            if (anyFrom(0, 1) == 1)
                made.asPipeline();
            Names variables;
            for (const char* name : {"a", "b", "c"})
                variables.push_back(made.variable(name));
            std::vector<ProgramId> functions;
            for (std::int64_t i = anyFrom(0, 2); i > 0; --i) {
                const ProgramId function = made.function("f" + std::to_string(i));
                fill(made, variables, functions, 1);
                made.end();
                functions.push_back(function);
            }
            for (std::int64_t i = anyFrom(1, 2); i > 0; --i) {
                made.control("main");
                fill(made, variables, functions, 2);
                made.end();
            }
            analyseLiveness(made.profile);
            Complaints complaints;
            checkLives(made.profile, complaints);
            checkProgramTree(made.profile, complaints);
            for (const std::string& line : complaints.take())
                // Random steps may well read variables that were never written, and execute
                // nothing.
                if (line.find("written before it is read") == std::string::npos &&
                    line.find("compute set") == std::string::npos)
                    RC_FAIL(programText(made.profile) + line);
        }));
    }
};

TILESCOPE_TEST(LivenessTest)

} // namespace liveness_test

#include "liveness_test.moc"
