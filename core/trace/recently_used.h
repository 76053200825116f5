// A small cache of pages. Internal to core/trace.
#pragma once

#include <cstdint>
#include <list>
#include <memory>
#include <unordered_map>
#include <utility>
#include <vector>

namespace tilescope {

/// The most recently used pages, by key. Not thread-safe.
template <class T> class RecentlyUsed {
public:
    explicit RecentlyUsed(std::size_t most)
        : most_(most) {}
    using Value = std::shared_ptr<const std::vector<T>>;
    Value find(std::uint64_t key) {
        const auto at = places_.find(key);
        if (at == places_.end())
            return {};
        values_.splice(values_.begin(), values_, at->second);
        return at->second->second;
    }
    void put(std::uint64_t key, Value value) {
        if (places_.contains(key))
            return;
        values_.emplace_front(key, std::move(value));
        places_[key] = values_.begin();
        if (values_.size() > most_) {
            places_.erase(values_.back().first);
            values_.pop_back();
        }
    }

private:
    std::size_t most_;
    std::list<std::pair<std::uint64_t, Value>> values_;
    std::unordered_map<std::uint64_t, typename std::list<std::pair<std::uint64_t, Value>>::iterator>
        places_;
};

} // namespace tilescope
