#include "simulator/lowering/program/joint_steps.h"

#include <algorithm>

namespace tilescope::sim {
namespace {

template <class T> void append(std::vector<T>& to, const std::vector<T>& more) {
    to.insert(to.end(), more.begin(), more.end());
}

/// Variables of both, each once.
void join(std::vector<VariableId>& to, const std::vector<VariableId>& more) {
    for (const VariableId variable : more)
        if (std::find(to.begin(), to.end(), variable) == to.end())
            to.push_back(variable);
}

} // namespace

JointSteps::Lane JointSteps::here() const {
    const Profile& profile = builder_.lowered().profile;
    return {builder_.childCount(), profile.computeSets.size(), profile.exchanges.size(),
            profile.programs.size(), profile.copies.size()};
}

void JointSteps::nextLane() {
    lanes_.push_back(here());
}

bool JointSteps::canMerge(const std::vector<ProgramId>& programs, std::size_t steps) const {
    if (lanes_.size() < 2 || steps == 0 || programs.size() != steps * lanes_.size())
        return false;
    const Profile& profile = builder_.lowered().profile;
    if (profile.copies.size() != lanes_.front().firstCopy)
        return false;
    for (std::size_t i = 0; i < programs.size(); ++i) {
        const ProgramKind kind = profile.programs[programs[i]].kind;
        if (kind != profile.programs[programs[i % steps]].kind ||
            (kind != ProgramKind::OnTileExecute && kind != ProgramKind::DoExchange))
            return false;
    }
    return true;
}

void JointSteps::mergeStep(ProgramId into, ProgramId from) {
    Profile& profile = builder_.lowered().profile;
    Program& to = profile.programs[into];
    const Program& other = profile.programs[from];
    join(to.variablesRead, other.variablesRead);
    join(to.variablesWritten, other.variablesWritten);
    to.controlCode = TileSeries::zip(to.controlCode, other.controlCode,
                                     [](std::int64_t a, std::int64_t b) { return std::max(a, b); });
    if (to.kind == ProgramKind::OnTileExecute) {
        ComputeSet& set = profile.computeSets[to.computeSet];
        set.cycles += profile.computeSets[other.computeSet].cycles;
        append(set.vertices, profile.computeSets[other.computeSet].vertices);
        return;
    }
    Exchange& exchange = profile.exchanges[to.exchange];
    const Exchange& more = profile.exchanges[other.exchange];
    exchange.bytesReceived += more.bytesReceived;
    exchange.bytesSent += more.bytesSent;
    // A tile's data in one lane are adjacent to those in the others: one piece (assumed).
    exchange.codeBytes = TileSeries::maxOf(exchange.codeBytes, more.codeBytes);
    exchange.cycles += more.cycles;
    exchange.runBytes = std::min(exchange.runBytes, more.runBytes);
}

void JointSteps::merge() {
    const std::vector<ProgramId> programs = builder_.childrenFrom(first_);
    const std::size_t steps = lanes_.size() < 2 ? 0 : lanes_[1].firstChild - first_;
    if (!canMerge(programs, steps))
        return;
    for (std::size_t i = steps; i < programs.size(); ++i)
        mergeStep(programs[i % steps], programs[i]);
    // The steps of further lanes are last everywhere.
    Profile& profile = builder_.lowered().profile;
    profile.programs[profile.programs[programs.front()].parent].children.resize(
        lanes_[1].firstChild);
    profile.computeSets.truncate(lanes_[1].firstComputeSet);
    builder_.names().computeSets.truncate(lanes_[1].firstComputeSet);
    profile.exchanges.truncate(lanes_[1].firstExchange);
    builder_.names().exchanges.truncate(lanes_[1].firstExchange);
    profile.programs.truncate(lanes_[1].firstProgram);
}

} // namespace tilescope::sim
