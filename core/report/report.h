// The reports of a profile: each produces fields and tables, which the command line prints and the
// window shows.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "core/base/pattern.h"
#include "core/table/table.h"
#include "core/target/selection.h"
#include "core/view/profile_view.h"

namespace tilescope {

/// The parameters of a report.
struct ReportRequest {
    TileSelection selection;         ///< --tile or --ipu
    std::optional<StepId> step;      ///< --step
    std::optional<std::int32_t> run; ///< --run; the last if not given
    std::string breakdown;           ///< --by; empty if not given
    std::optional<Pattern> filter;   ///< --filter, on names
    std::filesystem::path sources;   ///< --source-folder; empty if not given
    [[nodiscard]] bool wants(const std::string& name) const {
        return !filter || filter->isIn(name);
    }
};

/// The parameters that a report may accept, see ReportRequest.
enum class ReportOption { Tile, Ipu, Step, Run, By, Filter, Sources };

/// Removes the rows whose name the filter does not match.
void keepWanted(Table& table, const ReportRequest& request);

struct Report {
    std::string id; ///< as on the command line
    Document (*make)(const ProfileView& profile, const ReportRequest& request);
    std::vector<ReportOption> accepts;
    bool needsExecution = false;
    [[nodiscard]] bool listensTo(ReportOption option) const;
};

/// Makes a report of a profile; without the execution that it needs, it says why there is none.
/// Throws UserError for a damaged profile, and for tiles and steps that it does not have.
Document makeReport(const Report& report, const ProfileView& profile, const ReportRequest& request);

Document memoryReport(const ProfileView& profile, const ReportRequest& request);
Document livenessReport(const ProfileView& profile, const ReportRequest& request);
Document variablesReport(const ProfileView& profile, const ReportRequest& request);
Document verticesReport(const ProfileView& profile, const ReportRequest& request);
Document exchangesReport(const ProfileView& profile, const ReportRequest& request);
Document programsReport(const ProfileView& profile, const ReportRequest& request);
Document operationsReport(const ProfileView& profile, const ReportRequest& request);
/// Costs by line, statement, function, file or stack of the program that made the model.
Document sourceReport(const ProfileView& profile, const ReportRequest& request);
Document traceReport(const ProfileView& profile, const ReportRequest& request);
Document stagesReport(const ProfileView& profile, const ReportRequest& request);
Document phasesReport(const ProfileView& profile, const ReportRequest& request);
Document hostsReport(const ProfileView& profile, const ReportRequest& request);
Document valuesReport(const ProfileView& profile, const ReportRequest& request);
/// For a tile or an IPU the largest parts of each kind.
Document insightsReport(const ProfileView& profile, const ReportRequest& request);

/// All reports, in the order in which they are listed.
const std::vector<Report>& allReports();

} // namespace tilescope
