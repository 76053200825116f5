#include "app/cli/commands/run_job.h"

#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <utility>

#include "core/base/error.h"
#include "core/options/option_form.h"

namespace tilescope::cli {
namespace fs = std::filesystem;
namespace {

RunJob checked(RunRequest request) {
    RunJob job{std::move(request), {}};
    setRunOptions(job.options, job.request.options);
    validate(job.options);
    return job;
}

bool isPreset(const std::string& name) {
    const std::vector<Target>& presets = targetPresets();
    return std::any_of(presets.begin(), presets.end(),
                       [&](const Target& preset) { return preset.name == name; });
}

} // namespace

RunJob jobFor(const ProfileInfo& info, const std::string& name) {
    RunRequest request = resolveRequest(name, {});
    if (isPreset(info.target.name))
        request.options.try_emplace("target", info.target.name);
    RunJob job = checked(std::move(request));
    // Of a replicated graph, the profile may be of one replica or of all.
    const std::int64_t ipus = job.options.machine.target.ipus;
    if (ipus != info.target.ipus && ipus * job.options.replication.replicas != info.target.ipus)
        throw UserError(fmt::format("--job: '{}' runs on {} IPUs, but the profile is of {}", name,
                                    ipus, info.target.ipus));
    return job;
}

RunJob jobOf(const ProfileInfo& info) {
    if (!info.has(ProfilePart::Options))
        throw UserError(fmt::format("the job of '{}' is not known: name it with --job, or a "
                                    "simulated profile of the same run",
                                    info.model));
    const auto file = info.options.find("modelFile");
    return checked({file == info.options.end() ? info.model : file->second,
                    withoutValues(changedOptions(info.options))});
}

void attach(const RunJob& job, ProfileInfo& info) {
    const RunOptions& options = job.options;
    info.options = optionsInForce(options);
    std::error_code error;
    const std::string& model = job.request.model;
    info.options["modelFile"] =
        fs::is_regular_file(model, error) ? fs::absolute(model, error).string() : model;
    info.mode = options.batch.mode;
    info.deviceIterations = options.batch.deviceIterations;
    info.batchSize = options.batch.batchSize.value_or(0);
    info.replicas = options.replication.replicas;
    std::erase_if(info.coverage.rows, [&](const CoverageRow& row) {
        // The model's own batch is not read.
        return row.part == ProfilePart::Options ||
               (row.part == ProfilePart::Run && options.batch.batchSize);
    });
}

Profile simulate(const RunJob& job, const sim::Progress& progress) {
    Profile profile = sim::simulateModel(job.request.model, job.options, progress);
    if (!profile.info.fits)
        throw UserError(fmt::format("'{}' does not fit when it is simulated, so that there are no "
                                    "steps to compare: see 'tilescope run'",
                                    job.request.model));
    return profile;
}

} // namespace tilescope::cli
