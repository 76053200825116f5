// Writes a large profile for measurements:
//   scale_profile OUT [--steps N] [--ipus N] [--variables N] [--events N]
// By default it has 10 million trace steps, 64 IPUs, 100,000 variables, and no events of a program
// on the host.
#include <charconv>
#include <cstdio>
#include <string_view>

#include "core/base/error.h"
#include "core/store/profile_writer.h"
#include "tests/support/scale_profile.h"

using namespace tilescope;

namespace {

int usage(const char* problem) {
    std::fprintf(stderr,
                 "scale_profile: error: %s\n"
                 "usage: scale_profile OUT [--steps N] [--ipus N] [--variables N] [--events N]\n",
                 problem);
    return 2;
}

} // namespace

int main(int argc, char** argv) {
    test::ScaleOptions options;
    options.steps = 10'000'000;
    if (argc < 2 || argc % 2 != 0)
        return usage("one file and pairs of option and value are wanted");
    for (int at = 2; at < argc; at += 2) {
        const std::string_view key = argv[at];
        const std::string_view text = argv[at + 1];
        std::int64_t value = 0;
        const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
        constexpr std::int64_t most = 100'000'000;
        if (error != std::errc() || end != text.data() + text.size() || value < 1 || value > most)
            return usage("a value is no number from 1 to 100,000,000");
        if (key == "--steps")
            options.steps = value;
        else if (key == "--ipus")
            options.ipus = static_cast<std::int32_t>(value);
        else if (key == "--variables")
            options.variables = static_cast<std::int32_t>(value);
        else if (key == "--events")
            options.hostEvents = value;
        else
            return usage("options are --steps, --ipus, --variables and --events");
    }
    try {
        writeProfile(test::scaleProfile(options), argv[1]);
    } catch (const UserError& error) {
        std::fprintf(stderr, "scale_profile: error: %s\n", error.what());
        return 2;
    }
    return 0;
}
