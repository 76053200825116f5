#include "views/memory/memory_content.h"

#include <algorithm>

#include "core/analysis/memory/memory_details.h"
#include "views/tables/profile_tables.h"
#include "views/theme/text.h"

namespace tilescope::views {
namespace {

MemoryPlot plotOf(const ProfileView& profile, const MemoryPlotOptions& options,
                  const std::stop_token& stop) {
    return memoryPlot(profile.machine(), *profile.tileMemory(stop), *profile.categoryMemory(stop),
                      options);
}

StepArea overlay(const QString& name, const QColor& colour, const TileSeries& series,
                 const Target& machine) {
    return {name, colour, MinMaxPyramid(series.toDense(machine.totalTiles()))};
}

StepArea withLimit(StepArea area, const std::optional<PlotWidget::Limit>& limit) {
    area.limit = limit ? static_cast<std::int64_t>(limit->value) : 0;
    return area;
}

std::vector<StepArea> stacked(const MemoryPlot& plot, MemoryBreakdown breakdown,
                              const Target& machine, const Theme& theme) {
    std::vector<StepArea> areas;
    std::vector<std::int64_t> sums(static_cast<std::size_t>(machine.totalTiles()), 0);
    for (const MemoryLayer& layer : plot.layers) {
        layer.bytes.addTo(sums);
        areas.push_back({shownName(layer.name),
                         layerColour(theme, breakdown, layer.key, static_cast<int>(areas.size())),
                         MinMaxPyramid(sums)});
    }
    return areas;
}

std::vector<ValueNode> linesOf(const std::vector<MemoryNode>& nodes) {
    std::vector<ValueNode> lines;
    for (const MemoryNode& node : nodes)
        lines.push_back({QString::fromStdString(node.name),
                         {node.bytes.begin(), node.bytes.end()},
                         linesOf(node.children)});
    return lines;
}

// The physical id of the tile of each column that has one.
ValueNode physicalIds(const ProfilePair& profiles, std::span<const TileSelection> columns) {
    ValueNode node{Text::tr("Physical tile id"), {}, {}, Unit::Count};
    const auto idOn = [](const ProfileView& profile, const TileSelection& column) {
        const Target& machine = profile.machine();
        const TileId tile = column.tile();
        if (!tile.valid() || tile.value() >= machine.totalTiles() ||
            !profile.info().has(ProfilePart::PhysicalTiles))
            return Cell();
        return Cell(std::int64_t{physicalTileId(machine, tile.value() % machine.tilesPerIpu)});
    };
    for (const TileSelection& column : columns) {
        node.values.push_back(idOn(*profiles.source, column));
        if (profiles.comparing()) {
            node.values.push_back(idOn(*profiles.target, column));
            node.values.emplace_back();
        }
    }
    return node;
}

std::optional<PlotWidget::Limit> limitOf(const MemoryPlot& plot, bool shown, ByteUnits units) {
    if (!shown || plot.limitPerTile <= 0)
        return {};
    return PlotWidget::Limit{
        static_cast<double>(plot.limitPerTile),
        Text::tr("%1 on a tile")
            .arg(QString::fromStdString(formatBytes(plot.limitPerTile, units)))};
}

std::vector<ValueNode> detailsOf(const ProfileView& profile, std::span<const TileSelection> columns,
                                 const std::stop_token& stop) {
    return linesOf(memoryDetails(profile.machine(), *profile.tileMemory(stop),
                                 *profile.categoryMemory(stop), columns));
}

StepPlot::Content stackOf(const ProfileView& profile, const MemoryPlotOptions& options,
                          bool showLimit, const Theme& theme, ByteUnits units,
                          const std::stop_token& stop) {
    StepPlot::Content content;
    const MemoryPlot plot = plotOf(profile, options, stop);
    content.areas = stacked(plot, options.breakdown, profile.machine(), theme);
    content.limit = limitOf(plot, showLimit, units);
    if (!content.areas.empty()) // the top of the stack is the tile's total
        content.areas.back() = withLimit(std::move(content.areas.back()), content.limit);
    if (content.areas.size() > 1)
        content.areas.back().total = Text::tr("Total");
    return content;
}

} // namespace

QColor layerColour(const Theme& theme, MemoryBreakdown breakdown, const std::string& key,
                   int place) {
    if (key == "gaps")
        return mixed(theme.mutedText, theme.surface, 0.62);
    if (breakdown == MemoryBreakdown::Region)
        if (const auto region = memoryRegionFrom(key))
            return theme.region(*region);
    if (breakdown == MemoryBreakdown::Category)
        if (const auto category = memoryCategoryFrom(key))
            return theme.category(*category);
    if (breakdown == MemoryBreakdown::Liveness)
        return place == 0 ? theme.alwaysLive : theme.notAlwaysLive;
    return theme.source;
}

StepPlot::Content memoryContent(const ProfilePair& profiles, const MemoryPlotOptions& options,
                                bool showLimit, const Theme& theme, ByteUnits units,
                                const std::stop_token& stop) {
    const ProfileView& source = *profiles.source;
    if (!profiles.comparing() && options.breakdown != MemoryBreakdown::None)
        return stackOf(source, options, showLimit, theme, units, stop);
    StepPlot::Content content;
    content.mode = StepAreaPlottable::Mode::Overlaid;
    MemoryPlotOptions total = options;
    total.breakdown = MemoryBreakdown::None;
    const MemoryPlot plot = plotOf(source, total, stop);
    const QString name = options.includeGaps ? Text::tr("Tile memory, including gaps")
                                             : Text::tr("Tile memory, excluding gaps");
    content.limit = limitOf(plot, showLimit, units);
    content.areas.push_back(
        withLimit(overlay(profiles.comparing() ? Text::tr("%1 (source)").arg(name) : name,
                          theme.source, plot.total, source.machine()),
                  content.limit));
    if (profiles.comparing()) {
        const MemoryPlot other = plotOf(*profiles.target, total, stop);
        content.areas.push_back(withLimit(overlay(Text::tr("%1 (target)").arg(name), theme.target,
                                                  other.total, profiles.target->machine()),
                                          limitOf(other, showLimit, units)));
        content.areas.back().filled = false;
    }
    return content;
}

MemoryPlots memoryPlots(const ProfilePair& profiles, const MemoryPlotOptions& options,
                        bool showLimit, const Theme& theme, ByteUnits units,
                        const std::stop_token& stop) {
    if (!profiles.comparing() || options.breakdown == MemoryBreakdown::None)
        return {memoryContent(profiles, options, showLimit, theme, units, stop), {}};
    return {stackOf(*profiles.source, options, showLimit, theme, units, stop),
            stackOf(*profiles.target, options, showLimit, theme, units, stop)};
}

StepPlot::Content variableContent(const ProfilePair& profiles,
                                  std::span<const VariableId> variables, TileOrder order,
                                  const Theme& theme, const std::stop_token& stop) {
    StepPlot::Content content;
    content.mode = StepAreaPlottable::Mode::Overlaid;
    const auto add = [&](const ProfileView& profile, const Variable& variable,
                         const QString& name) {
        content.areas.push_back(overlay(name, theme.series(static_cast<int>(content.areas.size())),
                                        order == TileOrder::Physical
                                            ? inPhysicalOrder(profile.machine(), variable.bytes)
                                            : variable.bytes,
                                        profile.machine()));
    };
    const auto all = profiles.source->variables(stop);
    for (const VariableId id : variables) {
        const Variable& variable = (*all)[id];
        const QString name = shownName(variable.name);
        add(*profiles.source, variable,
            profiles.comparing() ? Text::tr("%1 (source)").arg(name) : name);
    }
    if (!profiles.comparing())
        return content;
    const auto others = profiles.target->variables(stop);
    for (const VariableId id :
         profiles.matching->targetsOf({variables.begin(), variables.end()}, stop))
        add(*profiles.target, (*others)[id],
            Text::tr("%1 (target)").arg(shownName((*others)[id].name)));
    return content;
}

ValueTree detailsTree(const ProfilePair& profiles, std::span<const TileSelection> columns,
                      const std::stop_token& stop) {
    ValueTree tree;
    tree.nameTitle = Text::tr("Memory");
    if (profiles.comparing()) {
        std::vector<TileSelection> ofTarget;
        for (const TileSelection& column : columns) {
            const QString name = QString::fromStdString(column.label());
            tree.valueTitles << Text::tr("%1, source").arg(name) << Text::tr("%1, target").arg(name)
                             << Text::tr("Difference");
            ofTarget.push_back(fittedTo(profiles.target->machine(), column));
        }
        tree.roots = sideBySide(detailsOf(*profiles.source, columns, stop),
                                detailsOf(*profiles.target, ofTarget, stop), columns.size(), true);
    } else {
        for (const TileSelection& column : columns)
            tree.valueTitles.append(QString::fromStdString(column.label()));
        tree.roots = detailsOf(*profiles.source, columns, stop);
    }
    if (std::any_of(columns.begin(), columns.end(),
                    [](const TileSelection& column) { return column.tile().valid(); }))
        tree.roots.insert(tree.roots.begin(), physicalIds(profiles, columns));
    return tree;
}

std::vector<PlotWidget::Section> ipuSections(const Target& machine) {
    std::vector<PlotWidget::Section> sections;
    for (std::int32_t ipu = 0; machine.ipus > 1 && ipu < machine.ipus; ++ipu)
        sections.push_back({static_cast<double>(ipu) * machine.tilesPerIpu,
                            static_cast<double>(ipu + 1) * machine.tilesPerIpu,
                            Text::tr("IPU %1").arg(ipu)});
    return sections;
}

std::int32_t placeOfTile(const Target& machine, TileOrder order, TileId tile) {
    if (order == TileOrder::Software)
        return tile.value();
    const std::int32_t ipu = tile.value() / machine.tilesPerIpu;
    return ipu * machine.tilesPerIpu + physicalTileId(machine, tile.value() % machine.tilesPerIpu);
}

} // namespace tilescope::views
