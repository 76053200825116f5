#include "core/store/host_store.h"

#include <cmath>
#include <fmt/format.h>

#include "core/base/damaged_profile.h"
#include "core/profile/host_lanes.h"

namespace tilescope {
namespace {

// Three years: no compilation takes longer, and in cycles of any clock it is a number that can be
// counted with.
constexpr double longestHostSeconds = 1e8;

double secondsOf(const SqlValue& value) {
    const auto* real = std::get_if<double>(&value);
    const auto* whole = std::get_if<std::int64_t>(&value);
    const double seconds = real != nullptr    ? *real
                           : whole != nullptr ? static_cast<double>(*whole)
                                              : std::nan("");
    if (!(seconds >= 0 && seconds <= longestHostSeconds))
        throw DamagedProfile("a time of the host cannot be");
    return seconds;
}

std::string textOf(const SqlValue& value) {
    const auto* text = std::get_if<std::string>(&value);
    return text == nullptr ? std::string() : *text;
}

} // namespace

void writeHostSpans(const Database& db, const std::vector<HostSpan>& spans) {
    Statement row = db.prepare("INSERT INTO host_spans VALUES(?,?,?,?,?)");
    for (std::size_t i = 0; i < spans.size(); ++i) {
        const HostSpan& span = spans[i];
        row.bind(0, static_cast<std::int64_t>(i))
            .bind(1, std::string_view(span.lane))
            .bind(2, std::string_view(span.name))
            .bind(3, span.start)
            .bind(4, span.seconds);
        row.run();
    }
}

std::vector<HostSpan> readHostSpans(const ProfileReader& reader) {
    std::vector<HostSpan> spans;
    const SqlValue version =
        reader.query("SELECT user_version FROM pragma_user_version").rows.at(0).at(0);
    if (std::get<std::int64_t>(version) < firstVersionWithHostSpans)
        return spans;
    for (const auto& row :
         reader.query("SELECT lane, name, start, seconds FROM host_spans ORDER BY start, id")
             .rows) {
        HostSpan span{textOf(row[0]), textOf(row[1]), secondsOf(row[2]), secondsOf(row[3])};
        if (span.lane != compilationLane && span.lane != loadingLane)
            throw DamagedProfile(fmt::format("the host has no lane '{:.60}'", span.lane));
        spans.push_back(std::move(span));
    }
    return spans;
}

} // namespace tilescope
