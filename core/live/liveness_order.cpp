#include "core/live/liveness_order.h"

#include <algorithm>

namespace tilescope {
namespace {
// A real program nests a few dozen deep.
constexpr int deepestCalls = 500;
} // namespace

LivenessOrder::LivenessOrder(const IdVector<ProgramId, Program>& programs,
                             const std::vector<ProgramId>& controlPrograms,
                             const std::vector<ProgramId>& functions,
                             const IdVector<StepId, ProgramId>& steps, bool pipelined)
    : programs_(programs)
    , steps_(steps) {
    const std::vector<bool> none(programs.size(), false);
    const std::vector<bool> all(programs.size(), true);
    // Older files have all functions in the order once, or those of a pipeline at each call.
    for (const auto& once : {pipelined ? calledBy(controlPrograms) : none, none, all}) {
        layOut(controlPrograms, functions, once);
        if (static_cast<std::size_t>(end_) == steps.size())
            return;
    }
}

std::vector<bool> LivenessOrder::calledBy(const std::vector<ProgramId>& controlPrograms) const {
    std::vector<bool> called(programs_.size(), false);
    std::vector<ProgramId> open = controlPrograms;
    for (std::size_t left = programs_.size(); !open.empty() && left > 0; --left) {
        const ProgramId id = open.back();
        open.pop_back();
        if (!exists(id))
            continue;
        const Program& program = programs_[id];
        if (program.kind == ProgramKind::Call && exists(program.target))
            called[program.target.index()] = true;
        open.insert(open.end(), program.children.begin(), program.children.end());
    }
    return called;
}

// Visits the tree in the order of simulator/memory/liveness.cpp.
void LivenessOrder::layOut(const std::vector<ProgramId>& controlPrograms,
                           const std::vector<ProgramId>& functions, const std::vector<bool>& once) {
    within_.assign(programs_.size(), -1);
    sizes_.assign(programs_.size(), -1);
    bases_.assign(programs_.size(), -1);
    standing_.assign(programs_.size(), false);
    for (const ProgramId function : functions)
        if (exists(function))
            standing_[function.index()] = once[function.index()];
    end_ = 0;
    const auto place = [&](ProgramId root) {
        if (!exists(root))
            return;
        bases_[root.index()] = end_;
        end_ = std::min(end_ + sizeOf(root, 0), static_cast<std::int32_t>(steps_.size()) + 1);
    };
    std::for_each(controlPrograms.begin(), controlPrograms.end(), place);
    for (const ProgramId function : functions)
        if (exists(function) && standing_[function.index()])
            place(function);
}

std::int32_t LivenessOrder::sizeOf(ProgramId root, int depth) {
    if (sizes_[root.index()] >= 0)
        return sizes_[root.index()];
    sizes_[root.index()] = 0; // only a damaged file has a function that calls itself
    if (depth > deepestCalls)
        return 0;
    const auto most = static_cast<std::int32_t>(steps_.size()) + 1;
    std::int32_t size = 0;
    std::vector<ProgramId> open{root};
    // A program has one parent, so each is visited once.
    while (!open.empty()) {
        const ProgramId id = open.back();
        open.pop_back();
        if (!exists(id) || within_[id.index()] >= 0)
            continue;
        within_[id.index()] = size;
        const Program& program = programs_[id];
        if (!isControl(program.kind))
            ++size;
        else if (program.kind == ProgramKind::Call && exists(program.target) &&
                 !standing_[program.target.index()])
            size += sizeOf(program.target, depth + 1);
        open.insert(open.end(), program.children.rbegin(), program.children.rend());
        size = std::min(size, most);
    }
    return sizes_[root.index()] = size;
}

std::int32_t LivenessOrder::baseOf(ProgramId controlProgram) const {
    return exists(controlProgram) ? bases_[controlProgram.index()] : -1;
}

std::int32_t LivenessOrder::inside(std::int32_t base, ProgramId call) const {
    if (!exists(call) || programs_[call].kind != ProgramKind::Call)
        return base;
    const ProgramId target = programs_[call].target;
    if (exists(target) && standing_[target.index()])
        return bases_[target.index()];
    if (base < 0 || within_[call.index()] < 0)
        return -1;
    const std::size_t step =
        static_cast<std::size_t>(base) + static_cast<std::size_t>(within_[call.index()]);
    return step < steps_.size() ? static_cast<std::int32_t>(step) : -1;
}

} // namespace tilescope
