#include "core/sweep/point_result.h"

#include <algorithm>
#include <boost/json.hpp>
#include <csignal>
#include <fmt/format.h>

namespace tilescope {
namespace json = boost::json;
namespace {

constexpr std::string_view errorPrefix = "tilescope: error: ";
constexpr int firstSignalCode = 128;

/// The last line, or the last that a run marked as its error.
std::string lastMessage(std::string_view err) {
    std::string last;
    std::string marked;
    while (!err.empty()) {
        const std::size_t end = std::min(err.find('\n'), err.size());
        const std::string_view line = err.substr(0, end);
        err.remove_prefix(std::min(end + 1, err.size()));
        if (line.starts_with(errorPrefix))
            marked = line.substr(errorPrefix.size());
        else if (!line.empty())
            last = line;
    }
    return marked.empty() ? last : marked;
}

PointResult failure(int exitCode, std::string_view err) {
    PointResult result;
    result.exitCode = exitCode;
    result.message = lastMessage(err);
    if (exitCode > firstSignalCode) {
        const int signal = exitCode - firstSignalCode;
        const std::string ended = fmt::format(
            "the run was ended by signal {} ({}){}", signal, ::strsignal(signal),
            signal == SIGKILL ? "; perhaps this computer has too little memory for it" : "");
        result.message = result.message.empty() ? ended : ended + ": " + result.message;
    } else if (result.message.empty()) {
        result.message = fmt::format("the run ended with status {} and no result", exitCode);
    }
    return result;
}

/// Numbers by path; a missing or foreign value throws.
std::int64_t integerAt(const json::object& object, std::string_view key) {
    return object.at(key).to_number<std::int64_t>();
}

PointMemory memoryFrom(const json::object& memory) {
    const json::object& maxTile = memory.at("maxTile").as_object();
    const json::object& total = memory.at("total").as_object();
    return {integerAt(maxTile, "includingGaps"), integerAt(maxTile, "excludingGaps"),
            integerAt(total, "includingGaps"),   integerAt(total, "excludingGaps"),
            integerAt(memory, "alwaysLive"),     integerAt(memory, "maxNotAlwaysLive"),
            integerAt(memory, "tilesOverLimit")};
}

std::int64_t countWarnings(const json::array& messages) {
    std::int64_t warnings = 0;
    for (const json::value& message : messages)
        warnings += message.at("severity") == "warning" ? 1 : 0;
    return warnings;
}

PointResult success(int exitCode, std::string_view out, std::string_view err) {
    const json::value parsed = json::parse(out);
    const json::object& summary = parsed.as_object();
    PointResult result;
    result.exitCode = exitCode;
    result.status = summary.at("fits").as_bool() ? PointStatus::Fits : PointStatus::OutOfMemory;
    result.memory = memoryFrom(summary.at("memory").as_object());
    if (!summary.at("cycles").is_null())
        result.time =
            PointTime{integerAt(summary, "cycles"), summary.at("seconds").to_number<double>(),
                      summary.at("throughput").to_number<double>()};
    result.warnings = countWarnings(summary.at("messages").as_array());
    if (result.status == PointStatus::OutOfMemory)
        result.message = lastMessage(err);
    return result;
}

} // namespace

PointResult resultOfRun(int exitCode, std::string_view out, std::string_view err) {
    if (exitCode != 0 && exitCode != 1)
        return failure(exitCode, err);
    try {
        return success(exitCode, out, err);
    } catch (const std::exception&) {
        // A partial result counts as none: boost throws for anything missing or malformed.
        return failure(exitCode, err);
    }
}

bool tookCompiledProgram(std::string_view out) {
    try {
        const json::value summary = json::parse(out);
        const json::object& timings = summary.at("timings").as_object();
        return timings.contains("cache") && !timings.contains("plan");
    } catch (const std::exception&) {
        return false;
    }
}

} // namespace tilescope
