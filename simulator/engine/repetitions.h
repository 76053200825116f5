// Repetitions of a body that differ in the waits for its inputs. Internal to the timing.
#pragma once

#include <vector>

#include "simulator/engine/timing.h"

namespace tilescope::sim {

using Clock = std::vector<std::int64_t>; ///< cycles by IPU

struct TimedBody {
    TraceBody body;
    Clock durations;
};

/// Neighbouring repetitions that are alike.
struct Repeated {
    TraceBodyId body;
    std::int64_t count = 1;
};

/// Times a body repeatedly from the state of its inputs, which each repetition changes, until the
/// rest is known (see timeProgram).
class RepeatedWork {
public:
    virtual ~RepeatedWork() = default;

protected:
    /// `count` repetitions of the target of a Call or Repeat, from the present state of the inputs,
    /// whose times count from the start of the first and afterwards from the end of the last.
    std::vector<Repeated> repetitions(ProgramId caller, ProgramId program, std::int64_t count);

    virtual TimedBody timed(ProgramId program) = 0;
    virtual TraceBodyId add(TimedBody made) = 0;
    [[nodiscard]] virtual const TraceBody& body(TraceBodyId id) const = 0;
    [[nodiscard]] virtual const Clock& durations(TraceBodyId id) const = 0;
    [[nodiscard]] virtual std::size_t bodies() const = 0;
    /// Forgets the bodies from this index on.
    virtual void forgetBodies(std::size_t from) = 0;
    virtual InputState& inputs() = 0;

private:
    /// The known body of a program, or of a Repeat's turn, like this one; else adds this one.
    TraceBodyId known(ProgramId program, TimedBody made);
    TraceBodyId once(ProgramId program);
    /// Whether a repetition from one state is like a body and ends in another state.
    bool isAlike(ProgramId program, TraceBodyId as, InputState from, const InputState& to);
    std::int64_t alike(ProgramId program, TraceBodyId as, std::int64_t most,
                       const InputState& before, const InputState& after);
    TraceBodyId inTurn(ProgramId caller, const std::vector<Repeated>& turn);

    std::map<ProgramId, std::vector<TraceBodyId>> variants_; ///< by program, turns by Repeat
};

} // namespace tilescope::sim
