#include <algorithm>

#include "invariant_parts.h"

namespace tilescope::test {
namespace {

/// Follows bodies item by item with a clock for each IPU.
class TraceChecker {
public:
    TraceChecker(const Profile& profile, Complaints& complaints)
        : profile_(profile)
        , complaints_(complaints) {}

    void run() {
        std::int64_t start = 0;
        for (const TraceRun& run : profile_.trace.runs) {
            complaints_.expect(run.start == start, "runs follow each other", "{}", run.name);
            const std::vector<std::int64_t> ends = duration(run.body);
            const std::int64_t longest = *std::max_element(ends.begin(), ends.end());
            complaints_.expect(run.cycles == longest, "a run lasts as long as its body",
                               "{}: {} of {}", run.name, run.cycles, longest);
            start += run.cycles;
        }
    }

private:
    /// Clocks by IPU: of I/O tiles, where their transfers overlap, and of the others.
    struct Clocks {
        std::vector<std::int64_t> others, io;
        [[nodiscard]] std::int64_t latest(IpuId ipu) const {
            return std::max(others.at(ipu.index()), io.at(ipu.index()));
        }
    };

    /// A step starts where the one before on its tiles ends, or where all tiles have met.
    void checkStart(const std::string& body, IpuId ipu, std::int64_t start, bool onIo,
                    const Clocks& clocks) {
        const std::int64_t now = (onIo ? clocks.io : clocks.others).at(ipu.index());
        complaints_.expect(
            start == now || start == clocks.latest(ipu), "steps follow without hole or overlap",
            "{}: a step starts at {} instead of {} on IPU {}", body, start, now, ipu.value());
    }

    /// The first of an IPU's tiles that compute nothing; none where their transfers do not overlap.
    [[nodiscard]] std::int32_t firstIoTile() const {
        const auto& options = profile_.info.options;
        const auto strategy = options.find("exchangeStrategy");
        const auto tiles = options.find("ioTiles");
        return strategy == options.end() || strategy->second == "just-in-time" ||
                       tiles == options.end()
                   ? profile_.info.target.tilesPerIpu
                   : profile_.info.target.tilesPerIpu - std::stoi(tiles->second);
    }

    [[nodiscard]] bool touchesIo(const TileSeries& bytes) const {
        const Target& target = profile_.info.target;
        for (std::int32_t first = 0; first < target.totalTiles(); first += target.tilesPerIpu)
            if (!bytes.slice(first + firstIoTile(), first + target.tilesPerIpu).empty())
                return true;
        return false;
    }

    [[nodiscard]] bool isOnIo(const TraceStep& step) const {
        return step.program.valid() && profile_.programs[step.program].stream.valid() &&
               touchesIo(profile_.streams[profile_.programs[step.program].stream].bytes);
    }

    /// Whether a body has steps for which the tiles wait for each other.
    [[nodiscard]] bool meets(TraceBodyId id) const {
        const TraceBody& body = profile_.trace.bodies[id];
        return std::any_of(body.steps.begin(), body.steps.end(),
                           [&](const TraceStep& step) { return isOnIo(step) || meets(step); }) ||
               std::any_of(body.calls.begin(), body.calls.end(),
                           [&](const TraceCall& call) { return meets(call.callee); });
    }
    [[nodiscard]] bool meets(const TraceStep& step) const {
        if (step.kind != ProgramKind::DoExchange || !step.program.valid())
            return step.kind == ProgramKind::GlobalExchange;
        const Exchange& exchange = profile_.exchanges[profile_.programs[step.program].exchange];
        return touchesIo(exchange.bytesReceived) || touchesIo(exchange.bytesSent);
    }

    std::vector<std::int64_t> duration(TraceBodyId id) {
        const TraceBody& body = profile_.trace.bodies[id];
        const auto ipus = static_cast<std::size_t>(profile_.info.target.ipus);
        Clocks clocks{std::vector<std::int64_t>(ipus, 0), std::vector<std::int64_t>(ipus, 0)};
        complaints_.expect(body.items.size() == body.steps.size() + body.calls.size(),
                           "every step and call is an item", "{}", body.name);
        for (const TraceItem& item : body.items) {
            if (item.step >= 0) {
                const TraceStep& step = body.steps.at(static_cast<std::size_t>(item.step));
                checkStep(step);
                const bool onIo = isOnIo(step);
                for (const StepOnIpu& on : step.ipus) {
                    checkStart(body.name, on.ipu, on.start, onIo, clocks);
                    (onIo ? clocks.io : clocks.others).at(on.ipu.index()) = on.start + on.cycles;
                    if (meets(step))
                        clocks.io.at(on.ipu.index()) = on.start + on.cycles;
                }
                continue;
            }
            const TraceCall& call = body.calls.at(static_cast<std::size_t>(item.call));
            const std::vector<std::int64_t> each = duration(call.callee);
            for (const CallOnIpu& on : call.ipus) {
                checkStart(body.name, on.ipu, on.start, false, clocks);
                complaints_.expect(on.period == each.at(on.ipu.index()),
                                   "a repetition lasts as long as its body", "{}", body.name);
                clocks.others.at(on.ipu.index()) = on.start + call.count * on.period;
                if (meets(call.callee))
                    clocks.io.at(on.ipu.index()) = on.start + call.count * on.period;
            }
        }
        for (std::size_t ipu = 0; ipu < ipus; ++ipu)
            clocks.others[ipu] = clocks.latest(IpuId(ipu));
        return clocks.others;
    }

    void checkStep(const TraceStep& step) {
        complaints_.expect((step.kind == ProgramKind::Sync) == !step.program.valid(),
                           "a step has a program", "{}", toString(step.kind));
        if (step.program.valid())
            complaints_.expect(profile_.programs[step.program].kind == step.kind,
                               "a step is what its program is", "{}",
                               profile_.programs[step.program].name);
        for (const StepOnIpu& on : step.ipus) {
            complaints_.expect(on.cycles >= 0 && on.activeCycles >= 0 && on.bytesIn >= 0 &&
                                   on.bytesOut >= 0,
                               "no negative times", "{}", toString(step.kind));
            complaints_.expect(on.activeCycles <= on.cycles * on.activeTiles,
                               "no tile works longer than its step", "{}: {} cycles on {} tiles",
                               toString(step.kind), on.activeCycles, on.activeTiles);
            complaints_.expect(step.kind != ProgramKind::DoExchange || on.bytesIn == on.bytesOut,
                               "an exchange's bytes in are its bytes out", "{} in, {} out",
                               on.bytesIn, on.bytesOut);
        }
    }

    const Profile& profile_;
    Complaints& complaints_;
};

} // namespace

void checkTrace(const Profile& profile, Complaints& complaints) {
    complaints.expect(profile.info.hasExecution == !profile.trace.runs.empty(),
                      "an execution has runs", "{} runs", profile.trace.runs.size());
    complaints.expect(profile.info.fits || !profile.info.hasExecution,
                      "what does not fit does not run", "{} runs", profile.trace.runs.size());
    TraceChecker(profile, complaints).run();
    if (profile.info.hasExecution)
        complaints.expect(profile.info.cycles == profile.trace.runs.back().cycles,
                          "the headline is the main program's cycles", "{}", profile.info.cycles);
}

} // namespace tilescope::test
