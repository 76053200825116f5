#include "core/base/lack_of_memory.h"

#include <cstdlib>
#include <cstring>
#include <exception>
#include <new>
#include <system_error>
#include <unistd.h>

#include "core/base/end_signals.h"

namespace tilescope {
namespace {

const char* programName = "";
std::terminate_handler before = nullptr;

void print(const char* text) {
    if (::write(STDERR_FILENO, text, std::strlen(text)) < 0) {
        // There is no way to report it.
    }
}

[[noreturn]] void endWithMessage() {
    print(programName);
    print(": error: not enough memory on this computer\n");
    constexpr int environmentStatus = 2;
    removeTemporariesAndExit(environmentStatus);
}

[[noreturn]] void endUnhandled() {
    try {
        if (const std::exception_ptr current = std::current_exception())
            std::rethrow_exception(current);
    } catch (const std::bad_alloc&) {
        endWithMessage();
    } catch (const std::system_error& error) {
        // Thrown if a thread cannot be created.
        if (error.code() == std::errc::resource_unavailable_try_again ||
            error.code() == std::errc::not_enough_memory)
            endWithMessage();
    } catch (...) {
        // Ours.
    }
    before();
    std::abort();
}

} // namespace

void endOnLackOfMemory(const char* program) {
    programName = program;
    before = std::set_terminate(endUnhandled);
}

} // namespace tilescope
