#include "core/trace/trace_page_codec.h"

#include <array>
#include <bit>
#include <limits>

#include "core/base/damaged_profile.h"
#include "core/base/saturating.h"
#include "core/tiles/varint.h"

namespace tilescope {
namespace {

[[noreturn]] void damaged() {
    throw DamagedProfile("a page of the trace cannot be read");
}

// Sums of wild numbers wrap instead of being undefined; the checks that follow refuse them.
std::int64_t wrappingSum(std::int64_t a, std::int64_t b) {
    return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) + static_cast<std::uint64_t>(b));
}

std::int64_t cycleAfter(std::int64_t from, std::int64_t difference) {
    const std::int64_t cycle = wrappingSum(from, difference);
    if (cycle < 0 || cycle > latestCycle)
        damaged();
    return cycle;
}

std::int32_t indexAfter(std::int32_t from, std::int64_t difference, std::int64_t least,
                        std::int64_t end) {
    const std::int64_t value = wrappingSum(from, difference);
    if (value < least || value >= end)
        damaged();
    return static_cast<std::int32_t>(value);
}

constexpr std::int64_t mostIds = std::numeric_limits<std::int32_t>::max();

constexpr std::size_t sumFields = programKinds.size() + 10;
/// The kinds whose cycles come first, and the end of those after other fields: files from before
/// later fields have none for them.
constexpr std::size_t firstKinds = 12;
constexpr std::size_t endOfLaterKinds = 14;

/// The fields of sums as a list, so that zero fields take no space.
std::array<std::int64_t*, sumFields> fieldsOf(TraceSums& sums) {
    std::array<std::int64_t*, sumFields> fields{};
    std::size_t at = 0;
    for (std::size_t kind = 0; kind < firstKinds; ++kind)
        fields[at++] = &sums.cyclesByKind[kind];
    for (std::int64_t* field : {&sums.steps, &sums.activeCycles, &sums.computeActiveCycles,
                                &sums.exchangeBytesIn, &sums.exchangeBytesOut, &sums.hostBytesIn,
                                &sums.hostBytesOut, &sums.globalBytesIn, &sums.globalBytesOut})
        fields[at++] = field;
    for (std::size_t kind = firstKinds; kind < endOfLaterKinds; ++kind)
        fields[at++] = &sums.cyclesByKind[kind];
    fields[at++] = &sums.waitingCycles;
    static_assert(endOfLaterKinds == programKinds.size(), "the fields of newer kinds are last");
    return fields;
}

void putSums(std::vector<std::byte>& out, TraceSums sums) {
    const auto fields = fieldsOf(sums);
    std::uint64_t present = 0;
    for (std::size_t i = 0; i < fields.size(); ++i)
        present |= std::uint64_t{*fields[i] != 0} << i;
    putVarint(out, present);
    for (const std::int64_t* field : fields)
        if (*field != 0)
            putVarint(out, zigzag(*field));
}

/// Adds sums to the fields of others.
void addSums(VarintReader& reader, const std::array<std::int64_t*, sumFields>& fields) {
    std::uint64_t present = reader.next();
    if (present >> fields.size() != 0)
        damaged();
    for (; present != 0; present &= present - 1) {
        std::int64_t& field = *fields[static_cast<std::size_t>(std::countr_zero(present))];
        field = saturatingSum(field, reader.nextSigned());
    }
}

void putNamed(std::vector<std::byte>& out, const LaneBlock::Named& named, std::int32_t item) {
    putVarint(out,
              named.program.valid() ? static_cast<std::uint64_t>(named.program.value()) + 1 : 0);
    if (named.program.valid())
        putVarint(out, zigzag(std::int64_t{named.item} - item));
}

LaneBlock::Named readNamed(VarintReader& reader, std::int32_t item) {
    const std::uint64_t program = reader.next();
    if (program == 0)
        return {};
    if (program > static_cast<std::uint64_t>(mostIds))
        damaged();
    LaneBlock::Named named;
    named.program = ProgramId(static_cast<std::int32_t>(program - 1));
    named.item = indexAfter(item, reader.nextSigned(), 0, mostIds);
    return named;
}

} // namespace

std::vector<std::byte> encodeEntries(std::span<const LaneEntry> entries) {
    std::vector<std::byte> out;
    LaneEntry before;
    std::int32_t program = 0;
    for (const LaneEntry& entry : entries) {
        const bool isCall = entry.call >= 0;
        putVarint(out, isCall ? 0 : static_cast<std::uint64_t>(entry.kind) + 1);
        putVarint(out, zigzag(entry.begin - before.end));
        putVarint(out, static_cast<std::uint64_t>(entry.end - entry.begin));
        putVarint(out, zigzag(std::int64_t{entry.item} - before.item));
        if (isCall) {
            putVarint(out, static_cast<std::uint64_t>(entry.call));
        } else {
            // Syncs between steps do not disturb the row of programs.
            putVarint(out, entry.program.valid()
                               ? zigzag(std::int64_t{entry.program.value()} - program) + 1
                               : 0);
            if (entry.program.valid())
                program = entry.program.value();
        }
        before = entry;
    }
    return out;
}

