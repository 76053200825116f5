#include "simulator/message_log.h"

#include <chrono>
#include <ctime>
#include <fmt/chrono.h>
#include <fmt/format.h>
#include <unistd.h>

namespace tilescope::sim {
namespace {

std::string timeText() {
    const auto now = std::chrono::system_clock::now();
    const auto microseconds =
        std::chrono::duration_cast<std::chrono::microseconds>(now.time_since_epoch()).count();
    return fmt::format("{:%Y-%m-%dT%H:%M:%S}.{:06}Z",
                       fmt::gmtime(std::chrono::system_clock::to_time_t(now)),
                       microseconds % 1'000'000);
}

char letterOf(Severity severity) {
    switch (severity) {
    case Severity::Error:
        return 'E';
    case Severity::Warning:
        return 'W';
    case Severity::Info:
        break;
    }
    return 'I';
}

/// Poplar's line does not name the operation that its planner warns about.
std::string textOf(const Profile& profile, const Message& message) {
    if (!message.operation.valid() || message.severity != Severity::Warning)
        return message.text;
    const std::string operation = profile.operations[message.operation].name + ": ";
    return message.text.starts_with(operation) ? "Warning: " + message.text.substr(operation.size())
                                               : message.text;
}

} // namespace

std::string logLine(const Profile& profile, const Message& message) {
    return fmt::format("{} {:<9}{:>10}.{} {}: {}", timeText(),
                       message.operation.valid() ? "PL:POPLIN" : "PO:ENGINE", ::getpid(),
                       ::getpid(), letterOf(message.severity), textOf(profile, message));
}

} // namespace tilescope::sim
