// The parts of a capture, in the order in which they are read. Internal to core/import.
#pragma once

#include <string>
#include <unordered_map>
#include <vector>

#include "core/import/capture_file.h"
#include "core/import/import.h"

namespace tilescope {

/// A capture that becomes a profile.
struct Importing {
    const CaptureFile& file;
    Profile& profile;
    /// Programs by their ids in the capture, which may have gaps.
    std::unordered_map<std::int64_t, ProgramId> programAt;
    /// Functions that calls run, where they were found by what ran next (fold.h).
    std::vector<ProgramId> inferredTargets;    ///< by program; none if nothing was inferred
    std::vector<std::int64_t> observedRepeats; ///< by program
    /// Operations of the program by debug context.
    std::unordered_map<std::int64_t, OperationId> operationOfContext;
    std::vector<TileSeries> measured; ///< cycles by tile, by program; empty: not measured
    std::int64_t executedSteps = 0;
    std::int64_t flatSteps = 0;

    /// A program by its id in the capture; none if there is no such program.
    [[nodiscard]] ProgramId program(std::int64_t id) const {
        const auto found = programAt.find(id);
        return found == programAt.end() ? ProgramId() : found->second;
    }
    void message(Severity severity, std::string text) {
        profile.messages.push_back({severity, std::move(text), {}});
    }
};

/// A kind by Poplar's name of it; Unknown for those that are like none of ours.
ProgramKind kindFrom(std::string_view text);
/// The preset whose clock is nearest among those of the architecture.
Target nearestTarget(const std::optional<std::string>& architecture,
                     std::optional<std::int64_t> tiles, std::optional<double> clock);
/// The machine: what the file says of it; the rest is a preset's.
Target importedMachine(const CaptureFile& file, const ImportOptions& options);
/// Everything of the info table.
void importInfo(Importing& import);
void importTiles(Importing& import);
void importOperations(Importing& import);
void importPrograms(Importing& import);
/// Cycles by tile, which compute sets and exchanges share.
void importMeasured(Importing& import);
void importComputeSets(Importing& import);
void importVariables(Importing& import);
void importLiveness(Importing& import);
void importTrace(Importing& import, const ImportProgress& progress);
/// After the trace: calls get the functions that it shows, and roots their lists.
void finishPrograms(Importing& import);
/// What the capture lacks.
Coverage coverageOf(const Importing& import);

} // namespace tilescope
