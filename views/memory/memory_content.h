// What the memory report shows, made on a worker thread.
#pragma once

#include <optional>
#include <span>
#include <stop_token>

#include "core/analysis/compare/profile_pair.h"
#include "core/analysis/memory/memory_plot.h"
#include "core/target/selection.h"
#include "views/plot/series/step_plot.h"
#include "views/tables/value_tree.h"

namespace tilescope::views {

/// Colour and order of a layer of memoryPlot(), by its key.
QColor layerColour(const Theme& theme, MemoryBreakdown breakdown, const std::string& key,
                   int place);

/// One profile: the layers of the breakdown, stacked. Two: their totals, overlaid, whatever the
/// breakdown.
StepPlot::Content memoryContent(const ProfilePair& profiles, const MemoryPlotOptions& options,
                                bool showLimit, const Theme& theme, ByteUnits units,
                                const std::stop_token& stop);

/// memoryContent(), or the stacks of source and target apart if two profiles are broken down.
struct MemoryPlots {
    StepPlot::Content first;
    std::optional<StepPlot::Content> second;
};
MemoryPlots memoryPlots(const ProfilePair& profiles, const MemoryPlotOptions& options,
                        bool showLimit, const Theme& theme, ByteUnits units,
                        const std::stop_token& stop);

/// The bytes on each tile of variables of the source, a translucent area each, followed by those of
/// the target's variables of the same names.
StepPlot::Content variableContent(const ProfilePair& profiles,
                                  std::span<const VariableId> variables, TileOrder order,
                                  const Theme& theme, const std::stop_token& stop);

/// The tree of Details with a column for each selection; with two profiles each has source, target
/// and difference.
ValueTree detailsTree(const ProfilePair& profiles, std::span<const TileSelection> columns,
                      const std::stop_token& stop);

/// The tiles of each IPU on the axis, in every order; none for a single IPU.
std::vector<PlotWidget::Section> ipuSections(const Target& machine);

/// The place of a tile on the axis; the inverse of tileAtPlace().
std::int32_t placeOfTile(const Target& machine, TileOrder order, TileId tile);

} // namespace tilescope::views
