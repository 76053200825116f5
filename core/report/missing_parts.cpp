#include "core/report/missing_parts.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>

namespace tilescope {
namespace {

/// A report that says nothing without a part.
struct NeedOfReport {
    std::string_view report;
    ProfilePart part;
    Covered least = Covered::Part; ///< how much of it is needed
};
constexpr auto reportNeeds = std::to_array<NeedOfReport>({
    {"liveness", ProfilePart::Variables, Covered::Full},
    {"variables", ProfilePart::Variables},
    {"pipeline", ProfilePart::Pipeline},
    {"phases", ProfilePart::Pipeline},
    {"values", ProfilePart::Values},
});

/// A column or field that has no figure without a part.
struct Need {
    std::string_view report;
    std::string_view key;
    ProfilePart part;
    Covered least = Covered::Part;
};
constexpr auto needs = std::to_array<Need>({
    {"memory", "physicalTile", ProfilePart::PhysicalTiles},
    {"variables", "type", ProfilePart::VariableTypes},
    {"variables", "shape", ProfilePart::VariableTypes},
    {"variables", "variableBytes", ProfilePart::Addresses},
    {"variables", "addressBytes", ProfilePart::Addresses},
    {"variables", "sharingVariables", ProfilePart::Addresses},
    {"vertices", "count", ProfilePart::VertexCounts},
    {"vertices", "vertices", ProfilePart::VertexCounts},
    {"vertices", "codeBytes", ProfilePart::VertexCode},
    {"vertices", "stateBytes", ProfilePart::StateBytes},
    {"vertices", "bytes", ProfilePart::StateBytes},
    {"vertices", "cycles", ProfilePart::TileCycles},
    {"vertices", "tiles", ProfilePart::TileCycles},
    {"vertices", "balance", ProfilePart::TileCycles},
    {"exchanges", "bytesReceived", ProfilePart::ExchangeBytes, Covered::Full},
    {"exchanges", "bytesSent", ProfilePart::ExchangeBytes, Covered::Full},
    {"exchanges", "runBytes", ProfilePart::ExchangeBytes, Covered::Full},
    {"exchanges", "cycles", ProfilePart::TileCycles},
    {"programs", "cycles", ProfilePart::TileCycles},
    {"operations", "totalOperations", ProfilePart::Operations},
    {"operations", "operations", ProfilePart::Operations},
    {"operations", "outputShape", ProfilePart::Graph},
    {"operations", "pass", ProfilePart::Graph},
    {"operations", "stage", ProfilePart::Pipeline},
    {"operations", "estimatedCyclesOnce", ProfilePart::TileCycles},
    {"operations", "estimatedComputeCycles", ProfilePart::TileCycles},
    {"operations", "estimatedCopyCycles", ProfilePart::Copies},
    {"operations", "estimatedExchangeCycles", ProfilePart::TileCycles},
    {"operations", "estimatedCycles", ProfilePart::TileCycles},
    {"operations", "balance", ProfilePart::ActiveTiles},
    {"operations", "flops", ProfilePart::Flops},
    {"operations", "flopsOnce", ProfilePart::Flops},
    {"operations", "flopsPerCycle", ProfilePart::Flops},
    {"operations", "flopsPerByte", ProfilePart::Flops},
    {"operations", "flopsPerByte", ProfilePart::ExchangeBytes, Covered::Full},
    {"operations", "workFlopsPerCycle", ProfilePart::Flops},
    {"operations", "roofFlopsPerCycle", ProfilePart::Flops},
    {"operations", "roofFlopsPerCycle", ProfilePart::ExchangeBytes, Covered::Full},
    {"operations", "utilisation", ProfilePart::Flops},
    {"operations", "bytesExchanged", ProfilePart::ExchangeBytes, Covered::Full},
    {"operations", "vertexCodeBytes", ProfilePart::VertexCode},
    {"operations", "codeBytes", ProfilePart::VertexCode},
    {"operations", "totalCodeBytes", ProfilePart::VertexCode},
    {"operations", "vertexStateBytes", ProfilePart::StateBytes},
    {"operations", "alwaysLiveBytes", ProfilePart::Variables},
    {"operations", "variableBytes", ProfilePart::Variables},
    {"operations", "peakBytes", ProfilePart::Variables, Covered::Full},
    {"trace", "exchangeBytes", ProfilePart::StepBytes},
    {"trace", "exchangeBytes", ProfilePart::ExchangeBytes},
    {"trace", "globalBytesIn", ProfilePart::StepBytes},
    {"trace", "hostBytesIn", ProfilePart::StepBytes},
    {"trace", "hostBytesOut", ProfilePart::StepBytes},
    {"trace", "bytesIn", ProfilePart::StepBytes},
    {"trace", "bytesOut", ProfilePart::StepBytes},
    {"trace", "tileBalance", ProfilePart::ActiveTiles},
    {"trace", "stepBalance", ProfilePart::ActiveTiles},
    {"trace", "activeTiles", ProfilePart::ActiveTiles},
    {"trace", "activeCycles", ProfilePart::ActiveTiles},
    {"trace", "ipuWaitsForHost", ProfilePart::HostTimes},
    {"trace", "hostWaitsForIpu", ProfilePart::HostTimes},
    {"trace", "streamCopies", ProfilePart::Streams},
    {"trace", "liveMost", ProfilePart::Variables, Covered::Full},
    {"hosts", "ipuWaitsForHost", ProfilePart::HostTimes},
    {"hosts", "hostWaitsForIpu", ProfilePart::HostTimes},
    {"hosts", "streamCopies", ProfilePart::Streams},
});

/// Whether a profile has less of a part than is needed.
bool lacks(const ProfileInfo& info, ProfilePart part, Covered least) {
    return info.coverage.state(part) > least;
}

bool isMissing(std::string_view report, std::string_view key, const ProfileInfo& info) {
    return std::any_of(std::begin(needs), std::end(needs), [&](const Need& need) {
        return need.report == report && need.key == key && lacks(info, need.part, need.least);
    });
}

/// Whether a row of the memory report is about regions, or about addresses that are shared.
bool isOfRegions(const Cell& path) {
    const auto* text = std::get_if<std::string>(&path);
    return text != nullptr &&
           (text->find("By region/") != std::string::npos || text->ends_with("verlapped"));
}

/// Empties the figures of these rows.
void leaveOutRegions(Table& table) {
    constexpr std::size_t names = 2; // the path and the indented name
    for (Row& row : table.rows)
        if (!row.cells.empty() && isOfRegions(row.cells.front()))
            std::fill(row.cells.begin() +
                          static_cast<std::ptrdiff_t>(std::min(names, row.cells.size())),
                      row.cells.end(), Cell());
}

} // namespace

std::optional<std::string> whyNotKnown(std::string_view report, const ProfileInfo& info) {
    for (const NeedOfReport& need : reportNeeds)
        if (need.report == report && lacks(info, need.part, need.least))
            return info.coverage.why(need.part);
    return std::nullopt;
}

void leaveOutMissing(Table& table, std::string_view report, const ProfileInfo& info) {
    if (info.coverage.rows.empty())
        return;
    for (std::size_t i = 0; i < table.columns.size(); ++i) {
        if (!isMissing(report, table.columns[i].key, info))
            continue;
        table.columns[i].summed = false;
        for (Row& row : table.rows)
            if (i < row.cells.size())
                row.cells[i] = Cell();
    }
}

void leaveOutMissing(Document& document, std::string_view report, const ProfileInfo& info) {
    if (info.coverage.rows.empty())
        return;
    for (Field& field : document.fields)
        if (isMissing(report, field.key, info))
            field.value = Cell();
    for (Table& table : document.tables)
        leaveOutMissing(table, report, info);
    for (Table& table : document.tables)
        if (table.key == "details" && !info.has(ProfilePart::Regions))
            leaveOutRegions(table);
}

Table coverageTable(const ProfileInfo& info) {
    Table table{"coverage",
                "What the profile lacks",
                {{"part", "Part"}, {"state", "There is"}, {"why", "Why"}}};
    table.emptyText = "nothing";
    for (const CoverageRow& row : info.coverage.rows)
        table.add({std::string(toString(row.part)), std::string(toString(row.state)), row.why});
    return table;
}

} // namespace tilescope
