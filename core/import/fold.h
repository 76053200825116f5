// Executed steps, one after the other, back in the calls and repeats that ran them. Without that a
// long execution fills memory, and its losses are counted per step instead of per body.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "core/profile/profile.h"

namespace tilescope {

/// The next step that was executed, with its starts on the profile's clock; nullptr at the end. It
/// stays valid until the next call.
using NextStep = std::function<const TraceStep*()>;

/// Folds runs. A leaf of the program tree takes the next step if it is that program's; steps
/// without a program, such as syncs, stay before the step that follows them. Equal bodies are one,
/// and equal repetitions at equal distances one call with a count. What finds no place in the tree
/// stays in the run's body and is counted.
class TraceFold {
public:
    /// `programs` outlive this object. Calls may lack their target, repeats their count (0).
    TraceFold(const IdVector<ProgramId, Program>& programs,
              const std::vector<ProgramId>& controlPrograms, Trace& trace);
    ~TraceFold();
    TraceFold(const TraceFold&) = delete;
    TraceFold& operator=(const TraceFold&) = delete;

    /// Adds a run with all steps that `next` gives. Without any, nothing is added. `oneTree`: all
    /// are of the tree of one program, see isOneTree().
    void addRun(const std::string& name, const NextStep& next, bool oneTree = false);
    /// Whether all steps are of the tree of one program: then the host runs that, not a function.
    [[nodiscard]] bool isOneTree(const NextStep& next) const;

    [[nodiscard]] std::int64_t flatSteps() const; ///< without a place in the tree
    /// Functions of calls without a target, as what ran next shows, by program.
    [[nodiscard]] const std::vector<ProgramId>& inferredTargets() const;
    /// The most repetitions of a repeat without a count, by program.
    [[nodiscard]] const std::vector<std::int64_t>& observedRepeats() const;

private:
    class Impl;
    std::unique_ptr<Impl> impl_;
};

} // namespace tilescope
