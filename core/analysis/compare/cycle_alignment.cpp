#include "core/analysis/compare/cycle_alignment.h"

#include <algorithm>
#include <map>

#include "core/analysis/compare/body_pieces.h"
#include "core/analysis/compare/step_alignment.h"
#include "core/base/saturating.h"

namespace tilescope {
namespace {

constexpr std::array<std::size_t, 2> sides{0, 1};

/// Aligns each pair of bodies once.
class Aligner {
public:
    Aligner(const ProfilePair& profiles, const std::stop_token& stop)
        : keys_(programKeys(profiles, stop))
        , indices_{profiles.source->trace(stop), profiles.target->trace(stop)}
        , stop_(stop) {}

    CycleAlignment run() {
        std::array<std::vector<BodyPiece>, 2> runs;
        CycleAlignment::Both ends{};
        for (const std::size_t side : sides) {
            runs[side] = runsOf(side);
            ends[side] = indices_[side]->totalCycles();
        }
        CycleAlignment::Body all = align(runs, ends);
        data_.bodies.push_back(std::move(all));
        return CycleAlignment(std::move(data_));
    }

private:
    using Pieces = std::array<std::vector<BodyPiece>, 2>;
    [[nodiscard]] const TraceLanes& lanes(std::size_t side) const {
        return indices_[side]->lanes();
    }
    [[nodiscard]] const std::vector<std::int32_t>& keysOf(std::size_t side) const {
        return side == 0 ? keys_.source : keys_.target;
    }

    std::vector<BodyPiece> runsOf(std::size_t side) const {
        std::vector<BodyPiece> pieces;
        for (const TraceRun& run : indices_[side]->runs()) {
            const ProgramId program = lanes(side).outline().bodies[run.body].program;
            const auto& keys = keysOf(side);
            const bool known = program.valid() && program.index() < keys.size();
            const std::int32_t key = known ? keys[program.index()] : -1;
            pieces.push_back({run.start, key < 0 ? anyCall : key,
                              PieceCall{run.body, run.start, 1,
                                        std::max(run.cycles, lengthOf(lanes(side), run.body))}});
        }
        std::stable_sort(pieces.begin(), pieces.end(),
                         [](const BodyPiece& a, const BodyPiece& b) { return a.begin < b.begin; });
        if (!pieces.empty())
            pieces.front().begin = 0;
        return pieces;
    }

    /// The index of two bodies, aligned.
    std::int32_t pair(TraceBodyId source, TraceBodyId target) {
        if (const auto known = pairs_.find({source, target}); known != pairs_.end())
            return known->second;
        Pieces pieces{piecesOf(lanes(0), source, keysOf(0), stop_),
                      piecesOf(lanes(1), target, keysOf(1), stop_)};
        CycleAlignment::Body body =
            align(pieces, {lengthOf(lanes(0), source), lengthOf(lanes(1), target)});
        data_.bodies.push_back(std::move(body));
        const auto at = static_cast<std::int32_t>(data_.bodies.size()) - 1;
        pairs_.emplace(std::pair(source, target), at);
        return at;
    }

    static std::vector<std::int32_t> keysOf(const std::vector<BodyPiece>& pieces) {
        std::vector<std::int32_t> keys;
        for (const BodyPiece& piece : pieces)
            keys.push_back(piece.key);
        return keys;
    }

    CycleAlignment::Body align(const Pieces& pieces, CycleAlignment::Both ends) {
        const StepAlignment places = alignSteps(keysOf(pieces[0]), keysOf(pieces[1]));
        const std::array<const std::vector<std::int32_t>*, 2> placesOf{&places.source,
                                                                       &places.target};
        CycleAlignment::Body body;
        std::array<std::size_t, 2> next{};
        const auto beginOf = [&](std::size_t side, std::size_t at) {
            return at < pieces[side].size() ? pieces[side][at].begin
                                            : std::max(ends[side], endOf(pieces[side]));
        };
        std::int64_t place = 0;
        for (std::int32_t at = 0; at < places.places; ++at) {
            std::array<bool, 2> here{};
            CycleAlignment::Part part{{}, place, -1};
            CycleAlignment::Both length{};
            for (const std::size_t side : sides) {
                const std::size_t piece = next[side];
                part.begin[side] = beginOf(side, piece);
                here[side] = piece < placesOf[side]->size() && (*placesOf[side])[piece] == at;
                if (here[side])
                    length[side] = beginOf(side, ++next[side]) - part.begin[side];
            }
            std::int64_t width = std::max(length[0], length[1]);
            if (here[0] && here[1])
                width =
                    together(body, part, pieces[0][next[0] - 1], pieces[1][next[1] - 1], length);
            data_.pieces += (here[0] ? 1 : 0) + (here[1] ? 1 : 0);
            data_.matched += here[0] && here[1] ? 2 : 0;
            body.parts.push_back(part);
            place = saturatingSum(place, width);
        }
        body.parts.push_back({{beginOf(0, next[0]), beginOf(1, next[1])}, place, -1});
        return body;
    }

    static std::int64_t endOf(const std::vector<BodyPiece>& pieces) {
        return pieces.empty() ? 0 : pieces.back().begin;
    }

