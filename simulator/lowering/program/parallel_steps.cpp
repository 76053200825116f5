#include "simulator/lowering/program/parallel_steps.h"

#include <algorithm>
#include <map>

#include "simulator/cost/exchange_cycles.h"
#include "simulator/lowering/program/sends.h"

namespace tilescope::sim {
namespace {

void joinOf(std::vector<VariableId>& to, const std::vector<VariableId>& more) {
    for (const VariableId variable : more)
        if (std::find(to.begin(), to.end(), variable) == to.end())
            to.push_back(variable);
}

/// Entries from `first` on that are kept, in this order, and their new ids.
template <class IdType, class T>
std::map<IdType, IdType> keepOnly(IdVector<IdType, T>& all, std::size_t first,
                                  const std::vector<IdType>& kept) {
    std::map<IdType, IdType> ids;
    std::vector<T> entries;
    for (const IdType id : kept) {
        ids.emplace(id, IdType(first + entries.size()));
        entries.push_back(std::move(all[id]));
    }
    all.truncate(first);
    for (T& entry : entries)
        all.add(std::move(entry));
    return ids;
}

} // namespace

ParallelSteps::Counts ParallelSteps::here() const {
    const Profile& profile = builder_.lowered().profile;
    return {builder_.childCount(), profile.computeSets.size(), profile.exchanges.size(),
            profile.programs.size(), profile.copies.size()};
}

bool ParallelSteps::readLanes() {
    const Profile& profile = builder_.lowered().profile;
    const std::vector<ProgramId> all = builder_.childrenFrom(start_.children);
    for (const ProgramId id : all) {
        const ProgramKind kind = profile.programs[id].kind;
        if (kind != ProgramKind::OnTileExecute && kind != ProgramKind::DoExchange &&
            kind != ProgramKind::WriteUndef)
            return false;
    }
    for (std::size_t lane = 0; lane < firstChildren_.size(); ++lane) {
        const std::size_t end = lane + 1 < firstChildren_.size()
                                    ? firstChildren_[lane + 1] - start_.children
                                    : all.size();
        lanes_.emplace_back(all.begin() +
                                static_cast<std::ptrdiff_t>(firstChildren_[lane] - start_.children),
                            all.begin() + static_cast<std::ptrdiff_t>(end));
        std::reverse(lanes_.back().begin(), lanes_.back().end());
    }
    return lanes_.size() > 1;
}

bool ParallelSteps::isNext(const Lane& lane, ProgramKind kind, bool meets) const {
    if (lane.empty())
        return false;
    const Program& program = builder_.lowered().profile.programs[lane.back()];
    return program.kind == kind &&
           program.name.ends_with(kind == ProgramKind::DoExchange ? meeting_ + "/ExchangePre"
                                                                  : meeting_) == meets;
}

void ParallelSteps::take(ProgramKind kind, bool meets) {
    ProgramId into;
    for (Lane& lane : lanes_) {
        if (!isNext(lane, kind, meets))
            continue;
        if (into.valid() && kind != ProgramKind::WriteUndef) {
            mergers_.emplace_back(lane.back(), into);
        } else {
            into = lane.back();
            steps_.push_back(into);
        }
        lane.pop_back();
    }
}

void ParallelSteps::order() {
    const auto any = [&](ProgramKind kind, bool meets) {
        return std::any_of(lanes_.begin(), lanes_.end(),
                           [&](const Lane& lane) { return isNext(lane, kind, meets); });
    };
    for (;;) {
        if (any(ProgramKind::WriteUndef, false))
            take(ProgramKind::WriteUndef, false);
        else if (any(ProgramKind::DoExchange, false))
            take(ProgramKind::DoExchange, false);
        else if (any(ProgramKind::OnTileExecute, false))
            take(ProgramKind::OnTileExecute, false);
        else if (any(ProgramKind::DoExchange, true))
            take(ProgramKind::DoExchange, true);
        else if (any(ProgramKind::OnTileExecute, true))
            take(ProgramKind::OnTileExecute, true);
        else
            return;
    }
}

void ParallelSteps::mergeStep(ProgramId into, ProgramId from) {
    Profile& profile = builder_.lowered().profile;
    Program& to = profile.programs[into];
    const Program& other = profile.programs[from];
    joinOf(to.variablesRead, other.variablesRead);
    joinOf(to.variablesWritten, other.variablesWritten);
    to.controlCode = TileSeries::maxOf(to.controlCode, other.controlCode);
    if (to.kind == ProgramKind::OnTileExecute) {
        ComputeSet& set = profile.computeSets[to.computeSet];
        const ComputeSet& more = profile.computeSets[other.computeSet];
        set.cycles += more.cycles;
        set.vertices.insert(set.vertices.end(), more.vertices.begin(), more.vertices.end());
        return;
    }
    Exchange& exchange = profile.exchanges[to.exchange];
    const Exchange& more = profile.exchanges[other.exchange];
    const auto receiving = [&](const Exchange& of) {
        return TileSeries::zip(of.cycles, of.bytesReceived, [&](std::int64_t cycles, auto bytes) {
            return std::min(cycles, exchangeCycles(builder_.machine(), bytes));
        });
    };
    TileSeries& received = receiving_.try_emplace(into, receiving(exchange)).first->second;
    received += receiving(more);
    exchange.bytesReceived += more.bytesReceived;
    exchange.bytesSent += more.bytesSent;
    exchange.codeBytes += more.codeBytes;
    exchange.runBytes = std::min(exchange.runBytes, more.runBytes);
    // Tiles send and receive at the same time, also for different lanes.
    exchange.cycles =
        TileSeries::zip(received, sendsOnce(profile, exchange.bytesSent, to.variablesRead),
                        [&](std::int64_t cycles, std::int64_t sends) {
                            return std::max(cycles, exchangeCycles(builder_.machine(), sends));
                        });
}

void ParallelSteps::renumber() {
    auto& lowered = builder_.lowered();
    Profile& profile = lowered.profile;
    const std::map<ProgramId, ProgramId> taken(mergers_.begin(), mergers_.end());
    std::vector<ComputeSetId> sets;
    std::vector<ExchangeId> exchanges;
    // Those that have become a part of another one.
    std::map<ExchangeId, ExchangeId> exchangeOf;
    std::map<ComputeSetId, ComputeSetId> setOf;
    for (const ProgramId id : steps_) {
        if (profile.programs[id].computeSet.valid())
            sets.push_back(profile.programs[id].computeSet);
        if (profile.programs[id].exchange.valid())
            exchanges.push_back(profile.programs[id].exchange);
    }
    for (const auto& [from, into] : mergers_) {
        exchangeOf.emplace(profile.programs[from].exchange, profile.programs[into].exchange);
        setOf.emplace(profile.programs[from].computeSet, profile.programs[into].computeSet);
    }
    const auto standIn = [](const auto& parts, auto id) {
        const auto into = parts.find(id);
        return into == parts.end() ? id : into->second;
    };
    const ProgramId parent = profile.programs[steps_.front()].parent;
    const auto setIds = keepOnly(profile.computeSets, start_.computeSets, sets);
    const auto exchangeIds = keepOnly(profile.exchanges, start_.exchanges, exchanges);
    keepOnly(builder_.names().computeSets, start_.computeSets, sets);
    keepOnly(builder_.names().exchanges, start_.exchanges, exchanges);
    const auto programIds = keepOnly(profile.programs, start_.programs, steps_);
    const auto newProgram = [&](ProgramId id) { return programIds.at(standIn(taken, id)); };
    std::vector<ProgramId>& children = profile.programs[parent].children;
    children.resize(start_.children);
    for (const ProgramId old : steps_) {
        const ProgramId id = programIds.at(old);
        Program& program = profile.programs[id];
        if (program.computeSet.valid())
            program.computeSet = setIds.at(program.computeSet);
        if (program.exchange.valid())
            program.exchange = exchangeIds.at(program.exchange);
        children.push_back(id);
    }
    for (std::size_t i = start_.copies; i < profile.copies.size(); ++i) {
        Copy& copy = profile.copies[CopyId(i)];
        copy.program = newProgram(copy.program);
        copy.computeSet = setIds.at(standIn(setOf, copy.computeSet));
        if (copy.exchange.valid())
            copy.exchange = exchangeIds.at(standIn(exchangeOf, copy.exchange));
    }
    std::stable_sort(profile.copies.begin() + static_cast<std::ptrdiff_t>(start_.copies),
                     profile.copies.end(),
                     [](const Copy& a, const Copy& b) { return a.program < b.program; });
    std::set<std::pair<ProgramId, VariableId>> kills;
    for (const auto& [program, variable] : lowered.kills)
        kills.emplace(program.index() < start_.programs ? program : newProgram(program), variable);
    lowered.kills = std::move(kills);
}

void ParallelSteps::merge() {
    if (!readLanes())
        return;
    order();
    for (const auto& [from, into] : mergers_)
        mergeStep(into, from);
    renumber();
}

} // namespace tilescope::sim
