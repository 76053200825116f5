// Counters over time of a large profile, 1,500 columns of one IPU, and live memory of all of them:
//   counters_bench PROFILE [options of google-benchmark]
// scale_profile writes one of 10 million steps.
#include <cstdio>
#include <memory>
#include <vector>

#include <benchmark/benchmark.h>

#include "core/analysis/counters/counter_columns.h"
#include "core/base/error.h"

namespace {

using namespace tilescope;

constexpr std::int64_t screenColumns = 1500;

/// A `part`-th of the execution, in its middle.
CycleColumns columnsOf(const ProfileView& profile, std::int64_t part) {
    const std::int64_t all = profile.trace()->totalCycles();
    const std::int64_t from = part == 1 ? 0 : all / 2;
    return {{from, from + all / part}, screenColumns};
}

void sums(benchmark::State& state, const std::shared_ptr<const ProfileView>& profile) {
    const CycleColumns columns = columnsOf(*profile, state.range(0));
    const auto trace = profile->trace();
    for (auto _ : state)
        benchmark::DoNotOptimize(columnSums(*trace, IpuId(0), columns, usualColumnsOfBlock));
}

void live(benchmark::State& state, const std::shared_ptr<const ProfileView>& profile) {
    const CycleColumns columns = columnsOf(*profile, state.range(0));
    const LiveMemory memory(*profile, {});
    for (auto _ : state)
        benchmark::DoNotOptimize(memory.columns(IpuId(0), columns));
}

/// The first question about an IPU, which reads its steps.
void firstLive(benchmark::State& state, const std::shared_ptr<const ProfileView>& profile) {
    const CycleColumns columns = columnsOf(*profile, 1);
    const int ipus = profile->machine().ipus;
    int ipu = 0;
    auto memory = std::make_unique<LiveMemory>(*profile, std::stop_token());
    for (auto _ : state) {
        benchmark::DoNotOptimize(memory->columns(IpuId(ipu), columns));
        if (++ipu < ipus)
            continue;
        state.PauseTiming();
        ipu = 0;
        memory = std::make_unique<LiveMemory>(*profile, std::stop_token());
        state.ResumeTiming();
    }
}

std::vector<IpuId> allIpus(const ProfileView& profile) {
    std::vector<IpuId> ipus;
    for (std::int32_t i = 0; i < profile.machine().ipus; ++i)
        ipus.emplace_back(i);
    return ipus;
}

void liveOfAll(benchmark::State& state, const std::shared_ptr<const ProfileView>& profile) {
    const CycleColumns columns = columnsOf(*profile, state.range(0));
    const std::vector<IpuId> ipus = allIpus(*profile);
    const LiveMemory memory(*profile, {});
    benchmark::DoNotOptimize(memory.columns(ipus, columns));
    for (auto _ : state)
        benchmark::DoNotOptimize(memory.columns(ipus, columns));
}

/// The first question about all IPUs, which goes through their moments.
void firstLiveOfAll(benchmark::State& state, const std::shared_ptr<const ProfileView>& profile) {
    const CycleColumns columns = columnsOf(*profile, 1);
    const std::vector<IpuId> ipus = allIpus(*profile);
    for (auto _ : state)
        benchmark::DoNotOptimize(LiveMemory(*profile, std::stop_token()).columns(ipus, columns));
}

} // namespace

int main(int argc, char** argv) {
    benchmark::Initialize(&argc, argv);
    if (argc != 2) {
        std::fprintf(stderr, "usage: counters_bench PROFILE [--benchmark_filter=...]\n");
        return 2;
    }
    try {
        const auto profile = std::make_shared<const ProfileView>(argv[1]);
        std::printf("%lld steps, %d IPUs\n", static_cast<long long>(profile->trace()->stepCount()),
                    profile->machine().ipus);
        constexpr int zooms[] = {1, 10, 100, 1000, 10'000};
        auto* ofSums = benchmark::RegisterBenchmark(
            "sums", [&](benchmark::State& state) { sums(state, profile); });
        auto* ofLive = benchmark::RegisterBenchmark(
            "live", [&](benchmark::State& state) { live(state, profile); });
        benchmark::RegisterBenchmark("firstLive", [&](benchmark::State& state) {
            firstLive(state, profile);
        })->Unit(benchmark::kMillisecond);
        auto* ofAll = benchmark::RegisterBenchmark(
            "liveOfAll", [&](benchmark::State& state) { liveOfAll(state, profile); });
        benchmark::RegisterBenchmark("firstLiveOfAll", [&](benchmark::State& state) {
            firstLiveOfAll(state, profile);
        })->Unit(benchmark::kMillisecond);
        for (const int part : zooms) {
            ofAll->Arg(part)->Unit(benchmark::kMillisecond);
            ofSums->Arg(part)->Unit(benchmark::kMillisecond);
            ofLive->Arg(part)->Unit(benchmark::kMillisecond);
        }
        benchmark::RunSpecifiedBenchmarks();
    } catch (const UserError& error) {
        std::fprintf(stderr, "counters_bench: error: %s\n", error.what());
        return 2;
    }
    return 0;
}
