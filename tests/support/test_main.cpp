#include "tests/support/test_main.h"

#include <algorithm>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>

/// Of the sanitizer's library, where there is one.
extern "C" [[gnu::weak]] void __asan_init();

namespace tilescope::test {

namespace {

/// Tests register while the program starts, before objects of any other file need exist.
std::map<std::string, TestRun, std::less<>>& tests() {
    static std::map<std::string, TestRun, std::less<>> all;
    return all;
}

} // namespace

bool registerTest(const char* folder, const char* file, TestRun run) {
    const std::string_view of = folder;
    const std::string_view path = file;
    // The path may be relative to where the compiler ran, or lead through a folder of the same
    // name.
    const std::size_t at = path.rfind(std::string(of) + '/');
    if (at == std::string_view::npos)
        std::terminate();
    const std::string_view inside = path.substr(at + of.size() + 1);
    std::string name(of.substr(of.rfind('/') + 1));
    name += '/';
    name += inside.substr(0, inside.rfind('.'));
    std::ranges::replace(name, '/', '_');
    return tests().emplace(name, run).second;
}

QString programFolder() {
    // Programs are in bin, tests in tests.
    const auto own = std::filesystem::read_symlink("/proc/self/exe");
    return QString::fromStdString((own.parent_path().parent_path() / "bin").string());
}

QString programPath(const QString& name) {
    return programFolder() + '/' + name;
}

bool hasAddressSanitizer() {
    return __asan_init != nullptr;
}

} // namespace tilescope::test

int main(int argc, char** argv) {
    const auto& tests = tilescope::test::tests();
    if (argc > 1) {
        // The test's name becomes the application's: tests that run side by side have settings and
        // files of their own.
        if (const auto found = tests.find(std::string_view(argv[1])); found != tests.end())
            return found->second(argc - 1, argv + 1);
        std::fprintf(stderr, "There is no test \"%s\" in this program.\n", argv[1]);
    }
    std::fprintf(stderr, "usage: %s TEST [ARGUMENT OF QT TEST...]\nThe tests are:\n", argv[0]);
    for (const auto& [name, run] : tests)
        std::fprintf(stderr, "  %s\n", name.c_str());
    return 2;
}
