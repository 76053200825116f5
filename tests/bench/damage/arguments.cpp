#include "tests/bench/damage/arguments.h"

#include <fmt/format.h>
#include <stdexcept>
#include <sys/resource.h>

namespace tilescope::bench {

Arguments::Arguments(int argc, char** argv) {
    for (int i = 1; i < argc; ++i) {
        const std::string word = argv[i];
        if (!word.starts_with("--"))
            words_.push_back(word);
        else if (++i == argc)
            throw std::invalid_argument(word + " has no value");
        else
            named_[word] = argv[i];
    }
}

template <class Convert> void Arguments::takeAs(const std::string& name, Convert convert) {
    const auto given = named_.extract(name);
    if (given.empty())
        return;
    try {
        convert(given.mapped());
    } catch (const std::logic_error&) { // what std::stoi and its like throw
        throw std::invalid_argument(fmt::format("{} cannot be '{}'", name, given.mapped()));
    }
}

void Arguments::take(const std::string& name, int& value) {
    takeAs(name, [&](const std::string& text) { value = std::stoi(text); });
}

void Arguments::take(const std::string& name, std::uint64_t& value) {
    takeAs(name, [&](const std::string& text) { value = std::stoull(text); });
}

void Arguments::take(const std::string& name, double& value) {
    takeAs(name, [&](const std::string& text) { value = std::stod(text); });
}

void Arguments::take(const std::string& name, std::string& value) {
    takeAs(name, [&](const std::string& text) { value = text; });
}

void Arguments::take(const std::string& name, bool& value) {
    takeAs(name, [&](const std::string& text) {
        if (text != "yes" && text != "no")
            throw std::invalid_argument(text);
        value = text == "yes";
    });
}

void Arguments::checkAllTaken() const {
    if (!named_.empty())
        throw std::invalid_argument("there is no " + named_.begin()->first);
}

void limitMemory() {
#ifndef __SANITIZE_ADDRESS__ // whose shadow alone is larger
    constexpr rlim_t most = rlim_t{6} << 30;
    const rlimit limit{most, most};
    setrlimit(RLIMIT_AS, &limit);
#endif
}

} // namespace tilescope::bench
