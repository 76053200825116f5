#include "views/execution/box_tints.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "core/analysis/execution/micro_batches.h"
#include "core/base/error.h"
#include "core/trace/exchange_rate.h"
#include "core/trace/range_programs.h"
#include "views/theme/colour_scale.h"
#include "views/theme/text.h"

namespace tilescope::views {
namespace {

double rateOf(std::int64_t bytes, std::int64_t cycles) {
    return cycles > 0 ? static_cast<double>(bytes) / static_cast<double>(cycles) : 0;
}

} // namespace

/// Data kept while the boxes of a lane are coloured.
struct BoxTints::Reader {
    const TraceIndex& index;
    IpuId ipu;
    std::int32_t tiles = 0;
    double largest = 0;
    std::shared_ptr<const std::vector<std::int16_t>> colours = {};
    std::shared_ptr<const MicroBatches> batches = {};
    std::shared_ptr<const std::vector<double>> matches = {};
    bool ofTarget = false;

    [[nodiscard]] float amount(double value) const {
        return static_cast<float>(std::clamp(value, 0.0, 1.0));
    }
    [[nodiscard]] TraceSums sumsOf(const TraceBox& box) const {
        return index.statistics(ipu, {box.begin, box.end}).sums;
    }
    /// The step's own numbers only, without steps that run beside it.
    [[nodiscard]] StepOnIpu stepOf(const TraceBox& box) const {
        for (const StepOnIpu& on : index.stepAt(box.firstStep).ipus)
            if (on.ipu == ipu)
                return on;
        return {};
    }
    [[nodiscard]] static bool single(const TraceBox& box) {
        return box.look == TraceBox::Look::Step && box.steps == 1;
    }

    [[nodiscard]] float balance(const TraceBox& box) const {
        if (single(box) && box.kind == ProgramKind::Sync)
            return -1;
        const std::int64_t active =
            single(box) ? stepOf(box).activeCycles : sumsOf(box).activeCycles;
        return amount(rateOf(active, box.cycles()) / std::max(1, tiles));
    }
    [[nodiscard]] float bytes(const TraceBox& box) const {
        std::int64_t moved = 0;
        if (single(box)) {
            moved = exchangesData(box.kind) ? stepOf(box).bytesIn : 0;
        } else {
            const TraceSums sums = sumsOf(box);
            moved = sums.exchangeBytesIn + sums.globalBytesIn;
        }
        return moved == 0 || largest <= 0 ? -1 : amount(rateOf(moved, box.cycles()) / largest);
    }

    /// A box of several steps has the change of those that the other profile has, if these are
    /// most of it.
    [[nodiscard]] float change(const TraceBox& box) const {
        double own = 0;
        double other = 0;
        double alone = 0;
        const auto add = [&](ProgramId program, double cycles, double executions) {
            if (!program.valid() || program.index() >= matches->size())
                return;
            const double match = (*matches)[program.index()];
            (match < 0 ? alone : own) += cycles;
            other += match < 0 ? 0 : executions * match;
        };
        if (single(box))
            add(index.stepAt(box.firstStep).program, static_cast<double>(box.cycles()), 1);
        else
            for (const RangeProgram& of : programsIn(index, ipu, {box.begin, box.end}))
                add(of.program, static_cast<double>(of.cycles), static_cast<double>(of.count));
        if (own + alone <= 0)
            return -1;
        if (own < alone)
            return BoxTint::unmatched;
        const double share = ofTarget ? own / std::max(1.0, other) : other / own;
        return amount((std::log2(std::max(share, 1e-3)) + 1) / 2);
    }

