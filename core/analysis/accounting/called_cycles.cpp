#include "core/analysis/accounting/called_cycles.h"

#include "core/base/saturating.h"

namespace tilescope {
namespace {

/// The frames that count as a forest, which keeps what each calls.
class Callers {
public:
    Callers(const SourceNames& names, SourceGrain grain)
        : names_(names)
        , grain_(grain)
        , size_(names.code().frames.size())
        , callers_(size_)
        , calls_(size_)
        , numberOf_(size_, none) {
        for (std::size_t i = 0; i < size_; ++i) {
            const SourceFrameId parent = names.code().frames[SourceFrameId(i)].parent;
            // Callers come before what they call.
            if (parent.valid())
                callers_[i] = names.counts(parent) ? parent : callers_[parent.index()];
        }
    }

    /// Makes the stack of a frame known.
    void reach(SourceFrameId frame) {
        for (; frame.valid() && numberOf_[frame.index()] == none; frame = callerOf(frame)) {
            const auto [known, isNew] =
                numbers_.try_emplace(names_.name(frame, grain_), numbers_.size());
            numberOf_[frame.index()] = known->second;
            (callerOf(frame).valid() ? calls_[callerOf(frame).index()] : roots_).push_back(frame);
        }
    }

    /// The caller that counts; none for the outermost, and for a library's line without one.
    [[nodiscard]] SourceFrameId callerOf(SourceFrameId frame) const {
        return callers_[frame.index()];
    }

    /// Calls `visit` with each known frame, its name, and whether no caller has the name, too.
    template <class Visit> void eachFrame(const Visit& visit) const {
        std::vector<std::size_t> inStack(numbers_.size(), 0);
        std::vector<const std::string*> texts(numbers_.size());
        for (const auto& [text, number] : numbers_)
            texts[number] = &text;
        // Frames to enter, and those that are left after what they call.
        std::vector<std::pair<SourceFrameId, bool>> open;
        for (const SourceFrameId root : roots_)
            open.emplace_back(root, false);
        while (!open.empty()) {
            const auto [frame, leave] = open.back();
            open.pop_back();
            std::size_t& times = inStack[numberOf_[frame.index()]];
            if (leave) {
                --times;
                continue;
            }
            visit(frame, *texts[numberOf_[frame.index()]], times == 0);
            ++times;
            open.emplace_back(frame, true);
            for (const SourceFrameId called : calls_[frame.index()])
                open.emplace_back(called, false);
        }
    }

    [[nodiscard]] std::size_t size() const { return size_; }

private:
    static constexpr std::size_t none = static_cast<std::size_t>(-1);
    const SourceNames& names_;
    SourceGrain grain_;
    std::size_t size_;
    std::vector<SourceFrameId> callers_;
    std::vector<std::vector<SourceFrameId>> calls_;
    std::vector<SourceFrameId> roots_;
    std::vector<std::size_t> numberOf_; ///< number of a frame's name; none: not reached
    std::map<std::string, std::size_t> numbers_;
};

/// Cycles of a frame and, once added up, of all that it calls; none where no operation is.
using CyclesOfFrames = std::vector<std::optional<std::int64_t>>;

void add(std::optional<std::int64_t>& sum, std::int64_t cycles) {
    sum = saturatingSum(sum.value_or(0), cycles);
}

} // namespace

std::map<std::pair<std::string, IpuId>, CalledCycles>
calledCycles(const Accounting& accounting, const SourceNames& names, SourceGrain grain) {
    Callers callers(names, grain);
    std::map<IpuId, CyclesOfFrames> byIpu;
    for (const CostPlace& place : accounting.places()) {
        const SourceFrameId frame = names.frameOf(place.node);
        if (!place.operation.valid() || !frame.valid())
            continue;
        callers.reach(frame);
        for (const PlacedStep& step : place.steps)
            add(byIpu.try_emplace(step.once.ipu, callers.size()).first->second[frame.index()],
                step.cycles);
    }
    for (auto& [ipu, cycles] : byIpu)
        for (std::size_t i = cycles.size(); i-- > 0;)
            if (const SourceFrameId caller = callers.callerOf(SourceFrameId(i));
                cycles[i] && caller.valid())
                add(cycles[caller.index()], *cycles[i]);
    std::map<std::pair<std::string, IpuId>, CalledCycles> called;
    callers.eachFrame([&](SourceFrameId frame, const std::string& name, bool outermost) {
        for (const auto& [ipu, cycles] : byIpu) {
            if (!cycles[frame.index()])
                continue;
            CalledCycles& of = called.try_emplace({name, ipu}, CalledCycles{frame}).first->second;
            if (outermost)
                of.cycles = saturatingSum(of.cycles, *cycles[frame.index()]);
        }
    });
    return called;
}

} // namespace tilescope
