#include "core/report/waterfall_table.h"

#include <fmt/format.h>

namespace tilescope {

Table waterfallTable(const std::optional<Waterfall>& waterfall) {
    Table table{"waterfall",
                "From source to target",
                {in(Shown::Data, {"kind", "Kind"}),
                 {"title", "Loss"},
                 {"source", "Source", Unit::Cycles},
                 {"target", "Target", Unit::Cycles},
                 differenceOf({"difference", "Difference", Unit::Cycles, "Target minus source"}),
                 {"cycles", "Then", Unit::Cycles, "Cycles after this step and those above it"},
                 {"place", "Most in", Unit::None, "Of the side that takes longer"}}};
    if (!waterfall) {
        table.emptyText = "not both profiles were executed";
        return table;
    }
    table.title +=
        fmt::format(", cycles of {}: {} -> {} ({})", waterfall->perSample ? "a sample" : "the run",
                    textOf(waterfall->before, Unit::Cycles), textOf(waterfall->after, Unit::Cycles),
                    textOf(waterfall->after - waterfall->before, Unit::Cycles, {}, true));
    table.emptyText = "no difference";
    std::int64_t reached = waterfall->before;
    for (const WaterfallStep& step : waterfall->steps) {
        reached += step.difference();
        table.add({step.kind ? Cell(std::string(toString(*step.kind))) : Cell(), step.name(),
                   step.before, step.after, Change(step.before, step.after), reached,
                   textOrNone(step.place)});
    }
    return table;
}

} // namespace tilescope