    /// A box of several steps has a colour if they begin and end in the same part.
    void addMicroBatch(TraceBox& box, ColourBy by) const {
        const auto part = batches->partOf(index.stepAt(box.firstStep));
        if (!part)
            return;
        if (!single(box)) {
            const std::int64_t last = index.stepAtCycle(ipu, box.end - 1);
            const auto end = last < 0 ? part : batches->partOf(index.stepAt(last));
            if (!end || end->number != part->number || end->iteration != part->iteration ||
                (by == ColourBy::Pass && end->backward != part->backward))
                return;
        }
        const bool both = part->forward && part->backward; // a sync of a joint function
        const int colour = by == ColourBy::Pass
                               ? (part->backward && !both ? tintShades : 0)
                               : microBatchTint(part->number, part->backward && !both);
        constexpr std::uint8_t all = 255;
        box.tint.parts[0] = {static_cast<std::int16_t>(colour), all};
    }

    [[nodiscard]] std::int16_t colourOf(ProgramId program) const {
        return program.valid() && program.index() < colours->size() ? (*colours)[program.index()]
                                                                    : std::int16_t{-1};
    }
    void addParts(TraceBox& box) const {
        if (single(box)) {
            box.tint.parts[0] = {colourOf(index.stepAt(box.firstStep).program), 255};
            return;
        }
        std::map<std::int16_t, std::int64_t> cycles;
        std::int64_t all = 0;
        for (const RangeProgram& of : programsIn(index, ipu, {box.begin, box.end})) {
            cycles[colourOf(of.program)] += of.cycles;
            all += of.cycles;
        }
        std::vector<std::pair<std::int64_t, std::int16_t>> most;
        for (const auto& [colour, sum] : cycles)
            most.emplace_back(sum, colour);
        std::sort(most.rbegin(), most.rend());
        std::size_t part = 0;
        for (const auto& [sum, colour] : most)
            if (colour >= 0 && all > 0 && part < box.tint.parts.size())
                box.tint.parts[part++] = {colour, static_cast<std::uint8_t>(255 * sum / all)};
    }
};

void BoxTints::tint(TraceLane& lane, const ProfileView& profile, IpuId ipu,
                    const std::stop_token& stop) const {
    const auto index = profile.trace(stop);
    Reader reader{*index, ipu, profile.machine().tilesPerIpu, 0};
    if (by_ == ColourBy::Bytes)
        reader.largest = legend(stop)->largest;
    if (by_ == ColourBy::Operation)
        reader.colours =
            (lane.target ? target_ : source_).get([&] { return coloursOf(profile, stop); });
    reader.ofTarget = lane.target;
    if (by_ == ColourBy::Change)
        reader.matches = (lane.target ? targetMatches_ : sourceMatches_).get([&] {
            return cyclesOfMatches(lane.target, stop);
        });
    const bool byPart = by_ == ColourBy::Pass || by_ == ColourBy::MicroBatch;
    if (byPart)
        reader.batches = microBatchesOf(profile, stop);
    for (TraceRow& row : lane.rows)
        for (TraceBox& box : row.boxes) {
            if (stop.stop_requested())
                throw Cancelled();
            // A group has too many operations for one colour; balance and bytes can be added up.
            if (box.look == TraceBox::Look::Run || box.cycles() <= 0 ||
                (by_ == ColourBy::Operation && box.look == TraceBox::Look::Group))
                continue;
            if (by_ == ColourBy::Balance)
                box.tint.amount = reader.balance(box);
            else if (by_ == ColourBy::Bytes)
                box.tint.amount = reader.bytes(box);
            else if (by_ == ColourBy::Change)
                box.tint.amount = reader.change(box);
            else if (byPart)
                reader.addMicroBatch(box, by_);
            else
                reader.addParts(box);
        }
}

std::shared_ptr<const BoxTints::Legend> BoxTints::legend(const std::stop_token& stop) const {
    return legend_.get([&] { return readLegend(stop); });
}

BoxTints::Legend BoxTints::readLegend(const std::stop_token& stop) const {
    Legend legend{by_};
    std::vector<std::pair<std::int64_t, std::string>> types;
    for (const ProfileViewPtr& profile : {profiles_.source, profiles_.target}) {
        if (!profile || !profile->info().hasExecution)
            continue;
        const auto index = profile->trace(stop);
        if (by_ == ColourBy::MicroBatch)
            legend.microBatches =
                std::max(legend.microBatches, profile->pipeline(stop)->microBatches);
        if (by_ == ColourBy::Bytes)
            legend.largest =
                std::max(legend.largest, largestExchangeRate(*index, profile->machine().ipus));
        if (by_ != ColourBy::Operation)
            continue;
        const auto programs = profile->programs(stop);
        const auto operations = profile->operations(stop);
        const auto executions = index->executions(programs->size());
        std::map<std::string, std::int64_t> cycles;
        for (std::size_t i = 0; i < programs->size(); ++i) {
            const OperationId operation = (*programs)[ProgramId(i)].operation;
            if (operation.valid() && operation.index() < operations->size())
                cycles[(*operations)[operation].type] += executions[i].cycles;
        }
        // The target's types follow those that the source has, too.
        std::sort(types.rbegin(), types.rend());
        std::vector<std::pair<std::int64_t, std::string>> more;
        for (const auto& [type, sum] : cycles)
            if (std::none_of(types.begin(), types.end(),
                             [&type = type](const auto& t) { return t.second == type; }))
                more.emplace_back(sum, type);
        std::sort(more.rbegin(), more.rend());
        types.insert(types.end(), more.begin(), more.end());
    }
    for (const auto& [sum, type] : types)
        legend.types.push_back(type);
    return legend;
}

std::vector<double> BoxTints::cyclesOfMatches(bool ofTarget, const std::stop_token& stop) const {
    const ProfileView& own = ofTarget ? *profiles_.target : *profiles_.source;
    std::vector<double> cycles(own.programs(stop)->size(), -1);
    if (!profiles_.comparing())
        return cycles;
    const auto matching = profiles_.matching->programs(stop);
    const auto others = (ofTarget ? profiles_.source : profiles_.target)->executions(stop);
    for (std::size_t i = 0; i < cycles.size(); ++i) {
        const ProgramId other =
            ofTarget ? matching->sourceOf(ProgramId(i)) : matching->targetOf(ProgramId(i));
        if (!other.valid() || other.index() >= others->size())
            continue;
        const ProgramExecutions& of = (*others)[other.index()];
        if (of.count > 0)
            cycles[i] = static_cast<double>(of.cycles) / static_cast<double>(of.count);
    }
    return cycles;
}

std::vector<std::int16_t> BoxTints::coloursOf(const ProfileView& profile,
                                              const std::stop_token& stop) const {
    const auto programs = profile.programs(stop);
    const auto operations = profile.operations(stop);
    const std::vector<std::string>& types = legend(stop)->types;
    std::map<std::string, int> counts; // operations of a type so far: neighbours differ in shade
    std::vector<std::int16_t> ofOperation(operations->size(), -1);
    for (std::size_t i = 0; i < operations->size(); ++i) {
        const std::string& type = (*operations)[OperationId(i)].type;
        const auto found = std::find(types.begin(), types.end(), type);
        if (found == types.end())
            continue;
        constexpr int most = 30'000; // colours that the number holds; the palette has fewer
        const auto number = static_cast<int>(found - types.begin());
        ofOperation[i] =
            static_cast<std::int16_t>((number * tintShades + counts[type]++ % tintShades) % most);
    }
    std::vector<std::int16_t> colours(programs->size(), -1);
    for (std::size_t i = 0; i < programs->size(); ++i) {
        const OperationId operation = (*programs)[ProgramId(i)].operation;
        if (operation.valid() && operation.index() < ofOperation.size())
            colours[i] = ofOperation[operation.index()];
    }
    return colours;
}

QString BoxTints::Legend::readOut(const BoxTint& tint, const Preferences& preferences) const {
    if (by == ColourBy::Balance && tint.amount >= 0)
        return Text::tr("\ntile balance %1 %")
            .arg(100.0 * static_cast<double>(tint.amount), 0, 'f', 1);
    if (by == ColourBy::Bytes && tint.amount >= 0)
        return Text::tr("\n%1 exchanged in a cycle")
            .arg(preferences.bytes(std::llround(static_cast<double>(tint.amount) * largest)));
    if (by == ColourBy::Change && tint.amount <= BoxTint::unmatched)
        return Text::tr("\nonly in this profile");
    if (by == ColourBy::Change && tint.amount >= 0)
        return Text::tr("\ntarget: %1 % of the source's cycles")
            .arg(100 * std::exp2(2.0 * static_cast<double>(tint.amount) - 1), 0, 'f', 0);
    const auto type = static_cast<std::size_t>(tint.parts[0].colour / tintShades);
    if (by == ColourBy::Operation && tint.parts[0].colour >= 0 && type < types.size())
        return Text::tr("\noperation: %1").arg(shownName(types[type]));
    return {};
}

std::vector<LegendBar::Entry> BoxTints::Legend::microBatchEntries(const Theme& theme) const {
    std::vector<LegendBar::Entry> entries;
    constexpr std::int64_t most = 12; // further ones are named by the read-out
    for (std::int64_t number = 1; number <= std::min(most, microBatches); ++number)
        entries.push_back({number == 1 ? Text::tr("Micro-batch 1") : QString::number(number),
                           tintColour(theme, microBatchTint(number, false))});
    if (microBatches > most)
        entries.push_back({Text::tr("others: %1").arg(microBatches - most), theme.mutedText});
    entries.push_back({Text::tr("None"), neutralColour(theme)});
    return entries;
}

std::vector<LegendBar::Entry> BoxTints::Legend::changeEntries(const Theme& theme) {
    LegendBar::Entry scale;
    scale.mark = LegendBar::Mark::Scale;
    constexpr int stops = 33;
    for (int i = 0; i < stops; ++i)
        scale.scale.push_back(changeScaleColour(2.0 * i / (stops - 1) - 1, theme));
    scale.name = Text::tr("Cycles of the target: half of the source's");
    scale.end = Text::tr("twice as many");
    return {scale,
            {Text::tr("Only in one of the two"), unmatchedColour(theme)},
            {Text::tr("Neither"), neutralColour(theme)}};
}

std::vector<LegendBar::Entry> BoxTints::Legend::entries(const Theme& theme,
                                                        const Preferences& preferences) const {
    std::vector<LegendBar::Entry> entries;
    constexpr std::size_t most = 20; // further types are named by the read-out
    for (std::size_t i = 0; i < std::min(most, types.size()); ++i)
        entries.push_back(
            {shownName(types[i], mostOfOne), tintColour(theme, static_cast<int>(i) * tintShades)});
    if (types.size() > most)
        entries.push_back({Text::tr("other types: %1").arg(types.size() - most), theme.mutedText});
    if (by == ColourBy::Pass)
        return {{Text::tr("Forward"), tintColour(theme, 0)},
                {Text::tr("Backward"), tintColour(theme, tintShades)},
                {Text::tr("Neither"), neutralColour(theme)}};
    if (by == ColourBy::MicroBatch)
        return microBatchEntries(theme);
    if (by == ColourBy::Operation)
        return entries;
    if (by == ColourBy::Change)
        return changeEntries(theme);
    LegendBar::Entry scale;
    scale.mark = LegendBar::Mark::Scale;
    constexpr int stops = 33;
    for (int i = 0; i < stops; ++i)
        scale.scale.push_back(amountColour(theme, static_cast<double>(i) / (stops - 1)));
    scale.name = by == ColourBy::Balance ? Text::tr("Tile balance: 0 %")
                                         : Text::tr("Received by exchange in a cycle: 0");
    scale.end =
        by == ColourBy::Balance ? Text::tr("100 %") : preferences.bytes(std::llround(largest));
    entries.push_back(std::move(scale));
    return entries;
}

} // namespace tilescope::views
