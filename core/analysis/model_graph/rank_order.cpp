#include "core/analysis/model_graph/rank_order.h"

#include <algorithm>

namespace tilescope {
namespace {

/// Links of each node to the layer above and to the one below.
struct Neighbours {
    std::vector<std::vector<std::size_t>> up, down; ///< link numbers
    Neighbours(std::size_t nodes, const std::vector<RankLink>& links)
        : up(nodes)
        , down(nodes) {
        for (std::size_t i = 0; i < links.size(); ++i) {
            down[links[i].upper].push_back(i);
            up[links[i].lower].push_back(i);
        }
    }
};

void numberPlaces(const Ranks& ranks, std::vector<std::size_t>& places) {
    for (const auto& rank : ranks)
        for (std::size_t i = 0; i < rank.size(); ++i)
            places[rank[i]] = i;
}

/// Sorts a layer by the mean place of neighbours; nodes without any keep their place.
void sortByNeighbours(std::vector<std::size_t>& rank, std::vector<std::size_t>& places,
                      const std::vector<std::vector<std::size_t>>& neighbours) {
    struct Key {
        double mean;
        std::size_t node;
    };
    std::vector<Key> keys;
    keys.reserve(rank.size());
    for (std::size_t i = 0; i < rank.size(); ++i) {
        double sum = 0;
        for (const std::size_t other : neighbours[rank[i]])
            sum += static_cast<double>(places[other]);
        const auto count = static_cast<double>(neighbours[rank[i]].size());
        keys.push_back({count > 0 ? sum / count : static_cast<double>(i), rank[i]});
    }
    std::stable_sort(keys.begin(), keys.end(),
                     [](const Key& a, const Key& b) { return a.mean < b.mean; });
    for (std::size_t i = 0; i < keys.size(); ++i) {
        rank[i] = keys[i].node;
        places[keys[i].node] = i;
    }
}

/// Counts of numbers below a bound (a Fenwick tree).
class Counter {
public:
    explicit Counter(std::size_t size)
        : sums_(size + 1) {}
    void add(std::size_t at) {
        for (std::size_t i = at + 1; i < sums_.size(); i += i & (~i + 1))
            ++sums_[i];
    }
    /// How many are at most `at`.
    [[nodiscard]] std::size_t upTo(std::size_t at) const {
        std::size_t sum = 0;
        for (std::size_t i = at + 1; i > 0; i -= i & (~i + 1))
            sum += sums_[i];
        return sum;
    }

private:
    std::vector<std::size_t> sums_;
};

/// Positions in non-decreasing order whose weighted squared distance to the wanted ones is least
/// (pool adjacent violators; Ayer et al. 1955).
std::vector<double> closestSorted(const std::vector<double>& wanted,
                                  const std::vector<double>& weights) {
    struct Pool {
        double mean, weight;
        std::size_t count;
    };
    std::vector<Pool> pools;
    for (std::size_t i = 0; i < wanted.size(); ++i) {
        pools.push_back({wanted[i], weights[i], 1});
        while (pools.size() > 1 && pools[pools.size() - 2].mean > pools.back().mean) {
            const Pool last = pools.back();
            pools.pop_back();
            Pool& pool = pools.back();
            pool.mean =
                (pool.mean * pool.weight + last.mean * last.weight) / (pool.weight + last.weight);
            pool.weight += last.weight;
            pool.count += last.count;
        }
    }
    std::vector<double> sorted;
    sorted.reserve(wanted.size());
    for (const Pool& pool : pools)
        sorted.insert(sorted.end(), pool.count, pool.mean);
    return sorted;
}

class Columns {
public:
    Columns(const Ranks& ranks, const std::vector<RankNode>& nodes,
            const std::vector<RankLink>& links, double boxGap, double turnGap)
        : ranks_(ranks)
        , nodes_(nodes)
        , links_(links)
        , neighbours_(nodes.size(), links)
        , boxGap_(boxGap)
        , turnGap_(turnGap)
        , x_(nodes.size()) {}

    std::vector<double> run() {
        for (const auto& rank : ranks_)
            placeInOrder(rank);
        // Down and up in turn, then with both neighbours: the drawing hardly moves after that.
        constexpr int sweeps = 4;
        for (int i = 0; i < sweeps; ++i) {
            for (const auto& rank : ranks_)
                improve(rank, true, i + 1 == sweeps);
            for (auto rank = ranks_.rbegin(); rank != ranks_.rend(); ++rank)
                improve(*rank, i + 1 == sweeps, true);
        }
        return std::move(x_);
    }

private:
    [[nodiscard]] double distance(std::size_t left, std::size_t right) const {
        const RankNode& a = nodes_[left];
        const RankNode& b = nodes_[right];
        return (a.width + b.width) / 2 + (a.isTurn || b.isTurn ? turnGap_ : boxGap_);
    }

