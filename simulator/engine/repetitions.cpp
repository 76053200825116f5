#include "simulator/engine/repetitions.h"

#include <algorithm>
#include <utility>

namespace tilescope::sim {
namespace {

// A host with d buffers, once it is in step, returns to a state after at most d repetitions.
constexpr std::size_t mostRepetitionsFollowed = 1000;

bool isSame(const TraceStep& a, const TraceStep& b) {
    return a.kind == b.kind && a.program == b.program &&
           std::equal(a.ipus.begin(), a.ipus.end(), b.ipus.begin(), b.ipus.end(),
                      [](const StepOnIpu& x, const StepOnIpu& y) {
                          return x.ipu == y.ipu && x.start == y.start && x.cycles == y.cycles;
                      });
}

bool isSame(const TraceCall& a, const TraceCall& b) {
    return a.callee == b.callee && a.program == b.program && a.count == b.count &&
           std::equal(a.ipus.begin(), a.ipus.end(), b.ipus.begin(), b.ipus.end(),
                      [](const CallOnIpu& x, const CallOnIpu& y) {
                          return x.ipu == y.ipu && x.start == y.start && x.period == y.period;
                      });
}

/// Of two bodies of one program.
bool isSame(const TraceBody& a, const TraceBody& b) {
    const auto sameStep = [](const TraceStep& x, const TraceStep& y) { return isSame(x, y); };
    const auto sameCall = [](const TraceCall& x, const TraceCall& y) { return isSame(x, y); };
    return a.items.size() == b.items.size() &&
           std::equal(a.steps.begin(), a.steps.end(), b.steps.begin(), b.steps.end(), sameStep) &&
           std::equal(a.calls.begin(), a.calls.end(), b.calls.begin(), b.calls.end(), sameCall);
}

void append(std::vector<Repeated>& parts, Repeated next) {
    if (!parts.empty() && parts.back().body == next.body)
        parts.back().count += next.count;
    else
        parts.push_back(next);
}

} // namespace

TraceBodyId RepeatedWork::known(ProgramId program, TimedBody made) {
    for (const TraceBodyId id : variants_[program])
        if (isSame(body(id), made.body))
            return id;
    const TraceBodyId id = add(std::move(made));
    variants_[program].push_back(id);
    return id;
}

TraceBodyId RepeatedWork::once(ProgramId program) {
    TimedBody made = timed(program);
    shift(inputs(), made.durations);
    return known(program, std::move(made));
}

bool RepeatedWork::isAlike(ProgramId program, TraceBodyId as, InputState from,
                           const InputState& to) {
    const std::size_t before = bodies();
    InputState present = std::exchange(inputs(), std::move(from));
    const bool same = once(program) == as && inputs() == to;
    inputs() = std::move(present);
    forgetBodies(before);
    for (auto& [of, ids] : variants_)
        std::erase_if(ids, [&](TraceBodyId id) { return id.index() >= before; });
    return same;
}

/// How many repetitions from `before` on, where the first leads to `after`, are alike and change
/// the state evenly, as when the host falls behind a little more each time. Waits then only grow
/// or only shrink, so that repetitions alike at both ends are alike in between.
std::int64_t RepeatedWork::alike(ProgramId program, TraceBodyId as, std::int64_t most,
                                 const InputState& before, const InputState& after) {
    const auto holds = [&](std::int64_t count) {
        const auto from = extrapolated(before, after, count - 2);
        const auto to = extrapolated(before, after, count - 1);
        return from && to && isAlike(program, as, *from, *to);
    };
    std::int64_t known = 1;
    std::int64_t refused = most + 1;
    while (refused - known > 1) {
        const std::int64_t tried =
            refused > most && known <= most / 2 ? known * 2 : known + (refused - known) / 2;
        (holds(tried) ? known : refused) = tried;
    }
    return known;
}

/// Several repetitions that recur together, as one body.
TraceBodyId RepeatedWork::inTurn(ProgramId caller, const std::vector<Repeated>& turn) {
    const TraceBody& first = body(turn.front().body);
    TimedBody made{{first.name, first.program, {}, {}, {}},
                   Clock(durations(turn.front().body).size(), 0)};
    for (const Repeated& part : turn) {
        TraceCall call;
        call.callee = part.body;
        call.program = caller;
        call.count = part.count;
        const Clock& each = durations(part.body);
        for (std::size_t ipu = 0; ipu < each.size(); ++ipu) {
            call.ipus.push_back({IpuId(ipu), made.durations[ipu], each[ipu]});
            made.durations[ipu] += part.count * each[ipu];
        }
        made.body.items.push_back({-1, static_cast<std::int32_t>(made.body.calls.size())});
        made.body.calls.push_back(std::move(call));
    }
    return known(caller, std::move(made));
}

std::vector<Repeated> RepeatedWork::repetitions(ProgramId caller, ProgramId program,
                                                std::int64_t count) {
    std::vector<Repeated> parts;
    std::vector<std::pair<InputState, TraceBodyId>> past; // the state before each repetition
    while (count > 0) {
        past.emplace_back(inputs(), TraceBodyId());
        const TraceBodyId made = past.back().second = once(program);
        --count;
        append(parts, {made, 1});
        const auto back = std::find_if(past.rbegin(), past.rend(), [&](const auto& earlier) {
            return earlier.first == inputs();
        });
        if (back != past.rend()) {
            std::vector<Repeated> turn;
            for (auto one = back.base() - 1; one != past.end(); ++one)
                append(turn, {one->second, 1});
            const std::int64_t length = back - past.rbegin() + 1;
            const std::int64_t whole = count - count % length;
            if (turn.size() == 1 && whole > 0)
                append(parts, {made, whole});
            else if (whole > 0)
                append(parts, {inTurn(caller, turn), whole / length});
            count -= whole;
            // The rest of a turn continues from the state at its start, the present one.
            continue;
        }
        if (past.size() >= mostRepetitionsFollowed) {
            append(parts, {made, count});
            break;
        }
        if (const std::int64_t more =
                alike(program, made, count + 1, past.back().first, inputs()) - 1;
            more > 0) {
            inputs() = *extrapolated(past.back().first, inputs(), more);
            append(parts, {made, more});
            count -= more;
        }
    }
    return parts;
}

} // namespace tilescope::sim
