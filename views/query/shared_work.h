// One query on several cores.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <future>
#include <thread>
#include <vector>

namespace tilescope::views {

/// Which cores work on a query: all if the user waits for its answer, all but one if the window
/// goes on painting.
enum class Cores { All, AllButOne };

/// Calls work(i) once for each i below `count`, on the calling thread and on as many others as
/// there are further cores, each of which takes the next free index. They have the caller's
/// priority. Rethrows an exception of a call when all have ended; no more are started after it.
template <class Work> void shareWork(std::size_t count, Cores on, const Work& work) {
    std::atomic<std::size_t> next = 0;
    const auto takeAll = [&] {
        try {
            for (std::size_t i = next++; i < count; i = next++)
                work(i);
        } catch (...) {
            next = count;
            throw;
        }
    };
    const std::size_t there = std::max(1U, std::thread::hardware_concurrency());
    const std::size_t cores = there - (on == Cores::AllButOne ? 1 : 0);
    std::vector<std::future<void>> helpers;
    for (std::size_t i = 1; i < std::min(cores, count); ++i)
        helpers.push_back(std::async(std::launch::async, takeAll));
    takeAll(); // where this throws, the futures wait for the others
    for (std::future<void>& helper : helpers)
        helper.get();
}

} // namespace tilescope::views