    /// The width of two pieces that begin together; calls are aligned by what they repeat.
    std::int64_t together(CycleAlignment::Body& body, CycleAlignment::Part& part,
                          const BodyPiece& source, const BodyPiece& target,
                          CycleAlignment::Both length) {
        if (!source.call || !target.call)
            return std::max(length[0], length[1]);
        CycleAlignment::Call call{pair(source.call->callee, target.call->callee), {}, {}, {}, 0, 0};
        const CycleAlignment::Body& inner = data_.bodies[static_cast<std::size_t>(call.body)];
        const CycleAlignment::Part& innerEnd = inner.parts.back();
        const std::array<const PieceCall*, 2> calls{&*source.call, &*target.call};
        std::int64_t after = 0; // of a repetition, until the next
        for (const std::size_t side : sides) {
            const PieceCall& of = *calls[side];
            call.lead[side] = std::max<std::int64_t>(0, of.begin - part.begin[side]);
            call.count[side] = std::max<std::int64_t>(1, of.count);
            call.period[side] = of.count > 1
                                    ? std::max<std::int64_t>(1, of.period)
                                    : std::max({std::int64_t{1}, of.period, innerEnd.begin[side]});
            call.placeLead = std::max(call.placeLead, call.lead[side]);
            after = std::max(after, call.period[side] - innerEnd.begin[side]);
        }
        call.placePeriod = std::max<std::int64_t>(1, saturatingSum(innerEnd.place, after));
        std::int64_t width = 0;
        for (const std::size_t side : sides) {
            const std::int64_t own = saturatingSum(
                call.lead[side], saturatingProduct(call.count[side], call.period[side]));
            const std::int64_t places = saturatingSum(
                call.placeLead, saturatingProduct(call.count[side], call.placePeriod));
            width = std::max(width,
                             saturatingSum(places, std::max<std::int64_t>(0, length[side] - own)));
        }
        part.call = static_cast<std::int32_t>(body.calls.size());
        body.calls.push_back(call);
        return width;
    }

    StepKeys keys_;
    std::array<std::shared_ptr<const TraceIndex>, 2> indices_;
    const std::stop_token& stop_;
    std::map<std::pair<TraceBodyId, TraceBodyId>, std::int32_t> pairs_;
    CycleAlignment::Data data_;
};

} // namespace

std::int64_t CycleAlignment::placeOf(std::int64_t cycle, bool target) const {
    return cycle <= 0 ? cycle : placeIn(data_->bodies.back(), cycle, target ? 1 : 0);
}

std::int64_t CycleAlignment::cycleAt(std::int64_t place, bool target) const {
    return place <= 0 ? place : cycleIn(data_->bodies.back(), place, target ? 1 : 0);
}

CycleRange CycleAlignment::placesOf(CycleRange cycles, bool target) const {
    const std::int64_t begin = placeOf(cycles.begin, target);
    return {begin,
            cycles.cycles() <= 0 ? begin : saturatingSum(placeOf(cycles.end - 1, target), 1)};
}

CycleRange CycleAlignment::cyclesAt(CycleRange places, bool target) const {
    return {cycleAt(places.begin, target), cycleAt(places.end, target)};
}

std::int64_t CycleAlignment::length() const {
    return data_->bodies.back().parts.back().place;
}

double CycleAlignment::matched() const {
    return data_->pieces > 0
               ? static_cast<double>(data_->matched) / static_cast<double>(data_->pieces)
               : 0;
}

std::int64_t CycleAlignment::placeIn(const Body& body, std::int64_t cycle, std::size_t side) const {
    // Parts without cycles of this side begin where the next does: the last of them has some.
    const auto after =
        std::upper_bound(body.parts.begin(), body.parts.end(), cycle,
                         [side](std::int64_t c, const Part& part) { return c < part.begin[side]; });
    if (after == body.parts.begin())
        return body.parts.front().place;
    const Part& part = *std::prev(after);
    std::int64_t in = cycle - part.begin[side];
    if (part.call < 0)
        return saturatingSum(part.place, in);
    const Call& call = body.calls[static_cast<std::size_t>(part.call)];
    if (in < call.lead[side])
        return saturatingSum(part.place, in);
    in -= call.lead[side];
    const std::int64_t repetition = std::min(in / call.period[side], call.count[side]);
    std::int64_t rest = in - repetition * call.period[side];
    if (repetition < call.count[side])
        rest = std::min(placeIn(data_->bodies[static_cast<std::size_t>(call.body)], rest, side),
                        call.placePeriod - 1);
    const std::int64_t before =
        saturatingSum(call.placeLead, saturatingProduct(repetition, call.placePeriod));
    return saturatingSum(part.place, saturatingSum(before, rest));
}

std::int64_t CycleAlignment::cycleIn(const Body& body, std::int64_t place, std::size_t side) const {
    const auto after =
        std::upper_bound(body.parts.begin(), body.parts.end(), place,
                         [](std::int64_t p, const Part& part) { return p < part.place; });
    if (after == body.parts.begin())
        return body.parts.front().begin[side];
    const Part& part = *std::prev(after);
    std::int64_t in = place - part.place;
    if (after == body.parts.end())
        return saturatingSum(part.begin[side], in);
    const std::int64_t end = after->begin[side];
    const auto within = [&](std::int64_t cycles) {
        return std::min(saturatingSum(part.begin[side], cycles), end);
    };
    if (part.call < 0)
        return within(in);
    const Call& call = body.calls[static_cast<std::size_t>(part.call)];
    if (in < call.placeLead)
        return within(std::min(in, call.lead[side]));
    in -= call.placeLead;
    const std::int64_t repetition = std::min(in / call.placePeriod, call.count[side]);
    std::int64_t rest = in - repetition * call.placePeriod;
    if (repetition < call.count[side])
        rest = std::min(cycleIn(data_->bodies[static_cast<std::size_t>(call.body)], rest, side),
                        call.period[side]);
    return within(saturatingSum(
        call.lead[side], saturatingSum(saturatingProduct(repetition, call.period[side]), rest)));
}

CycleAlignment alignCycles(const ProfilePair& profiles, const std::stop_token& stop) {
    return Aligner(profiles, stop).run();
}

} // namespace tilescope
