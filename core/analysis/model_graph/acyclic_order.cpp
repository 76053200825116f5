#include <queue>

#include "core/analysis/model_graph/layers.h"

namespace tilescope {

std::vector<std::size_t>
acyclicOrder(std::size_t n, const std::vector<std::pair<std::size_t, std::size_t>>& edges) {
    std::vector<std::vector<std::size_t>> next(n);
    std::vector<std::size_t> waiting(n);
    for (const auto& [from, to] : edges) {
        next[from].push_back(to);
        ++waiting[to];
    }
    std::priority_queue<std::size_t, std::vector<std::size_t>, std::greater<>> ready;
    for (std::size_t i = 0; i < n; ++i)
        if (waiting[i] == 0)
            ready.push(i);
    std::vector<std::size_t> place(n, n);
    std::size_t lowest = 0;
    for (std::size_t placed = 0; placed < n;) {
        if (ready.empty()) { // a cycle: cut where the first of it begins
            while (place[lowest] != n)
                ++lowest;
            ready.push(lowest);
            waiting[lowest] = 0;
        }
        const std::size_t at = ready.top();
        ready.pop();
        if (place[at] != n)
            continue;
        place[at] = placed++;
        for (const std::size_t to : next[at])
            if (waiting[to] > 0 && --waiting[to] == 0)
                ready.push(to);
    }
    return place;
}

} // namespace tilescope
