#include "views/execution/trace_legend.h"

#include "core/trace/tile_raster.h"
#include "views/plot/trace/tile_plottable.h"
#include "views/theme/text.h"

namespace tilescope::views {
std::vector<LegendBar::Entry> traceLegend(const Theme& theme, TraceLook look, bool host) {
    std::vector<LegendBar::Entry> entries;
    for (const ProgramKind kind :
         {ProgramKind::OnTileExecute, ProgramKind::DoExchange, ProgramKind::GlobalExchange,
          ProgramKind::Sync, ProgramKind::StreamCopyBegin, ProgramKind::StreamCopyMid,
          ProgramKind::StreamCopyEnd}) {
        const std::string_view name = toString(kind);
        entries.push_back({QString::fromUtf8(name.data(), static_cast<qsizetype>(name.size())),
                           theme.kind(kind)});
    }
    if (look == TraceLook::Tiles)
        entries.push_back(
            {Text::tr("Waits for other tiles"), tileStateColour(theme, TileState::Wait)});
    else if (host)
        entries.push_back({Text::tr("Host waits for IPU"), groupColour(theme, hostWaitsKind)});
    return entries;
}

} // namespace tilescope::views
