// Files of others that are imported: a damaged capture, a trace of the host, cycles and memory of
// ipu-stack, a target's file; and the address of a file on another machine. The last byte says
// which.
#include <cstdio>
#include <cstdlib>
#include <fuzzer/FuzzedDataProvider.h>
#include <string>

#include "core/base/error.h"
#include "core/import/add_host_traces.h"
#include "core/import/import.h"
#include "core/import/ipu_stack.h"
#include "core/remote/remote_address.h"
#include "core/report/report.h"
#include "core/store/profile_reader.h"
#include "core/store/profile_writer.h"
#include "core/target/target_file.h"
#include "core/view/profile_view.h"
#include "tests/fuzz/scratch_file.h"
#include "tests/support/damage.h"
#include "tests/support/sample_capture.h"

using namespace tilescope;

namespace {

enum class Input : std::uint8_t {
    Capture,
    WholeCapture,
    Trace,
    Cycles,
    Memory,
    Target,
    Address,
    End
};

const std::string samples = TILESCOPE_SOURCE_DIR "/tests/data/ipu_stack/";

template <class Read> void orRefuse(Read read) {
    try {
        read();
    } catch (const UserError&) {
    }
}

/// What was imported is a profile that can be read, and that no report refuses.
void readAgain(const Profile& profile) {
    static const fuzz::ScratchFile written("written.pop");
    writeProfile(profile, written.path());
    try {
        static_cast<void>(ProfileReader(written.path()).load());
        const ProfileView view(written.path());
        for (const Report& report : allReports())
            static_cast<void>(makeReport(report, view, {}));
    } catch (const UserError& error) {
        std::fprintf(stderr, "%s\n", error.what());
        std::abort();
    }
}

void readCapture(const std::string& bytes) {
    static const fuzz::ScratchFile file("capture");
    file.set(bytes);
    static_cast<void>(formOf(file.path()));
    readAgain(importCapture(file.path(), {}).profile);
}

std::string damagedCapture(FuzzedDataProvider& input) {
    static const std::string good = [] {
        const fuzz::ScratchFile file("good.capture");
        test::writeSampleCapture(file.path());
        return readFile(file.path());
    }();
    const test::Draw draw = [&](std::uint64_t bound) {
        return input.ConsumeIntegralInRange<std::uint64_t>(0, bound - 1);
    };
    constexpr int mostChanges = 6;
    std::string copy = good;
    for (int i = 0; i < mostChanges && input.remaining_bytes() > 0; ++i)
        copy = test::damagedCopy(copy, draw).bytes;
    return copy;
}

void readTrace(const std::string& bytes) {
    static const fuzz::ScratchFile file("trace.json");
    file.set(bytes);
    static_cast<void>(formOf(file.path()));
    Profile profile;
    const std::array files{file.path()};
    addHostTraces(profile, files, {});
    addHostTraces(profile, files, {.offset = -1, .zero = {}});
}

void readIpuStack(const std::string& cycles, const std::string& memory) {
    static const fuzz::ScratchFile first("cycles"), second("memory");
    first.set(cycles);
    second.set(memory);
    static_cast<void>(formOf(first.path()));
    readAgain(importIpuStack(first.path(), second.path(), {}).profile);
}

void readTarget(const std::string& bytes) {
    static const fuzz::ScratchFile file("target.json");
    file.set(bytes);
    const Target target = namedTarget(file.path().string());
    file.set(targetFileText(targetPreset("mk2"), target, target.description, {}));
    static_cast<void>(namedTarget(file.path().string()));
}

void readAddress(const std::string& text) {
    const RemoteAddress address = remoteAddress(text);
    // What was taken is no option, and is the same when it is written.
    if (address.host.empty() || address.host.front() == '-' ||
        !(remoteAddress(toString(address)) == address))
        std::abort();
    static_cast<void>(shellPath(address));
}

void read(Input which, FuzzedDataProvider& input) {
    switch (which) {
    case Input::Capture:
        return readCapture(damagedCapture(input));
    case Input::WholeCapture:
        return readCapture(input.ConsumeRemainingBytesAsString());
    case Input::Trace:
        return readTrace(input.ConsumeRemainingBytesAsString());
    case Input::Cycles:
        return readIpuStack(input.ConsumeRemainingBytesAsString(),
                            readFile(samples + "memory.capnp"));
    case Input::Memory:
        return readIpuStack(readFile(samples + "cycles.capnp"),
                            input.ConsumeRemainingBytesAsString());
    case Input::Target:
        return readTarget(input.ConsumeRemainingBytesAsString());
    case Input::Address:
        return readAddress(input.ConsumeRemainingBytesAsString());
    case Input::End:
        break;
    }
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    FuzzedDataProvider input(data, size);
    const auto which = static_cast<Input>(input.ConsumeIntegral<std::uint8_t>() %
                                          static_cast<std::uint8_t>(Input::End));
    orRefuse([&] { read(which, input); });
    return 0;
}
