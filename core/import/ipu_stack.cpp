#include "core/import/ipu_stack.h"

#include <fmt/format.h>

#include "core/base/digest.h"
#include "core/base/directory.h"
#include "core/base/error.h"
#include "core/import/ipu_stack_parts.h"
#include "core/import/readers.h"
#include "core/target/target_file.h"
#include "core/trace/trace_index.h"

namespace tilescope {
namespace {

namespace fs = std::filesystem;

constexpr std::uint32_t newestProfile = 5; // schema version
constexpr std::uint32_t memoryVersion = 1;
// A clock is the second word of a profile: no machine has one outside of these.
constexpr std::uint64_t leastClock = 1'000'000, mostClock = 100'000'000'000; // Hz

void addCoverage(Profile& profile) {
    const auto none = [&](ProfilePart part, const char* why) {
        profile.info.coverage.rows.push_back({part, Covered::None, why});
    };
    none(ProfilePart::Run, "ipu-stack's profile does not say what a run computes: its mode, batch "
                           "size and samples");
    none(ProfilePart::Options, "the options of the run are not in ipu-stack's profile");
    none(ProfilePart::HostTimes, "what a call cost the host is not in ipu-stack's profile");
    none(ProfilePart::Streams, "copies from and to the host are not told apart in ipu-stack's "
                               "profile");
    if (profile.operations.empty())
        none(ProfilePart::Operations, "no step of the profile names its operation");
    none(ProfilePart::Flops, "ipu-stack's profile has no FLOPs");
    none(ProfilePart::Plans, "plans are not in ipu-stack's profile");
    none(ProfilePart::Graph, "the model's graph is not in ipu-stack's profile");
    none(ProfilePart::Pipeline, "ipu-stack runs on one IPU");
    none(ProfilePart::Copies, "why operands are put in order is not in ipu-stack's profile");
    none(ProfilePart::Edges, "ipu-stack's programs have no edges");
    none(ProfilePart::ExchangeBytes, "bytes of exchanges are not in ipu-stack's profile");
    none(ProfilePart::StepBytes, "bytes of steps are not in ipu-stack's profile");
    none(ProfilePart::VertexCode, "sizes of kernels are not in ipu-stack's profile");
    none(ProfilePart::StateBytes, "ipu-stack's kernels have no state of their own");
    none(ProfilePart::Regions, "ipu-stack's memory profile does not say what is interleaved");
    none(ProfilePart::VariableTypes, "types and shapes are not in ipu-stack's profile");
    none(ProfilePart::PhysicalTiles, "tiles have the numbers of the machine, and our map of the "
                                     "chip is assumed");
    none(ProfilePart::Values, "values of tensors are not in ipu-stack's profile");
    profile.info.coverage.rows.push_back(
        {ProfilePart::Categories, Covered::Part,
         "categories of ipu-stack that are not ours count as variables"});
}

void addInfo(ProfileInfo& info, const fs::path& file, std::uint32_t version) {
    info.creator = "ipu-stack";
    info.origin = {OriginKind::Measured, "ipu-stack", fmt::format("(profile version {})", version),
                   fileDigest(file)};
    info.model = file.stem().string();
    info.batchSize = 0;
    info.deviceIterations = 0;
}

Target machineOf(const CapnpMessage& message, const ImportOptions& options) {
    const double clock = clockOf(message);
    Target target = options.target.empty() ? nearestTarget("ipu21", std::nullopt, clock)
                                           : namedTarget(options.target);
    target.ipus = 1;
    target.clockHz = clock;
    return target;
}

} // namespace

std::optional<IpuStackPart> ipuStackPartOf(const fs::path& file) {
    const std::optional<CapnpRoot> root = capnpRoot(file);
    if (!root || root->dataWords != 2 || root->pointers != 1)
        return std::nullopt;
    const auto version = static_cast<std::uint32_t>(root->data[0]);
    const std::uint64_t base = root->data[0] >> 32;
    if (base == 0 && version >= 1 && version <= newestProfile && root->data[1] >= leastClock &&
        root->data[1] <= mostClock)
        return IpuStackPart::Cycles;
    if (base != 0 && version == memoryVersion && root->data[1] != 0 && root->data[1] >> 32 == 0)
        return IpuStackPart::Memory;
    return std::nullopt;
}

std::optional<fs::path> ipuStackPartner(const fs::path& file) {
    const std::optional<IpuStackPart> part = ipuStackPartOf(file);
    std::optional<fs::path> partner;
    if (!part)
        return partner;
    const fs::path folder = fs::absolute(file).parent_path();
    for (const std::string& name : namesIn(folder)) {
        std::error_code error;
        if (!fs::is_regular_file(folder / name, error))
            continue;
        const std::optional<IpuStackPart> other = ipuStackPartOf(folder / name);
        if (!other || *other == *part)
            continue;
        if (partner)
            return std::nullopt;
        partner = file.parent_path() / name;
    }
    return partner;
}

Imported importIpuStack(const fs::path& cycles, const fs::path& memory,
                        const ImportOptions& options, const ImportProgress& progress,
                        const std::stop_token& stop) {
    const auto tell = [&](double done, std::string_view what) {
        if (stop.stop_requested())
            throw Cancelled();
        if (progress)
            progress(done, what);
    };
    tell(0, "samples");
    const CapnpMessage message(cycles);
    Imported result;
    Profile& profile = result.profile;
    addInfo(profile.info, cycles, versionOf(message));
    profile.info.target = machineOf(message, options);
    constexpr double share = 0.8; // of the time
    const std::vector<IpuStackSample> samples =
        readSamples(message, profile.info.target.tilesPerIpu,
                    [&](double done) { tell(share * done, "samples"); });
    const std::vector<std::uint32_t> phases = addExecution(profile, samples);
    for (const TraceBody& body : profile.trace.bodies)
        result.executedSteps += static_cast<std::int64_t>(body.steps.size());
    tell(share, "memory");
    addMemory(profile, CapnpMessage(memory), phases);
    addCoverage(profile);
    try {
        TraceIndex(profile.trace, 1, profile.info.target.tilesPerIpu);
    } catch (const UserError& error) {
        message.damaged(error.what());
    }
    tell(1, "profile");
    return result;
}

} // namespace tilescope
