#include "core/analysis/hosts/host_calls.h"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "core/base/error.h"
#include "core/base/saturating.h"

namespace tilescope {
namespace {

using HostEventOf = HostThreads::Event;

/// The tree of a thread, while its events come in order of time.
class CallTree {
public:
    CallTree(CycleRange range, std::size_t most)
        : range_(range)
        , most_(most) {
        nodes_.emplace_back();
    }

    void add(const HostEventOf& event) {
        const std::int64_t begin = std::max(event.begin, range_.begin);
        const std::int64_t cycles =
            std::max<std::int64_t>(0, std::min(event.end, range_.end) - begin);
        // What ends later than what is around it was not called by it.
        while (!open_.empty() && (open_.back().end <= event.begin || open_.back().end < event.end))
            open_.pop_back();
        const std::size_t caller = open_.empty() ? 0 : open_.back().node;
        const std::optional<std::size_t> at = below(caller, event);
        if (!at)
            return;
        Node& node = nodes_[*at];
        ++node.calls.count;
        node.calls.cycles = saturatingSum(node.calls.cycles, cycles);
        node.calls.ownCycles = saturatingSum(node.calls.ownCycles, cycles);
        node.calls.longest = std::max(node.calls.longest, event.cycles());
        if (caller == 0)
            nodes_[0].calls.cycles = saturatingSum(nodes_[0].calls.cycles, cycles);
        else
            nodes_[caller].calls.ownCycles -= cycles;
        if (!event.isMoment)
            open_.push_back({*at, event.end});
    }

    /// The root with all below it.
    [[nodiscard]] HostCalls finish(const HostThreads& threads) const { return made(0, threads); }
    [[nodiscard]] std::size_t size() const { return nodes_.size(); }

private:
    using Words = std::pair<std::uint32_t, std::uint32_t>;
    struct Node {
        HostCalls calls;
        Words words;
        std::map<Words, std::size_t> within;
    };
    struct Open {
        std::size_t node = 0;
        std::int64_t end = 0;
    };

    std::optional<std::size_t> below(std::size_t caller, const HostEventOf& event) {
        const Words words(event.name, event.channel);
        const auto found = nodes_[caller].within.find(words);
        if (found != nodes_[caller].within.end())
            return found->second;
        if (nodes_.size() >= most_)
            return {};
        nodes_[caller].within.emplace(words, nodes_.size());
        nodes_.push_back({{}, words, {}});
        return nodes_.size() - 1;
    }
    // As deep as rows are.
    [[nodiscard]] HostCalls made(std::size_t at, const HostThreads& threads) const {
        HostCalls calls = nodes_[at].calls;
        if (at > 0) {
            calls.name = threads.word(nodes_[at].words.first);
            calls.channel = threads.word(nodes_[at].words.second);
        }
        for (const auto& [words, node] : nodes_[at].within)
            calls.within.push_back(made(node, threads));
        std::ranges::stable_sort(calls.within, std::greater<>(), &HostCalls::cycles);
        return calls;
    }

    CycleRange range_;
    std::size_t most_;
    std::vector<Node> nodes_;
    std::vector<Open> open_;
};

/// Gives the events of all rows in a range in order of time, of equal ones the longer first.
class InOrder {
public:
    InOrder(const HostThreads::Thread& thread, CycleRange range)
        : thread_(thread)
        , range_(range) {
        for (const HostThreads::Row& row : thread.rows)
            at_.push_back(row.firstFrom(range.begin));
    }
    /// None (nullptr) at the end.
    [[nodiscard]] const HostEventOf* next() {
        const HostEventOf* first = nullptr;
        std::size_t of = 0;
        for (std::size_t row = 0; row < at_.size(); ++row) {
            const std::vector<HostEventOf>& events = thread_.rows[row].events;
            if (at_[row] >= events.size() || events[at_[row]].begin >= range_.end)
                continue;
            const HostEventOf& event = events[at_[row]];
            if (first == nullptr ||
                std::pair(event.begin, -event.end) < std::pair(first->begin, -first->end)) {
                first = &event;
                of = row;
            }
        }
        if (first != nullptr)
            ++at_[of];
        return first;
    }

private:
    const HostThreads::Thread& thread_;
    CycleRange range_;
    std::vector<std::size_t> at_;
};

} // namespace

std::vector<HostCalls> hostCalls(const HostThreads& threads, CycleRange range,
                                 const std::stop_token& stop) {
    std::vector<HostCalls> roots;
    std::size_t lines = 0;
    for (const HostThreads::Thread& thread : threads.threads()) {
        if (lines >= mostHostCalls)
            break;
        CallTree tree(range, mostHostCalls - lines);
        InOrder events(thread, range);
        std::int64_t count = 0;
        constexpr std::int64_t between = 4096; // looks at the token
        while (const HostEventOf* event = events.next()) {
            if (++count % between == 0 && stop.stop_requested())
                throw Cancelled();
            tree.add(*event);
        }
        if (count == 0)
            continue;
        lines += tree.size();
        HostCalls root = tree.finish(threads);
        root.name = thread.name;
        root.count = count;
        roots.push_back(std::move(root));
    }
    return roots;
}

} // namespace tilescope
