#include <algorithm>
#include <fmt/format.h>
#include <iterator>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "core/trace/flame_paths.h"
#include "core/trace/trace_index.h"

namespace tilescope {
namespace {

/// A box that steps share: a part of their names, or a call or repeat around them. Calls of one
/// function differ by their programs, repetitions by their numbers. Names are those of programs, or
/// of Surroundings, as each of a hundred thousand steps has some.
struct Group {
    std::string_view name;
    ProgramId caller; ///< none for a part of a name
    friend bool operator==(const Group&, const Group&) = default;
};

std::size_t sharedCount(const std::vector<Group>& a, const std::vector<Group>& b) {
    return static_cast<std::size_t>(std::mismatch(a.begin(), a.end(), b.begin(), b.end()).first -
                                    a.begin());
}

/// The calls, repeats and named sequences around steps, outermost first.
class Surroundings {
public:
    explicit Surroundings(const IdVector<ProgramId, Program>& programs)
        : programs_(programs) {}

    const std::vector<Group>& of(const ExecutedStep& step) {
        const ProgramId parent = known(step.program) ? programs_[step.program].parent : ProgramId();
        // Neighbours are mostly in the same call.
        if (valid_ && step.callers == callers_ && step.repetitions == repetitions_ &&
            parent == parent_)
            return groups_;
        valid_ = true;
        callers_ = step.callers;
        repetitions_ = step.repetitions;
        parent_ = parent;
        groups_.clear();
        scopes_.clear();
        for (std::size_t i = 0; i < callers_.size(); ++i)
            if (known(callers_[i]))
                addCaller(callers_[i], repetitions_[i]);
        addSequences(parent);
        return groups_;
    }

    /// The boxes of a step: what is around it, and the scopes of its name.
    std::vector<Group> boxesOf(const ExecutedStep& step, const FlamePath& path) {
        const std::vector<Group>& around = of(step);
        std::vector<Group> groups;
        groups.reserve(around.size() + path.groups.size());
        groups = around;
        addScopes(path, groups);
        return groups;
    }

    /// How many of some boxes are those of a step.
    std::size_t sharedBoxes(const std::vector<Group>& groups, const ExecutedStep& step,
                            const FlamePath& path) {
        const std::vector<Group>& around = of(step);
        const std::size_t shared = sharedCount(groups, around);
        if (shared < around.size())
            return shared;
        std::size_t at = shared;
        for (std::size_t i = firstScope(path); i < path.groups.size() && at < groups.size();
             ++i, ++at)
            if (groups[at] != Group{path.groups[i], {}})
                break;
        return at;
    }

private:
    [[nodiscard]] bool known(ProgramId program) const {
        return program.valid() && program.index() < programs_.size();
    }

    /// The contents of a repeat have the scopes of the repeat, which already are boxes.
    void addScopes(const FlamePath& path, std::vector<Group>& groups) const {
        for (std::size_t i = firstScope(path); i < path.groups.size(); ++i)
            groups.push_back({path.groups[i], {}});
    }

    /// The first scope of a path that is not a box yet.
    [[nodiscard]] std::size_t firstScope(const FlamePath& path) const {
        const bool within = path.groups.size() >= scopes_.size() &&
                            std::equal(scopes_.begin(), scopes_.end(), path.groups.begin());
        return within ? scopes_.size() : 0;
    }

    void addCaller(ProgramId id, std::int64_t repetition) {
        const Program& program = programs_[id];
        addSequences(program.parent);
        // Both have the debug path of their operation: they are under its scopes.
        const FlamePath path = splitPath(program.name);
        addScopes(path, groups_);
        std::string_view name = path.leaf;
        scopes_ = {};
        if (program.kind == ProgramKind::Repeat)
            scopes_ = path.groups;
        if (name.empty() && known(program.target))
            name = programs_[program.target].name;
        if (program.kind == ProgramKind::Repeat && program.count > 1)
            name =
                *numbered_.insert(fmt::format("{} {} of {}", name, repetition + 1, program.count))
                     .first;
        if (!name.empty())
            groups_.push_back({name, id});
    }

