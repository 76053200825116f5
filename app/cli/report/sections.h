// The sections of `report`: each turns a profile into a document.
#pragma once

#include <functional>
#include <optional>
#include <regex>
#include <string>
#include <vector>

#include "app/cli/document.h"
#include "core/store/profile_reader.h"
#include "core/target/selection.h"

namespace tilescope::cli {

/// What `report` was asked for.
struct ReportRequest {
    TileSelection selection;          ///< --tile or --ipu
    std::optional<StepId> step;       ///< --step
    std::string breakdown;            ///< --by; empty if not given
    std::optional<std::regex> filter; ///< --filter, on names
    bool csv = false;
    [[nodiscard]] bool wants(const std::string& name) const {
        return !filter || std::regex_search(name, *filter);
    }
};

Document memorySection(const ProfileReader& reader, const ReportRequest& request);
Document livenessSection(const ProfileReader& reader, const ReportRequest& request);
Document variablesSection(const ProfileReader& reader, const ReportRequest& request);
Document verticesSection(const ProfileReader& reader, const ReportRequest& request);
Document exchangesSection(const ProfileReader& reader, const ReportRequest& request);
Document programsSection(const ProfileReader& reader, const ReportRequest& request);
Document operationsSection(const ProfileReader& reader, const ReportRequest& request);
Document traceSection(const ProfileReader& reader, const ReportRequest& request);
Document pipelineSection(const ProfileReader& reader, const ReportRequest& request);
Document phasesSection(const ProfileReader& reader, const ReportRequest& request);
Document insightsSection(const ProfileReader& reader, const ReportRequest& request);

/// Which of --tile, --ipu, --step, --by and --filter a section listens to.
struct Section {
    std::string name;
    std::function<Document(const ProfileReader&, const ReportRequest&)> make;
    bool tiles = false;
    bool ipus = false;
    bool steps = false;
    bool breakdowns = false;
    bool filters = false;
};
const std::vector<Section>& reportSections();

} // namespace tilescope::cli
