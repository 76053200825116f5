#include "views/memory/tile_map_content.h"

#include <algorithm>

#include "core/analysis/memory/memory_plot.h"
#include "core/analysis/memory/tile_quantity.h"
#include "views/session/time_texts.h"
#include "views/theme/text.h"

namespace tilescope::views {
namespace {

std::int64_t TileMemory::*fieldOf(TileQuantity::Kind kind) {
    switch (kind) {
    case TileQuantity::ExcludingGaps:
        return &TileMemory::excludingGaps;
    case TileQuantity::AlwaysLive:
        return &TileMemory::alwaysLive;
    case TileQuantity::MaxNotAlwaysLive:
        return &TileMemory::maxNotAlwaysLive;
    case TileQuantity::NonInterleaved:
        return &TileMemory::nonInterleaved;
    case TileQuantity::Interleaved:
        return &TileMemory::interleaved;
    case TileQuantity::Overflowed:
        return &TileMemory::overflowed;
    default:
        return &TileMemory::includingGaps;
    }
}

TileSeries seriesOf(const ProfileView& profile, const TileQuantity& quantity,
                    const std::stop_token& stop) {
    switch (quantity.kind) {
    case TileQuantity::Category:
        return categoryBytesByTile(*profile.categoryMemory(stop), quantity.category);
    case TileQuantity::Gaps: {
        const auto tiles = profile.tileMemory(stop);
        return tileMemorySeries(*tiles, &TileMemory::includingGaps) -
               tileMemorySeries(*tiles, &TileMemory::excludingGaps);
    }
    case TileQuantity::Variables:
        return variableBytesByTile(*profile.variables(stop), quantity.variables);
    case TileQuantity::LiveAtStep: {
        if (!quantity.step.valid())
            return {};
        const auto variables = profile.variables(stop);
        return alwaysLiveBytesByTile(*variables) +
               liveBytesByTile(*variables, *profile.livenessClasses(stop),
                               profile.steps(stop)->size(), quantity.step);
    }
    default:
        return tileMemorySeries(*profile.tileMemory(stop), fieldOf(quantity.kind));
    }
}

TileMapSide differenceOf(const TileMapSide& source, const TileMapSide& target) {
    TileMapSide side{Text::tr("Difference (target minus source)"), source.values, source.machine,
                     true, source.placesKnown};
    for (std::size_t i = 0; i < side.values.size(); ++i)
        side.values[i] = (i < target.values.size() ? target.values[i] : 0) - source.values[i];
    return side;
}

} // namespace

QString TileQuantity::name() const {
    switch (kind) {
    case IncludingGaps:
        return Text::tr("Including gaps");
    case ExcludingGaps:
        return Text::tr("Excluding gaps");
    case Gaps:
        return Text::tr("Gaps");
    case AlwaysLive:
        return Text::tr("Always live");
    case MaxNotAlwaysLive:
        return Text::tr("Most not always live");
    case LiveAtStep:
        return step.valid() ? Text::tr("Live at step %1").arg(step.value())
                            : Text::tr("Live at the selected step");
    case NonInterleaved:
        return Text::tr("Non-interleaved region");
    case Interleaved:
        return Text::tr("Interleaved region");
    case Overflowed:
        return Text::tr("Overflowed");
    case Variables:
        return Text::tr("Selected variables");
    case Category:
        break;
    }
    return textOf(displayName(category));
}

TileMapContent tileMapContent(const ProfilePair& profiles, const TileQuantity& quantity,
                              const std::stop_token& stop) {
    TileMapContent content;
    content.quantity = quantity.name();
    content.limit = profiles.source->machine().bytesPerTile;
    const auto sideOf = [&](const ProfileView& profile, const TileQuantity& what,
                            const QString& title) {
        return TileMapSide{
            title, seriesOf(profile, what, stop).toDense(profile.machine().totalTiles()),
            profile.machine(), false, profile.info().has(ProfilePart::PhysicalTiles)};
    };
    content.sides.push_back(
        sideOf(*profiles.source, quantity, profiles.comparing() ? Text::tr("Source") : QString()));
    if (profiles.comparing()) {
        TileQuantity ofTarget = quantity;
        if (quantity.kind == TileQuantity::Variables)
            ofTarget.variables = profiles.matching->targetsOf(quantity.variables, stop);
        if (quantity.kind == TileQuantity::LiveAtStep && quantity.step.valid())
            ofTarget.step = profiles.matching->targetOf(quantity.step, stop);
        content.sides.push_back(sideOf(*profiles.target, ofTarget, Text::tr("Target")));
        if (profiles.target->machine().tilesPerIpu == profiles.source->machine().tilesPerIpu)
            content.sides.push_back(differenceOf(content.sides[0], content.sides[1]));
    }
    bool first = true;
    for (const TileMapSide& side : content.sides)
        for (const std::int64_t value : side.values) {
            if (side.difference) {
                content.largestDifference =
                    std::max(content.largestDifference, value < 0 ? -value : value);
                continue;
            }
            content.largest = std::max(content.largest, value);
            content.smallest = first ? value : std::min(content.smallest, value);
            first = false;
        }
    return content;
}

} // namespace tilescope::views
