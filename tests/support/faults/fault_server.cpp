#include "tests/support/faults/fault_server.h"

#include <array>
#include <csignal>
#include <cstdlib>
#include <fcntl.h>
#include <stdexcept>
#include <sys/wait.h>
#include <unistd.h>

namespace tilescope::test {
namespace {

// Where the library looks for them.
constexpr int ordersFrom = 198;
constexpr int answersTo = 199;

[[noreturn]] void become(std::vector<std::string> words, int orders, int answers) {
    ::dup2(orders, ordersFrom);
    ::dup2(answers, answersTo);
    ::setenv("LD_PRELOAD", TILESCOPE_FAULT_PRELOAD, 1);
    ::setenv("TILESCOPE_FAULT_SERVER", "1", 1);
    ::setenv("QT_QPA_PLATFORM", "offscreen", 1);
    std::vector<char*> pointers;
    for (std::string& word : words)
        pointers.push_back(word.data());
    pointers.push_back(nullptr);
    ::execv(pointers.front(), pointers.data());
    ::_exit(127);
}

} // namespace

FaultServer::FaultServer(std::vector<std::string> words) {
    std::signal(SIGPIPE, SIG_IGN);
    std::array<int, 2> orders{};
    std::array<int, 2> answers{};
    if (::pipe2(orders.data(), O_CLOEXEC) != 0 || ::pipe2(answers.data(), O_CLOEXEC) != 0)
        throw std::runtime_error("no pipes");
    process_ = ::fork();
    if (process_ == 0)
        become(std::move(words), orders[0], answers[1]);
    ::close(orders[0]);
    ::close(answers[1]);
    orders_ = ::fdopen(orders[1], "w");
    answers_ = ::fdopen(answers[0], "r");
}

FaultServer::~FaultServer() {
    std::fclose(orders_);
    std::fclose(answers_);
    ::waitpid(process_, nullptr, 0);
}

FaultServer::Result FaultServer::run(const std::string& kind, long which,
                                     const std::filesystem::path& folder) {
    std::fprintf(orders_, "%s %ld %s\n", kind.c_str(), which, folder.c_str());
    std::fflush(orders_);
    Result result;
    if (std::fscanf(answers_, "%d %ld", &result.status, &result.calls) != 2)
        throw std::runtime_error("the program under test cannot be started");
    return result;
}

} // namespace tilescope::test