    /// The boxes around a program in its own body. The body itself has the name of its run, its
    /// function or its repeat, which already is a box.
    void addSequences(ProgramId id) {
        std::vector<Group> inner;
        constexpr int deepest = 500; // a damaged tree may have loops
        for (int depth = 0; depth < deepest && known(id); ++depth) {
            const Program& program = programs_[id];
            if (program.kind == ProgramKind::Repeat || !program.parent.valid())
                break;
            const bool isBody =
                known(program.parent) && programs_[program.parent].kind == ProgramKind::Repeat;
            if (program.kind == ProgramKind::Sequence && !program.name.empty() && !isBody)
                inner.push_back({program.name, id});
            id = program.parent;
        }
        groups_.insert(groups_.end(), inner.rbegin(), inner.rend());
    }

    const IdVector<ProgramId, Program>& programs_;
    bool valid_ = false;
    std::vector<ProgramId> callers_;
    std::vector<std::int64_t> repetitions_;
    ProgramId parent_;
    std::vector<Group> groups_;
    std::vector<std::string_view> scopes_;     ///< of the repeat around, if that is next
    std::unordered_set<std::string> numbered_; ///< names with the numbers of repetitions
};

/// Grows boxes span by span; a box ends where the next span's name differs at its row.
class FlameBuilder {
public:
    FlameBuilder(const TraceIndex& index, const IdVector<ProgramId, Program>& programs)
        : index_(index)
        , programs_(programs)
        , paths_(programs)
        , surroundings_(programs) {}

    void add(const TraceSpan& span) {
        if (run_ != span.run) {
            placeSyncs({});
            close(0);
            run_ = span.run;
            groups_.clear();
        }
        if (span.merged())
            return place(sharedGroups(span), {}, span);
        ExecutedStep step = index_.placeOf(span.firstStep);
        step.program = span.program;
        if (!known(span.program)) {
            syncs_.push_back({span, surroundings_.of(step)});
            return;
        }
        const FlamePath& path = paths_.of(span.program);
        place(surroundings_.boxesOf(step, path), path.leaf, span);
    }

    std::vector<FlameSpan> finish() {
        placeSyncs({});
        close(0);
        std::vector<FlameSpan> all;
        for (auto& row : rows_)
            all.insert(all.end(), std::make_move_iterator(row.begin()),
                       std::make_move_iterator(row.end()));
        return all;
    }

private:
    struct Open {
        FlameSpan box;
        ProgramId caller;
        TraceSums sums;
    };
    struct WaitingSync {
        TraceSpan span;
        std::vector<Group> surroundings;
    };

    [[nodiscard]] bool known(ProgramId program) const {
        return program.valid() && program.index() < programs_.size();
    }

    void place(std::vector<Group> groups, std::string_view leaf, const TraceSpan& span) {
        placeSyncs(groups);
        addBoxes(groups, leaf, span);
        groups_ = std::move(groups);
    }

    /// A sync without a name belongs to the steps before and after it: a short one inside an
    /// operation does not split the operation's box, and a long wait between two has its own box.
    void placeSyncs(const std::vector<Group>& next) {
        for (const WaitingSync& sync : syncs_) {
            std::vector<Group> groups = sync.surroundings;
            const std::size_t shared = sharedCount(groups_, next);
            if (shared > groups.size() && sharedCount(groups, next) == groups.size())
                groups.assign(next.begin(), next.begin() + static_cast<std::ptrdiff_t>(shared));
            addBoxes(groups, toString(sync.span.kind), sync.span);
        }
        syncs_.clear();
    }

    void addBoxes(const std::vector<Group>& groups, std::string_view leaf, const TraceSpan& span) {
        extend(0, {index_.runs()[static_cast<std::size_t>(span.run)].name, {}}, false, span);
        std::size_t row = 1;
        for (const Group& group : groups)
            extend(row++, group, false, span);
        // Merged spans do not grow together: each has its own steps.
        if (span.merged())
            close(row);
        if (!leaf.empty() || span.merged()) {
            extend(row, {leaf, {}}, true, span);
            open_[row++].box.shares = span.shares;
        }
        close(row);
    }

    /// The groups of the first step with a name from a step on, forward or backward.
    [[nodiscard]] std::vector<Group> groupsFrom(std::int64_t at, int direction) {
        // A sync without a name precedes a step with one.
        constexpr int tried = 3;
        for (int i = 0; i < tried && at >= 0 && at < index_.stepCount(); ++i, at += direction) {
            const ExecutedStep step = index_.stepAt(at);
            if (!known(step.program))
                continue;
            return groupsOf(step);
        }
        return {};
    }

    [[nodiscard]] std::vector<Group> groupsOf(const ExecutedStep& step) {
        return surroundings_.boxesOf(step, paths_.of(step.program));
    }

