// Allocates and frees, as many times as asked for, from a few different places: something for a
// heap profiler to record.
//   allocation_events [EVENTS]
#include <cstdio>
#include <cstdlib>
#include <utility>
#include <vector>

namespace {

constexpr std::size_t places = 64;
constexpr std::size_t kept = 4096;

template <std::size_t place> [[gnu::noinline]] void* allocate(std::size_t size) {
    return std::malloc(size + place);
}

template <std::size_t... place> void run(std::size_t events, std::index_sequence<place...>) {
    using Allocate = void* (*)(std::size_t);
    static constexpr Allocate from[] = {&allocate<place>...};
    std::vector<void*> blocks(kept, nullptr);
    // Each turn allocates once and frees once.
    for (std::size_t turn = 0; turn < events / 2; ++turn) {
        void*& block = blocks[turn * 7919 % kept];
        std::free(block);
        block = from[turn % places](16 + turn % 1000);
    }
    for (void* block : blocks)
        std::free(block);
}

} // namespace

int main(int argc, char** argv) {
    const std::size_t events = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 10'000'000;
    run(events, std::make_index_sequence<places>());
    std::printf("%zu\n", events);
    return 0;
}
