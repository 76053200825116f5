#include "views/memory/memory_content.h"

#include <QCoreApplication>
#include <algorithm>

#include "core/analysis/memory_details.h"
#include "views/tables/profile_tables.h"

namespace tilescope::views {
namespace {

struct Text {
    Q_DECLARE_TR_FUNCTIONS(MemoryReport)
};

MemoryPlot plotOf(const OpenProfile& profile, const MemoryPlotOptions& options,
                  const std::stop_token& stop) {
    return memoryPlot(profile.machine(), *profile.tileMemory(stop), *profile.categoryMemory(stop),
                      options);
}

StepArea overlay(const QString& name, const QColor& colour, const TileSeries& series,
                 const Target& machine) {
    return {name, colour, MinMaxPyramid(series.toDense(machine.totalTiles()))};
}

std::vector<StepArea> stacked(const MemoryPlot& plot, MemoryBreakdown breakdown,
                              const Target& machine, const Theme& theme) {
    std::vector<StepArea> areas;
    std::vector<std::int64_t> sums(static_cast<std::size_t>(machine.totalTiles()), 0);
    for (const MemoryLayer& layer : plot.layers) {
        layer.bytes.addTo(sums);
        areas.push_back({QString::fromStdString(layer.name),
                         layerColour(theme, breakdown, layer.key, static_cast<int>(areas.size())),
                         MinMaxPyramid(sums)});
    }
    return areas;
}

ValueNode toNode(const MemoryNode& node) {
    ValueNode result{QString::fromStdString(node.name), {}, {}};
    for (const std::int64_t bytes : node.bytes)
        result.values.emplace_back(bytes);
    for (const MemoryNode& child : node.children)
        result.children.push_back(toNode(child));
    return result;
}

// Lines that only one of the profiles has stand in the tree too.
std::vector<ValueNode> compared(const std::vector<MemoryNode>& source,
                                const std::vector<MemoryNode>& target) {
    static const MemoryNode nothing;
    std::vector<ValueNode> nodes;
    const auto add = [&](const MemoryNode* a, const MemoryNode* b) {
        const auto value = [](const MemoryNode* n) {
            return n != nullptr && !n->bytes.empty() ? n->bytes.back() : 0;
        };
        ValueNode node{QString::fromStdString((a != nullptr ? a : b)->name),
                       {value(a), value(b), Change{value(a), value(b)}},
                       compared(a != nullptr ? a->children : nothing.children,
                                b != nullptr ? b->children : nothing.children)};
        nodes.push_back(std::move(node));
    };
    const auto find = [](const std::vector<MemoryNode>& in, const std::string& name) {
        const auto found =
            std::find_if(in.begin(), in.end(), [&](const MemoryNode& n) { return n.name == name; });
        return found == in.end() ? nullptr : &*found;
    };
    for (const MemoryNode& node : source)
        add(&node, find(target, node.name));
    for (const MemoryNode& node : target)
        if (find(source, node.name) == nullptr)
            add(nullptr, &node);
    return nodes;
}

std::vector<MemoryNode> detailsOf(const OpenProfile& profile,
                                  std::span<const TileSelection> columns,
                                  const std::stop_token& stop) {
    return memoryDetails(profile.machine(), *profile.tileMemory(stop),
                         *profile.categoryMemory(stop), columns);
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
    StepPlot::Content content;
    const OpenProfile& source = *profiles.source;
    const bool overlaid = profiles.comparing() || options.breakdown == MemoryBreakdown::None;
    const MemoryPlot plot = plotOf(source, options, stop);
    if (overlaid) {
        content.mode = StepAreaPlottable::Mode::Overlaid;
        const QString name = options.includeGaps ? Text::tr("Tile memory, including gaps")
                                                 : Text::tr("Tile memory, excluding gaps");
        content.areas.push_back(
            overlay(profiles.comparing() ? Text::tr("%1 (source)").arg(name) : name, theme.source,
                    plot.total, source.machine()));
        if (profiles.comparing())
            content.areas.push_back(overlay(Text::tr("%1 (target)").arg(name), theme.target,
                                            plotOf(*profiles.target, options, stop).total,
                                            profiles.target->machine()));
    } else {
        content.areas = stacked(plot, options.breakdown, source.machine(), theme);
    }
    if (showLimit && plot.limitPerTile > 0)
        content.limit = PlotWidget::Limit{
            static_cast<double>(plot.limitPerTile),
            Text::tr("%1 on a tile")
                .arg(QString::fromStdString(formatBytes(plot.limitPerTile, units)))};
    return content;
}

StepPlot::Content variableContent(const ProfilePair& profiles,
                                  std::span<const VariableId> variables, TileOrder order,
                                  const Theme& theme, const std::stop_token& stop) {
    StepPlot::Content content;
    content.mode = StepAreaPlottable::Mode::Overlaid;
    const OpenProfile& source = *profiles.source;
    const auto all = source.variables(stop);
    for (const VariableId id : variables) {
        const Variable& variable = (*all)[id];
        content.areas.push_back(overlay(QString::fromStdString(variable.name),
                                        theme.series(static_cast<int>(content.areas.size())),
                                        order == TileOrder::Physical
                                            ? inPhysicalOrder(source.machine(), variable.bytes)
                                            : variable.bytes,
                                        source.machine()));
    }
    return content;
}

ValueTree detailsTree(const ProfilePair& profiles, std::span<const TileSelection> columns,
                      const std::stop_token& stop) {
    ValueTree tree;
    const TileSelection& last = columns.back();
    if (profiles.comparing()) {
        const TileSelection ofTarget = fittedTo(profiles.target->machine(), last);
        tree.nameTitle =
            Text::tr("Memory of %1").arg(QString::fromStdString(last.label()).toLower());
        tree.valueTitles = {Text::tr("Source"), Text::tr("Target"), Text::tr("Difference")};
        tree.roots = compared(detailsOf(*profiles.source, {&last, 1}, stop),
                              detailsOf(*profiles.target, {&ofTarget, 1}, stop));
        return tree;
    }
    tree.nameTitle = Text::tr("Memory");
    for (const TileSelection& column : columns)
        tree.valueTitles.append(QString::fromStdString(column.label()));
    for (const MemoryNode& node : detailsOf(*profiles.source, columns, stop))
        tree.roots.push_back(toNode(node));
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