std::vector<LaneEntry> decodeEntries(std::span<const std::byte> data, std::size_t count,
                                     std::int64_t items, std::size_t calls) {
    if (count > entriesPerPage)
        damaged();
    std::vector<LaneEntry> entries;
    entries.reserve(count);
    VarintReader reader(data);
    LaneEntry before;
    std::int32_t program = 0;
    for (std::size_t i = 0; i < count; ++i) {
        LaneEntry entry;
        const std::uint64_t tag = reader.next();
        if (tag > programKinds.size())
            damaged();
        entry.begin = cycleAfter(before.end, reader.nextSigned());
        entry.end = cycleAfter(entry.begin, static_cast<std::int64_t>(reader.next()));
        entry.item = indexAfter(before.item, reader.nextSigned(), 0, items);
        if (entry.end < entry.begin || entry.begin < before.begin)
            damaged();
        if (tag == 0) {
            entry.call = indexAfter(0, static_cast<std::int64_t>(reader.next()), 0,
                                    static_cast<std::int64_t>(calls));
        } else {
            entry.kind = static_cast<ProgramKind>(tag - 1);
            if (const std::uint64_t step = reader.next(); step != 0) {
                program = indexAfter(program, unzigzag(step - 1), 0, mostIds);
                entry.program = ProgramId(program);
            }
        }
        entries.push_back(entry);
        before = entry;
    }
    if (!reader.atEnd())
        damaged();
    return entries;
}

std::vector<std::byte> encodeAmounts(std::span<const LaneEntry> entries,
                                     std::span<const StepAmounts> amounts) {
    std::vector<std::byte> out;
    for (std::size_t i = 0; i < entries.size(); ++i) {
        if (!hasAmounts(entries[i]))
            continue;
        if (entries[i].kind == ProgramKind::OnTileExecute) // tiles wait in no others
            putVarint(out, zigzag(amounts[i].waiting));
        putVarint(out, zigzag(amounts[i].bytesIn));
    }
    return out;
}

std::vector<StepAmounts> decodeAmounts(std::span<const std::byte> data,
                                       std::span<const LaneEntry> entries) {
    std::vector<StepAmounts> amounts(entries.size());
    VarintReader reader(data);
    for (std::size_t i = 0; i < entries.size(); ++i) {
        if (!hasAmounts(entries[i]))
            continue;
        if (entries[i].kind == ProgramKind::OnTileExecute)
            amounts[i].waiting = reader.nextSigned();
        amounts[i].bytesIn = reader.nextSigned();
    }
    if (!reader.atEnd())
        damaged();
    return amounts;
}

std::vector<std::byte> encodeTotal(const TraceSums& total) {
    std::vector<std::byte> out;
    putSums(out, total);
    return out;
}

TraceSums decodeTotal(std::span<const std::byte> data) {
    TraceSums total;
    VarintReader reader(data);
    addSums(reader, fieldsOf(total));
    if (!reader.atEnd())
        damaged();
    for (const std::int64_t* field : fieldsOf(total))
        if (*field < 0)
            damaged();
    return total;
}

std::vector<std::byte> encodeSummary(const LaneSummary& summary) {
    std::vector<std::byte> out;
    LaneBlock before;
    for (std::size_t i = 0; i < summary.blocks.size(); ++i) {
        const LaneBlock& block = summary.blocks[i];
        putVarint(out, zigzag(block.begin - before.begin));
        putVarint(out, zigzag(block.maxEnd - before.maxEnd));
        putVarint(out, zigzag(std::int64_t{block.item} - before.item));
        putNamed(out, block.first, block.item);
        putNamed(out, block.last, block.item);
        const TraceSums& end =
            i + 1 < summary.blocks.size() ? summary.blocks[i + 1].before : summary.total;
        putSums(out, end - block.before);
        before = block;
    }
    return out;
}

LaneSummary decodeSummary(std::span<const std::byte> data, std::size_t blocks) {
    // A block takes several bytes at least: a damaged count must not ask for terabytes.
    if (blocks > data.size())
        damaged();
    LaneSummary summary;
    summary.blocks.reserve(blocks);
    VarintReader reader(data);
    const auto fields = fieldsOf(summary.total);
    const LaneBlock none;
    for (std::size_t i = 0; i < blocks; ++i) {
        LaneBlock& block = summary.blocks.emplace_back();
        const LaneBlock& before = i == 0 ? none : summary.blocks[i - 1];
        block.begin = cycleAfter(before.begin, reader.nextSigned());
        block.maxEnd = cycleAfter(before.maxEnd, reader.nextSigned());
        block.item = indexAfter(before.item, reader.nextSigned(), 0, mostIds);
        if (block.begin < before.begin || block.maxEnd < before.maxEnd ||
            block.maxEnd < block.begin)
            damaged();
        block.first = readNamed(reader, block.item);
        block.last = readNamed(reader, block.item);
        block.before = summary.total;
        addSums(reader, fields);
    }
    if (!reader.atEnd())
        damaged();
    return summary;
}

std::vector<std::byte> encodeItems(std::span<const ItemContent> items) {
    std::vector<std::byte> out;
    std::int32_t program = 0;
    for (const ItemContent& item : items) {
        if (item.call >= 0) {
            putVarint(out, 1);
            putVarint(out, static_cast<std::uint64_t>(item.call));
        } else if (item.program < 0) {
            putVarint(out, 0);
        } else {
            putVarint(out, zigzag(std::int64_t{item.program} - program) + 2);
            program = item.program;
        }
    }
    return out;
}

std::vector<ItemContent> decodeItems(std::span<const std::byte> data, std::size_t count,
                                     std::size_t calls) {
    if (count > itemsPerPage)
        damaged();
    std::vector<ItemContent> items;
    items.reserve(count);
    VarintReader reader(data);
    std::int32_t program = 0;
    for (std::size_t i = 0; i < count; ++i) {
        const std::uint64_t tag = reader.next();
        ItemContent item;
        if (tag == 1) {
            item.call = indexAfter(0, static_cast<std::int64_t>(reader.next()), 0,
                                   static_cast<std::int64_t>(calls));
        } else if (tag > 1) {
            program = indexAfter(program, unzigzag(tag - 2), 0, mostIds);
            item.program = program;
        }
        items.push_back(item);
    }
    if (!reader.atEnd())
        damaged();
    return items;
}

} // namespace tilescope
