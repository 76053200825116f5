// Preloaded into a program under test: makes the n-th call of a kind fail, as SQLite's tests do
// with its own. It waits before main() for orders and runs each in a process of its own (fork), so
// that a program is loaded once:
//   "KIND N FOLDER\n" on descriptor 198  ->  "STATUS COUNT\n" on 199
// N 0 only counts. STATUS is what waitpid() says. In the folder, .out and .err get what the program
// prints; a process that takes longer than most is ended by SIGALRM. A kind that begins with '@' is
// of the program that the one under test starts, and COUNT is its.
#include <array>
#include <atomic>
#include <cerrno>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dirent.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

extern "C" {
void* __libc_malloc(size_t);
void* __libc_calloc(size_t, size_t);
void* __libc_realloc(void*, size_t);
void* __libc_memalign(size_t, size_t);
}

namespace {

constexpr int ordersFrom = 198;
constexpr int answersTo = 199;
constexpr unsigned mostSeconds = 60;

enum Kind { Open, Read, Write, Sync, Rename, Allocate, Kinds };
constexpr std::array<const char*, Kinds> names{"open",  "read",   "write",
                                               "fsync", "rename", "allocate"};
constexpr std::array<int, Kinds> errors{EMFILE, EIO, ENOSPC, EIO, EIO, ENOMEM};

std::atomic<long>* calls = nullptr; ///< of the kind, shared with the process that waits
std::atomic<int> failing = Kinds;   ///< the kind; none before and after main()
long which = 0;

/// True for the call that is to fail.
bool fails(Kind kind) {
    if (failing.load(std::memory_order_relaxed) != kind)
        return false;
    if (calls->fetch_add(1) + 1 != which)
        return false;
    errno = errors[kind];
    return true;
}

template <class Function> Function* next(const char* name) {
    return reinterpret_cast<Function*>(::dlsym(RTLD_NEXT, name));
}

using Main = int(int, char**, char**);
Main* realMain = nullptr;

int kindFrom(const char* name) {
    for (int kind = 0; kind < Kinds; ++kind)
        if (std::strcmp(names[static_cast<std::size_t>(kind)], name) == 0)
            return kind;
    return Kinds;
}

int openDescriptors() {
    int count = 0;
    DIR* const folder = ::opendir("/proc/self/fd");
    while (folder != nullptr && ::readdir(folder) != nullptr)
        ++count;
    ::closedir(folder);
    return count;
}

int runMain(int argc, char** argv, char** environment, int kind) {
    const int before = openDescriptors();
    failing = kind;
    const int status = realMain(argc, argv, environment);
    failing = Kinds;
    // A program that ends may leave descriptors to the system; one that has failed shows by them
    // what it leaks.
    if (const int after = openDescriptors(); after > before + 8)
        std::fprintf(stderr, "leaked: %d descriptors\n", after - before);
    return status;
}

/// A program that the one under test has started: its fault is in the environment, its count in a
/// file, as it may be ended from outside.
int runStarted(int argc, char** argv, char** environment, const char* fault) {
    const int file = ::open(std::getenv("TILESCOPE_FAULT_COUNT"), O_RDWR | O_CREAT | O_TRUNC, 0600);
    std::array<char, 16> kind{};
    if (::ftruncate(file, sizeof *calls) != 0 ||
        std::sscanf(fault, "%15s %ld", kind.data(), &which) != 2)
        std::abort();
    calls = static_cast<std::atomic<long>*>(
        ::mmap(nullptr, sizeof *calls, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0));
    ::close(file);
    return runMain(argc, argv, environment, kindFrom(kind.data()));
}

[[noreturn]] void runOrder(int argc, char** argv, char** environment, const char* kind,
                           const char* folder) {
    ::close(ordersFrom);
    ::close(answersTo);
    if (::chdir(folder) != 0)
        std::abort();
    for (const auto& [name, number] :
         {std::pair{".out", STDOUT_FILENO}, std::pair{".err", STDERR_FILENO}}) {
        const int file = ::open(name, O_WRONLY | O_CREAT | O_TRUNC, 0600);
        ::dup2(file, number);
        ::close(file);
    }
    ::alarm(mostSeconds);
    if (*kind == '@') {
        std::array<char, 64> fault{};
        std::snprintf(fault.data(), fault.size(), "%s %ld", kind + 1, which);
        ::setenv("TILESCOPE_FAULT", fault.data(), 1);
        ::setenv("TILESCOPE_FAULT_COUNT", ".count", 1);
    }
    std::exit(runMain(argc, argv, environ, kindFrom(kind)));
    static_cast<void>(environment);
}

int serve(int argc, char** argv, char** environment) {
    if (const char* fault = std::getenv("TILESCOPE_FAULT"))
        return runStarted(argc, argv, environment, fault);
    if (std::getenv("TILESCOPE_FAULT_SERVER") == nullptr)
        return realMain(argc, argv, environment);
    ::unsetenv("TILESCOPE_FAULT_SERVER");
    calls = static_cast<std::atomic<long>*>(
        ::mmap(nullptr, sizeof *calls, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0));
    std::FILE* const orders = ::fdopen(ordersFrom, "r");
    std::array<char, 4096> line{};
    while (std::fgets(line.data(), static_cast<int>(line.size()), orders) != nullptr) {
        std::array<char, 16> kind{};
        std::array<char, 4096> folder{};
        if (std::sscanf(line.data(), "%15s %ld %4095s", kind.data(), &which, folder.data()) != 3)
            std::abort();
        *calls = 0;
        const pid_t process = ::fork();
        if (process == 0)
            runOrder(argc, argv, environment, kind.data(), folder.data());
        int status = 0;
        ::waitpid(process, &status, 0);
        ::dprintf(answersTo, "%d %ld\n", status, calls->load());
    }
    std::exit(0);
}

} // namespace

