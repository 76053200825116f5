#include "tests/support/random_repeats.h"

#include <algorithm>
#include <array>
#include <random>

#include "tests/support/sample_profile.h"

namespace tilescope::test {
namespace {

/// Programs of random repeats and steps on three IPUs with a trace, and with other bytes at each
/// step on each IPU.
class RandomRepeats {
public:
    explicit RandomRepeats(std::uint32_t seed)
        : random_(seed) {}

    Profile profile() {
        p_ = sampleProfile({.ipus = 2});
        p_.info.target.ipus = ipus;
        p_.info.target.tilesPerIpu = 4;
        p_.programs = {};
        p_.steps = {};
        p_.functions = {};
        p_.trace = {};
        p_.livenessClasses = {};
        p_.variables = {};
        p_.tileMemory = {};
        for (std::int32_t tile = 0; tile < p_.info.target.totalTiles(); ++tile)
            p_.tileMemory.add({});
        const ProgramId root = program(ProgramKind::Sequence, {});
        p_.controlPrograms = {root};
        Ends ends{};
        const TraceBodyId body = sequence(root, 0, {true, true, true}, ends);
        const std::int64_t cycles = *std::max_element(ends.begin(), ends.end());
        p_.trace.runs = {{"first", body, 0, cycles}, {"second", body, cycles + 77, cycles}};
        return std::move(p_);
    }

private:
    static constexpr std::int32_t ipus = 3;
    using Ends = std::array<std::int64_t, ipus>;
    using Taking = std::array<bool, ipus>; ///< which IPUs take part in a body

    std::int64_t upTo(std::int64_t most) {
        return std::uniform_int_distribution<std::int64_t>(0, most)(random_);
    }

    ProgramId program(ProgramKind kind, ProgramId parent) {
        Program program;
        program.kind = kind;
        program.parent = parent;
        const ProgramId id = p_.programs.add(std::move(program));
        if (parent.valid())
            p_.programs[parent].children.push_back(id);
        return id;
    }

    /// A body for the children of a program; `ends` is where each IPU is after it.
    TraceBodyId sequence(ProgramId parent, int depth, const Taking& taking, Ends& ends) {
        TraceBody body;
        body.program = parent;
        const std::int64_t items = 2 + upTo(4);
        for (std::int64_t i = 0; i < items; ++i)
            if (depth < 3 && upTo(2) == 0)
                addRepeat(body, parent, depth, taking, ends);
            else
                addStep(body, parent, taking, ends);
        return p_.trace.bodies.add(std::move(body));
    }

    void addStep(TraceBody& body, ProgramId parent, const Taking& taking, Ends& ends) {
        const ProgramId id = program(ProgramKind::OnTileExecute, parent);
        const StepId at = p_.steps.add(id);
        TraceStep step{ProgramKind::OnTileExecute, id, {}};
        for (std::int32_t i = 0; i < ipus; ++i) {
            LivenessClass live;
            live.intervals.push_back({at, StepId(at.index() + 1)});
            Variable variable;
            variable.liveness = p_.livenessClasses.add(live);
            variable.bytes = TileSeries(TileId(i * 4), 4, 1 + upTo(99));
            p_.variables.add(std::move(variable));
            if (upTo(2) == 0 || !taking[static_cast<std::size_t>(i)])
                continue;
            std::int64_t& end = ends[static_cast<std::size_t>(i)];
            const std::int64_t start =
                std::max<std::int64_t>(0, end + upTo(20) - (mayOverlap() ? 15 : 0));
            step.ipus.push_back({IpuId(i), start, upTo(30)});
            end = std::max(end, start + step.ipus.back().cycles);
        }
        body.items.push_back({static_cast<std::int32_t>(body.steps.size()), -1});
        body.steps.push_back(std::move(step));
    }

    void addRepeat(TraceBody& body, ProgramId parent, int depth, Taking taking, Ends& ends) {
        for (bool& takes : taking)
            takes = upTo(5) > 0 && takes;
        const ProgramId repeat = program(ProgramKind::Repeat, parent);
        const ProgramId content = program(ProgramKind::Sequence, repeat);
        Ends lengths{};
        TraceCall call{sequence(content, depth + 1, taking, lengths), repeat, 1 + upTo(6), {}};
        const bool together = upTo(3) > 0;
        const std::int64_t period = *std::max_element(lengths.begin(), lengths.end()) + upTo(3);
        const std::int64_t start = *std::max_element(ends.begin(), ends.end()) + upTo(5);
        for (std::int32_t i = 0; i < ipus; ++i) {
            const auto at = static_cast<std::size_t>(i);
            if (!taking[at])
                continue;
            const std::int64_t own = together ? period : lengths[at] + upTo(3);
            const std::int64_t begin = together ? start + upTo(1) * upTo(9) : ends[at];
            call.ipus.push_back({IpuId(i), begin, own});
            ends[at] = begin + call.count * own;
        }
        body.items.push_back({-1, static_cast<std::int32_t>(body.calls.size())});
        body.calls.push_back(std::move(call));
        // A step that begins while the first repetition is running.
        if (upTo(3) == 0) {
            Ends during = ends;
            for (const CallOnIpu& on : body.calls.back().ipus)
                during[on.ipu.index()] = on.start + upTo(on.period);
            addStep(body, parent, taking, during);
            for (std::size_t at = 0; at < ends.size(); ++at)
                ends[at] = std::max(ends[at], during[at]);
        }
    }

    [[nodiscard]] bool mayOverlap() { return upTo(4) == 0; }

    std::mt19937 random_;
    Profile p_;
};

} // namespace

Profile randomRepeats(std::uint32_t seed) {
    return RandomRepeats(seed).profile();
}

} // namespace tilescope::test