    [[nodiscard]] ExecutedStep placeOf(const TraceSpan::Named& named) const {
        ExecutedStep step = index_.placeOf(named.step);
        step.program = named.program;
        return step;
    }

    /// The groups that the ends of a merged span share: it is too narrow to look at the rest.
    [[nodiscard]] std::vector<Group> sharedGroups(const TraceSpan& span) {
        if (known(span.first.program) && known(span.last.program)) {
            std::vector<Group> groups = groupsOf(placeOf(span.first));
            groups.resize(surroundings_.sharedBoxes(groups, placeOf(span.last),
                                                    paths_.of(span.last.program)));
            return groups;
        }
        std::vector<Group> first = groupsFrom(span.firstStep, 1);
        first.resize(sharedCount(first, groupsFrom(span.firstStep + span.steps - 1, -1)));
        return first;
    }

    // A step never continues a box that others share, even if both have the same name: the box
    // would be as wide as all of them and say nothing about the step.
    void extend(std::size_t row, const Group& group, bool leaf, const TraceSpan& span) {
        if (row < open_.size() &&
            (open_[row].box.name != group.name || open_[row].caller != group.caller ||
             open_[row].box.leaf != leaf))
            close(row);
        if (row == open_.size()) {
            FlameSpan box;
            box.row = static_cast<std::int32_t>(row);
            box.begin = span.begin;
            box.name = group.name;
            box.leaf = leaf;
            box.firstStep = span.firstStep;
            open_.push_back({std::move(box), group.caller, {}});
        }
        Open& open = open_[row];
        open.box.end = std::max(open.box.end, span.end);
        open.box.steps += span.steps;
        open.sums.cyclesByKind[static_cast<std::size_t>(span.kind)] += span.end - span.begin;
        open.box.kind = open.sums.dominantKind();
    }

    /// Ends the boxes from a row down, deepest last in its own row.
    void close(std::size_t row) {
        for (std::size_t at = row; at < open_.size(); ++at) {
            if (rows_.size() <= at)
                rows_.resize(at + 1);
            rows_[at].push_back(std::move(open_[at].box));
        }
        open_.resize(std::min(open_.size(), row));
    }

    const TraceIndex& index_;
    const IdVector<ProgramId, Program>& programs_;
    ProgramPaths paths_;
    Surroundings surroundings_;
    std::int32_t run_ = -1;
    std::vector<Open> open_;
    std::vector<Group> groups_;      ///< of the last step with a name
    std::vector<WaitingSync> syncs_; ///< whose place depends on the next step
    std::vector<std::vector<FlameSpan>> rows_;
};

} // namespace

std::vector<FlameSpan> flameRows(const TraceIndex& index,
                                 const IdVector<ProgramId, Program>& programs, IpuId ipu,
                                 CycleRange range, std::int64_t minimumCycles) {
    return flameRows(index, programs, index.spans(ipu, range, minimumCycles));
}

std::vector<FlameSpan> flameRows(const TraceIndex& index,
                                 const IdVector<ProgramId, Program>& programs,
                                 const std::vector<TraceSpan>& spans) {
    FlameBuilder builder(index, programs);
    for (const TraceSpan& span : spans)
        builder.add(span);
    return builder.finish();
}

std::vector<TraceSpan> takeOverlappingStreams(std::vector<TraceSpan>& spans) {
    const auto isStream = [](const TraceSpan& span) {
        return span.kind == ProgramKind::StreamCopyBegin ||
               span.kind == ProgramKind::StreamCopyMid || span.kind == ProgramKind::StreamCopyEnd;
    };
    std::vector<bool> beside(spans.size(), false);
    std::size_t last = spans.size(); // the span that ends last of those that stay
    for (std::size_t i = 0; i < spans.size(); ++i) {
        if (last < spans.size() && spans[i].begin < spans[last].end) {
            if (isStream(spans[i])) {
                beside[i] = true;
                continue;
            }
            if (isStream(spans[last]))
                beside[last] = true;
        }
        if (last == spans.size() || beside[last] || spans[i].end >= spans[last].end)
            last = i;
    }
    std::vector<TraceSpan> taken;
    std::vector<TraceSpan> kept;
    for (std::size_t i = 0; i < spans.size(); ++i)
        (beside[i] ? taken : kept).push_back(spans[i]);
    spans = std::move(kept);
    return taken;
}

} // namespace tilescope
