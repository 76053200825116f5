#include "views/memory/address_content.h"

#include "core/analysis/liveness/liveness.h"
#include "core/analysis/memory/tile_quantity.h"
#include "views/theme/text.h"

namespace tilescope::views {
namespace {

std::vector<MapBlock> mapBlocks(const std::vector<AddressBlock>& blocks,
                                const IdVector<VariableId, Variable>& variables,
                                const IdVector<LivenessClassId, LivenessClass>& classes) {
    std::vector<MapBlock> result;
    result.reserve(blocks.size());
    for (const AddressBlock& block : blocks) {
        const Variable& variable = variables[block.variable];
        MapBlock made{
            block.begin,         block.end, block.variable, variable.category, variable.name,
            variable.alwaysLive, {}};
        if (variable.liveness.valid() && variable.liveness.index() < classes.size())
            made.liveness = classes[variable.liveness];
        result.push_back(std::move(made));
    }
    return result;
}

} // namespace

TileId tileOrFullest(const ProfilePair& profiles, TileId tile, const std::stop_token& stop) {
    if (tile.valid())
        return tile;
    const auto fullest = tilesByMemory(*profiles.source->tileMemory(stop),
                                       {0, profiles.source->machine().totalTiles()}, 1);
    return fullest.empty() ? TileId() : fullest.front();
}

std::optional<TileAddresses> tileAddresses(const ProfileView& profile, TileId tile, bool overTime,
                                           const std::stop_token& stop) {
    const Target& machine = profile.machine();
    if (!tile.valid() || tile.value() >= machine.totalTiles())
        return {};
    TileAddresses content;
    content.limit = machine.bytesPerTile;
    content.base = machine.memoryBase;
    content.interleavedOffset = machine.interleavedOffset;
    if (machine.elementBytes > 0)
        content.rowBytes = 2 * machine.elementBytes;
    const auto variables = profile.variables(stop);
    const auto classes = profile.livenessClasses(stop);
    const auto blocks = addressBlocks(profile.reader(stop).placement(tile), *variables, tile);
    content.gaps = addressGaps(blocks);
    content.blocks = mapBlocks(blocks, *variables, *classes);
    if (overTime) {
        const auto steps = profile.steps(stop);
        content.spans = addressSpans(blocks, *variables, *classes, steps->size());
        content.stepNames = stepNames(*profile.programs(stop), *steps);
    }
    return content;
}

QString addressTitle(TileId tile, const TileAddresses& content, const Preferences& preferences) {
    std::int64_t gaps = 0;
    for (const AddressRange& gap : content.gaps)
        gaps += gap.bytes();
    return Text::tr("Tile %1: %2 of %3 up to the highest address, %4 in gaps")
        .arg(tile.value())
        .arg(preferences.bytes(content.highest()), preferences.bytes(content.limit),
             preferences.bytes(gaps));
}

} // namespace tilescope::views