    void placeInOrder(const std::vector<std::size_t>& rank) {
        double at = 0;
        for (std::size_t i = 0; i < rank.size(); ++i) {
            at += i == 0 ? 0 : distance(rank[i - 1], rank[i]);
            x_[rank[i]] = at;
        }
        for (const std::size_t node : rank)
            x_[node] -= at / 2;
    }

    /// Edges over several layers should run straight, so turns pull harder than boxes.
    [[nodiscard]] double pull(const RankLink& link) const {
        constexpr double perTurn = 3;
        return (nodes_[link.upper].isTurn ? perTurn : 1) *
               (nodes_[link.lower].isTurn ? perTurn : 1);
    }

    void improve(const std::vector<std::size_t>& rank, bool byUpper, bool byLower) {
        constexpr double freeWeight = 1e-3; // of a node without any pull
        std::vector<double> wanted;
        std::vector<double> weights;
        double offset = 0;
        for (std::size_t i = 0; i < rank.size(); ++i) {
            const std::size_t node = rank[i];
            offset += i == 0 ? 0 : distance(rank[i - 1], node);
            double sum = 0;
            double weight = 0;
            const auto add = [&](const RankLink& link, double x) {
                sum += x * pull(link);
                weight += pull(link);
            };
            if (byUpper)
                for (const std::size_t l : neighbours_.up[node])
                    add(links_[l], x_[links_[l].upper] + links_[l].upperX - links_[l].lowerX);
            if (byLower)
                for (const std::size_t l : neighbours_.down[node])
                    add(links_[l], x_[links_[l].lower] + links_[l].lowerX - links_[l].upperX);
            wanted.push_back((weight > 0 ? sum / weight : x_[node]) - offset);
            weights.push_back(weight > 0 ? weight : freeWeight);
        }
        const std::vector<double> sorted = closestSorted(wanted, weights);
        offset = 0;
        for (std::size_t i = 0; i < rank.size(); ++i) {
            offset += i == 0 ? 0 : distance(rank[i - 1], rank[i]);
            x_[rank[i]] = sorted[i] + offset;
        }
    }

    const Ranks& ranks_;
    const std::vector<RankNode>& nodes_;
    const std::vector<RankLink>& links_;
    Neighbours neighbours_;
    double boxGap_, turnGap_;
    std::vector<double> x_;
};

} // namespace

std::size_t crossings(const Ranks& ranks, const std::vector<RankNode>& nodes,
                      const std::vector<RankLink>& links) {
    std::vector<std::size_t> places(nodes.size());
    numberPlaces(ranks, places);
    std::vector<std::vector<std::pair<std::size_t, std::size_t>>> byRank(ranks.size());
    for (const RankLink& link : links)
        byRank[nodes[link.upper].rank].emplace_back(places[link.upper], places[link.lower]);
    std::size_t count = 0;
    for (std::size_t r = 0; r + 1 < ranks.size(); ++r) {
        std::sort(byRank[r].begin(), byRank[r].end());
        Counter counter(ranks[r + 1].size());
        for (std::size_t i = 0; i < byRank[r].size(); ++i) {
            count += i - counter.upTo(byRank[r][i].second);
            counter.add(byRank[r][i].second);
        }
    }
    return count;
}

Ranks orderedRanks(const std::vector<RankNode>& nodes, const std::vector<RankLink>& links) {
    Ranks ranks;
    for (std::size_t i = 0; i < nodes.size(); ++i) {
        if (nodes[i].rank >= ranks.size())
            ranks.resize(nodes[i].rank + 1);
        ranks[nodes[i].rank].push_back(i);
    }
    std::vector<std::vector<std::size_t>> up(nodes.size());
    std::vector<std::vector<std::size_t>> down(nodes.size());
    for (const RankLink& link : links) {
        down[link.upper].push_back(link.lower);
        up[link.lower].push_back(link.upper);
    }
    std::vector<std::size_t> places(nodes.size());
    numberPlaces(ranks, places);
    Ranks best = ranks;
    std::size_t fewest = crossings(ranks, nodes, links);
    // More sweeps than this hardly ever find a better order.
    constexpr int mostSweeps = 8;
    for (int sweep = 0; sweep < mostSweeps && fewest > 0; ++sweep) {
        if (sweep % 2 == 0)
            for (std::size_t r = 1; r < ranks.size(); ++r)
                sortByNeighbours(ranks[r], places, up);
        else
            for (std::size_t r = ranks.size() - 1; r-- > 0;)
                sortByNeighbours(ranks[r], places, down);
        if (const std::size_t now = crossings(ranks, nodes, links); now < fewest) {
            fewest = now;
            best = ranks;
        }
    }
    return best;
}

std::vector<double> columnsOf(const Ranks& ranks, const std::vector<RankNode>& nodes,
                              const std::vector<RankLink>& links, double boxGap, double turnGap) {
    return Columns(ranks, nodes, links, boxGap, turnGap).run();
}

} // namespace tilescope
