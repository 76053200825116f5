// A model of the protocol between threads that make files and the handler of signals that end the
// process (end_signals.h), explored in all interleavings. Each rule of the protocol is left out in
// turn: without it the model finds the interleaving that goes wrong.
#include <QTest>
#include <array>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "tests/support/qt_text.h"
#include "tests/support/test_main.h"

namespace end_protocol_test {
using tilescope::test::text;

enum class Rule {
    SignalsHeldBack, ///< in a thread, while it is in a hold
    HoldCounted,     ///< the handler waits for holds
    HoldChecksEnd,   ///< one that begins after the end has, never returns
    NotedInHold,
    HandlerStays,   ///< until its work is done: a second signal finds it, too
    ErrorsCheckEnd, ///< before they are reported
    All
};

enum class Do : unsigned char {
    Mask,
    Count,
    Check,
    Make,
    Note,
    Uncount,
    Unmask,
    Rename,
    Forget,
    Fail, ///< of a rename whose file is gone
    Report,
    Wait, ///< for the end
    Done
};
enum class Handle : unsigned char {
    None,
    Begin,
    WaitForHolds,
    Take0,
    Unlink0,
    Take1,
    Unlink1,
    End,
    Wait
};

struct Thread {
    Do next = Do::Mask;
    Handle handler = Handle::None; ///< it runs on top of what the thread does
    bool masked = false;
    bool counted = false;
    bool file = false;  ///< the temporary one exists
    bool noted = false; ///< and a handler will find it
    bool taken = false; ///< by the handler
    bool again = true;  ///< it makes one more

    auto key() const { return std::tie(next, handler, masked, counted, file, noted, taken, again); }
    friend bool operator<(const Thread& a, const Thread& b) { return a.key() < b.key(); }
};

struct State {
    std::array<Thread, 2> threads;
    bool ending = false;
    int signalsLeft = 2; ///< that may still come
    bool usual = false;  ///< the next signal acts as it does without a handler
    bool dead = false;
    bool reported = false;

    auto key() const { return std::tie(threads, ending, signalsLeft, usual, dead, reported); }
    friend bool operator<(const State& a, const State& b) { return a.key() < b.key(); }
};

class Model {
public:
    explicit Model(Rule without)
        : without_(without) {}

    /// What goes wrong in some interleaving; empty if nothing does.
    std::string explore() {
        visit(State{});
        while (!open_.empty() && wrong_.empty()) {
            const State state = open_.back();
            open_.pop_back();
            check(state);
        }
        return wrong_;
    }
    [[nodiscard]] std::size_t states() const { return seen_.size(); }

private:
    [[nodiscard]] bool has(Rule rule) const { return rule != without_; }

    void visit(const State& state) {
        if (seen_.insert(state).second)
            open_.push_back(state);
    }

    void check(const State& state) {
        if (state.reported && state.ending)
            wrong_ = "an error is reported because of the end";
        if (state.dead) {
            for (const Thread& thread : state.threads)
                if (thread.file)
                    wrong_ = "a temporary file is left";
            return;
        }
        bool moved = false;
        for (std::size_t i = 0; i < state.threads.size(); ++i)
            moved = step(state, i) || moved;
        if (!moved && state.ending)
            wrong_ = "the process hangs";
    }

    /// Everything that the thread can do next. False if there is nothing.
    bool step(const State& state, std::size_t i) {
        const Thread& thread = state.threads[i];
        if (state.signalsLeft > 0 && !thread.masked && thread.handler == Handle::None)
            interrupt(state, i);
        return thread.handler == Handle::None ? work(state, i) : handle(state, i);
    }

    void interrupt(State state, std::size_t i) {
        --state.signalsLeft;
        if (state.usual)
            state.dead = true;
        else
            state.threads[i].handler = Handle::Begin; // which masks all such signals
        if (!has(Rule::HandlerStays))
            state.usual = true;
        visit(state);
    }

