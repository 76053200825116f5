#include "tests/views/restless/last_events.h"

#include <QStringList>
#include <algorithm>
#include <array>
#include <csignal>
#include <cstring>
#include <span>
#include <unistd.h>

/// Of the sanitizer's library, where there is one.
extern "C" [[gnu::weak]] void __sanitizer_set_death_callback(void (*callback)());

namespace tilescope::test {
namespace {

constexpr std::size_t kept = 60;
constexpr std::size_t lineBytes = 200;

// Static, as a signal handler reads them.
std::array<std::array<char, lineBytes>, kept> lines{};
std::size_t next = 0;
std::array<char, 4 * lineBytes> heading{};

void copyTo(std::span<char> into, const QString& text) {
    const QByteArray bytes = text.toUtf8();
    const auto size =
        std::min<std::size_t>(static_cast<std::size_t>(bytes.size()), into.size() - 1);
    std::copy_n(bytes.data(), size, into.begin());
    into[size] = 0;
}

void put(const char* text) {
    if (write(STDERR_FILENO, text, std::strlen(text)) < 0)
        return; // nowhere to write to
}

void tell() {
    put(heading.data());
    put("\nThe last events:\n");
    for (std::size_t i = 0; i < kept; ++i)
        if (const auto& line = lines[(next + i) % kept]; line[0] != 0) {
            put("  ");
            put(line.data());
            put("\n");
        }
}

void dieOf(int signal) {
    tell();
    std::signal(signal, SIG_DFL);
    std::raise(signal);
}

} // namespace

void tellLastEventsOnDeath(const QString& text) {
    copyTo(heading, text);
    std::signal(SIGABRT, dieOf);
    if (__sanitizer_set_death_callback != nullptr)
        return __sanitizer_set_death_callback(tell);
    for (const int signal : {SIGSEGV, SIGBUS, SIGFPE, SIGILL})
        std::signal(signal, dieOf);
}

void noteEvent(const QString& event) {
    copyTo(lines[next % kept], event);
    next = (next + 1) % kept;
}

QString lastEvents() {
    QStringList all;
    for (std::size_t i = 0; i < kept; ++i)
        if (const auto& line = lines[(next + i) % kept]; line[0] != 0)
            all << QString::fromUtf8(line.data());
    return all.join(QLatin1Char('\n'));
}

} // namespace tilescope::test