extern "C" {

int __libc_start_main(Main* main, int argc, char** argv, void (*init)(), void (*fini)(),
                      void (*end)(), void* stack) {
    realMain = main;
    return next<int(Main*, int, char**, void (*)(), void (*)(), void (*)(), void*)>(
        "__libc_start_main")(serve, argc, argv, init, fini, end, stack);
}

#define TILESCOPE_OPEN(name)                                                                       \
    int name(const char* path, int flags, ...) {                                                   \
        static auto* const real = next<int(const char*, int, ...)>(#name);                         \
        va_list rest;                                                                              \
        va_start(rest, flags);                                                                     \
        const auto mode = va_arg(rest, int);                                                       \
        va_end(rest);                                                                              \
        return fails(Open) ? -1 : real(path, flags, mode);                                         \
    }
TILESCOPE_OPEN(open)
TILESCOPE_OPEN(open64)
#define TILESCOPE_OPENAT(name)                                                                     \
    int name(int folder, const char* path, int flags, ...) {                                       \
        static auto* const real = next<int(int, const char*, int, ...)>(#name);                    \
        va_list rest;                                                                              \
        va_start(rest, flags);                                                                     \
        const auto mode = va_arg(rest, int);                                                       \
        va_end(rest);                                                                              \
        return fails(Open) ? -1 : real(folder, path, flags, mode);                                 \
    }
TILESCOPE_OPENAT(openat)
TILESCOPE_OPENAT(openat64)

#define TILESCOPE_CALL(kind, failed, result, name, parameters, arguments)                          \
    result name parameters {                                                                       \
        static auto* const real = next<result parameters>(#name);                                  \
        return fails(kind) ? (failed) : real arguments;                                            \
    }
TILESCOPE_CALL(Open, nullptr, std::FILE*, fopen, (const char* path, const char* mode), (path, mode))
TILESCOPE_CALL(Open, nullptr, std::FILE*, fopen64, (const char* path, const char* mode),
               (path, mode))
TILESCOPE_CALL(Read, -1, ssize_t, read, (int file, void* to, size_t size), (file, to, size))
TILESCOPE_CALL(Read, -1, ssize_t, pread, (int file, void* to, size_t size, off_t at),
               (file, to, size, at))
TILESCOPE_CALL(Read, -1, ssize_t, pread64, (int file, void* to, size_t size, off64_t at),
               (file, to, size, at))
TILESCOPE_CALL(Read, -1, ssize_t, readv, (int file, const iovec* to, int count), (file, to, count))
TILESCOPE_CALL(Write, -1, ssize_t, write, (int file, const void* from, size_t size),
               (file, from, size))
TILESCOPE_CALL(Write, -1, ssize_t, pwrite, (int file, const void* from, size_t size, off_t at),
               (file, from, size, at))
TILESCOPE_CALL(Write, -1, ssize_t, pwrite64, (int file, const void* from, size_t size, off64_t at),
               (file, from, size, at))
TILESCOPE_CALL(Write, -1, ssize_t, writev, (int file, const iovec* from, int count),
               (file, from, count))
TILESCOPE_CALL(Sync, -1, int, fsync, (int file), (file))
TILESCOPE_CALL(Sync, -1, int, fdatasync, (int file), (file))
TILESCOPE_CALL(Rename, -1, int, rename, (const char* from, const char* to), (from, to))
TILESCOPE_CALL(Rename, -1, int, renameat, (int folder, const char* from, int other, const char* to),
               (folder, from, other, to))

void* malloc(size_t size) {
    return fails(Allocate) ? nullptr : __libc_malloc(size);
}
void* calloc(size_t count, size_t size) {
    return fails(Allocate) ? nullptr : __libc_calloc(count, size);
}
void* realloc(void* old, size_t size) {
    return fails(Allocate) ? nullptr : __libc_realloc(old, size);
}
void* memalign(size_t alignment, size_t size) {
    return fails(Allocate) ? nullptr : __libc_memalign(alignment, size);
}
void* aligned_alloc(size_t alignment, size_t size) {
    return fails(Allocate) ? nullptr : __libc_memalign(alignment, size);
}
int posix_memalign(void** made, size_t alignment, size_t size) {
    if (fails(Allocate))
        return ENOMEM;
    *made = __libc_memalign(alignment, size);
    return *made == nullptr ? ENOMEM : 0;
}

} // extern "C"
