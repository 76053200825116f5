#include "core/report/counters_table.h"

namespace tilescope {

Table countersTable(const CounterColumns& counters) {
    Table table{
        "counters",
        std::string("Counters over time, means of each row; bytes per cycle; live memory ") +
            (counters.liveIsExact() ? "at its moments"
                                    : "as bounds: the sums of each IPU's own extremes"),
        {{"begin", "From", Unit::Cycles},
         {"end", "To", Unit::Cycles},
         {"liveLeast", "Live, least", Unit::Bytes, "Resident on all IPUs together at a moment"},
         {"liveMost", "Live, most", Unit::Bytes,
          "Likewise; in Liveness, all IPUs are at the same step of the program"},
         {"onChipBytesPerCycle", "On chip", Unit::Bytes},
         {"betweenIpusBytesPerCycle", "Between IPUs", Unit::Bytes},
         {"fromHostBytesPerCycle", "From host", Unit::Bytes},
         {"toHostBytesPerCycle", "To host", Unit::Bytes},
         {"activeTiles", "Active tiles", Unit::Rate}}};
    for (std::size_t i = 0; i < counters.count(); ++i) {
        const CycleRange cycles = counters.columns().at(i);
        const LiveExtremes& live = counters.live()[i];
        table.add({cycles.begin, cycles.end, live.least, live.most, counters.onChipBytesPerCycle(i),
                   counters.betweenIpusBytesPerCycle(i), counters.fromHostBytesPerCycle(i),
                   counters.toHostBytesPerCycle(i), counters.activeTiles(i)});
    }
    return table;
}

} // namespace tilescope
