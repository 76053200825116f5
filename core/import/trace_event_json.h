// The events of a trace in JSON, one by one. Internal to core/import.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/import/import.h"

namespace tilescope {

/// What app/python/libpvti names as producer of its files, whose counters have a unit as category.
inline constexpr std::string_view hostTraceProducer = "libpvti of TileScope";

/// An event as it is written.
struct JsonEvent {
    std::string phase, name, category;
    std::string process, thread, id;                    ///< numbers as text
    std::optional<double> time, length;                 ///< microseconds
    std::string givenName;                              ///< of a process or thread, by metadata
    std::vector<std::pair<std::string, double>> values; ///< of a counter
};

/// What a trace says besides its events.
struct JsonTraceEnd {
    bool isCut = false;   ///< ends within the list of events
    std::string producer; ///< of otherData, if it precedes the events
};

/// The first bytes of a file, unpacked if it is gzipped; fewer if it is damaged.
std::string unpackedBeginning(const std::filesystem::path& file);

/// Calls `take` for each event, in the order of the file. Throws as readTraceEvents() does.
JsonTraceEnd readJsonEvents(const std::filesystem::path& file,
                            const std::function<void(JsonEvent&, const JsonTraceEnd&)>& take,
                            const ImportProgress& progress, const std::stop_token& stop);

} // namespace tilescope
