// Blobs of a long trace: pages of entries, summaries of lanes, programs in order of execution.
// Internal to core/trace. All decoders throw UserError on damaged data.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "core/trace/trace_parts.h"

namespace tilescope {

/// Entries of a lane in one blob: the unit in which they are read.
inline constexpr std::size_t entriesPerPage = 16 * entriesPerBlock;
/// Items of a body in one blob.
inline constexpr std::size_t itemsPerPage = 4096;

/// At most entriesPerPage entries; `onIpu` is not stored.
std::vector<std::byte> encodeEntries(std::span<const LaneEntry> entries);
/// `count` entries; items and calls are below the numbers given.
std::vector<LaneEntry> decodeEntries(std::span<const std::byte> data, std::size_t count,
                                     std::int64_t items, std::size_t calls);

/// One for each entry; those without amounts take no space.
std::vector<std::byte> encodeAmounts(std::span<const LaneEntry> entries,
                                     std::span<const StepAmounts> amounts);
std::vector<StepAmounts> decodeAmounts(std::span<const std::byte> data,
                                       std::span<const LaneEntry> entries);

/// Of a whole lane, so that its summary need not be read.
std::vector<std::byte> encodeTotal(const TraceSums& total);
TraceSums decodeTotal(std::span<const std::byte> data);

std::vector<std::byte> encodeSummary(const LaneSummary& summary);
LaneSummary decodeSummary(std::span<const std::byte> data, std::size_t blocks);

std::vector<std::byte> encodeItems(std::span<const ItemContent> items);
std::vector<ItemContent> decodeItems(std::span<const std::byte> data, std::size_t count,
                                     std::size_t calls);

} // namespace tilescope
