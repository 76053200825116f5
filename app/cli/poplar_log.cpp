#include "app/cli/poplar_log.h"

#include <chrono>
#include <cstdlib>
#include <ctime>
#include <fmt/chrono.h>
#include <fmt/format.h>
#include <ostream>
#include <unistd.h>

#include "core/base/error.h"
#include "core/base/suggest.h"

namespace tilescope::cli {
namespace {

/// How much the environment wants to hear: 0 is nothing, 1 errors, 2 warnings, 3 information.
std::size_t levelFrom(const char* variable) {
    static const std::vector<std::string> levels{"OFF", "ERR", "WARN", "INFO", "DEBUG", "TRACE"};
    const char* value = std::getenv(variable);
    if (value == nullptr || *value == '\0')
        return 0;
    for (std::size_t i = 0; i < levels.size(); ++i)
        if (levels[i] == value)
            return i;
    throw UserError(fmt::format("environment variable {}: '{}' is not one of {}.{}", variable,
                                value, fmt::join(levels, ", "), didYouMean(value, levels)));
}

std::string timeText() {
    const auto now = std::chrono::system_clock::now();
    const auto microseconds =
        std::chrono::duration_cast<std::chrono::microseconds>(now.time_since_epoch()).count();
    return fmt::format("{:%Y-%m-%dT%H:%M:%S}.{:06}Z",
                       fmt::gmtime(std::chrono::system_clock::to_time_t(now)),
                       microseconds % 1'000'000);
}

struct Loudness {
    std::size_t level;
    char letter;
};

Loudness loudnessOf(Severity severity) {
    switch (severity) {
    case Severity::Error:
        return {1, 'E'};
    case Severity::Warning:
        return {2, 'W'};
    case Severity::Info:
        break;
    }
    return {3, 'I'};
}

} // namespace

void writeLog(std::ostream& err, const std::vector<Message>& messages) {
    const std::size_t poplibs = levelFrom("POPLIBS_LOG_LEVEL");
    const std::size_t poplar = levelFrom("POPLAR_LOG_LEVEL");
    for (const Message& message : messages) {
        const bool ofOperation = message.operation.valid();
        const auto [level, letter] = loudnessOf(message.severity);
        if (level <= (ofOperation ? poplibs : poplar))
            err << fmt::format("{} {:<9}{:>10}.{} {}: {}\n", timeText(),
                               ofOperation ? "PL:POPLIN" : "PO:ENGINE", ::getpid(), ::getpid(),
                               letter, message.text);
    }
}

} // namespace tilescope::cli