    bool work(State state, std::size_t i) {
        Thread& thread = state.threads[i];
        switch (thread.next) {
        case Do::Mask:
            thread.masked = has(Rule::SignalsHeldBack);
            thread.next = Do::Count;
            break;
        case Do::Count:
            thread.counted = has(Rule::HoldCounted);
            thread.next = Do::Check;
            break;
        case Do::Check:
            if (state.ending && has(Rule::HoldChecksEnd)) {
                thread.counted = false;
                thread.next = Do::Wait;
            } else {
                thread.next = Do::Make;
            }
            break;
        case Do::Make:
            thread.file = true;
            thread.next = has(Rule::NotedInHold) ? Do::Note : Do::Uncount;
            break;
        case Do::Note:
            thread.noted = true;
            thread.next = has(Rule::NotedInHold) ? Do::Uncount : Do::Rename;
            break;
        case Do::Uncount:
            thread.counted = false;
            thread.next = Do::Unmask;
            break;
        case Do::Unmask:
            thread.masked = false;
            thread.next = has(Rule::NotedInHold) ? Do::Rename : Do::Note;
            break;
        case Do::Rename:
            thread.next = thread.file ? Do::Forget : Do::Fail;
            thread.file = false;
            break;
        case Do::Fail:
            thread.next = state.ending && has(Rule::ErrorsCheckEnd) ? Do::Wait : Do::Report;
            break;
        case Do::Report:
            state.reported = true;
            thread.next = Do::Done;
            break;
        case Do::Forget:
            thread.noted = false;
            thread.next = thread.again ? Do::Mask : Do::Done;
            thread.again = false;
            break;
        case Do::Wait:
        case Do::Done:
            return false;
        }
        visit(state);
        return true;
    }

    bool handle(State state, std::size_t i) {
        Thread& thread = state.threads[i];
        switch (thread.handler) {
        case Handle::Begin:
            thread.handler = state.ending ? Handle::Wait : Handle::WaitForHolds;
            state.ending = true;
            break;
        case Handle::WaitForHolds:
            if (state.threads[0].counted || state.threads[1].counted)
                return false;
            thread.handler = Handle::Take0;
            break;
        case Handle::Take0:
        case Handle::Take1: {
            Thread& owner = state.threads[thread.handler == Handle::Take0 ? 0 : 1];
            owner.taken = owner.noted;
            owner.noted = false;
            thread.handler = thread.handler == Handle::Take0 ? Handle::Unlink0 : Handle::Unlink1;
            break;
        }
        case Handle::Unlink0:
        case Handle::Unlink1: {
            Thread& owner = state.threads[thread.handler == Handle::Unlink0 ? 0 : 1];
            owner.file = owner.file && !owner.taken;
            thread.handler = thread.handler == Handle::Unlink0 ? Handle::Take1 : Handle::End;
            break;
        }
        case Handle::End:
            state.dead = true;
            break;
        case Handle::None:
        case Handle::Wait:
            return false;
        }
        visit(state);
        return true;
    }

    Rule without_;
    std::set<State> seen_;
    std::vector<State> open_;
    std::string wrong_;
};

class EndProtocolTest : public QObject {
    Q_OBJECT

private slots:
    void noOrderGoesWrong() {
        Model model(Rule::All);
        QCOMPARE(text(model.explore()), "");
        qInfo("%zu states", model.states());
        QVERIFY(model.states() > 1000);
    }

    void noRuleIsTooMuch_data() {
        QTest::addColumn<int>("without");
        QTest::addColumn<QString>("wrong");
        const auto row = [](const char* name, Rule rule, const char* wrong) {
            QTest::newRow(name) << static_cast<int>(rule) << QString::fromUtf8(wrong);
        };
        row("signals are held back", Rule::SignalsHeldBack, "the process hangs");
        row("holds are counted", Rule::HoldCounted, "a temporary file is left");
        row("a hold checks for the end", Rule::HoldChecksEnd, "a temporary file is left");
        row("noted within the hold", Rule::NotedInHold, "a temporary file is left");
        row("a second signal finds the handler", Rule::HandlerStays, "a temporary file is left");
        row("errors check for the end", Rule::ErrorsCheckEnd,
            "an error is reported because of the end");
    }
    void noRuleIsTooMuch() {
        QFETCH(int, without);
        QFETCH(QString, wrong);
        QCOMPARE(text(Model(static_cast<Rule>(without)).explore()), wrong);
    }
};

TILESCOPE_TEST(EndProtocolTest)

} // namespace end_protocol_test

#include "end_protocol_test.moc"
