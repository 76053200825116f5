#include <boost/json.hpp>
#include <cctype>
#include <fmt/format.h>

#include "app/cli/report/report_json.h"
#include "app/cli/report/sections.h"
#include "core/analysis/insights/largest_parts.h"

namespace tilescope::cli {
namespace json = boost::json;
namespace {

template <class IdType> json::value idJson(IdType id) {
    return id.valid() ? json::value(id.value()) : json::value(nullptr);
}

json::object insightJson(const Insight& insight) {
    static constexpr std::array units{"bytes", "cycles", "share", "count", "text"};
    json::array evidence;
    for (const Evidence& e : insight.evidence) {
        json::object item{{"label", e.label}, {"value", e.value}};
        if (e.unit == Evidence::Unit::Text)
            item["value"] = e.text;
        else if (e.unit != Evidence::Unit::Share)
            item["value"] = static_cast<std::int64_t>(e.value);
        item["unit"] = units.at(static_cast<std::size_t>(e.unit));
        if (e.tile.valid())
            item["tile"] = e.tile.value();
        if (e.operation.valid())
            item["operation"] = e.operation.value();
        evidence.push_back(std::move(item));
    }
    return {{"kind", toString(insight.kind)},
            {"level", toString(insight.level)},
            {"title", insight.title},
            {"advice", insight.advice},
            {"evidence", std::move(evidence)},
            {"link",
             {{"report", insight.link.report},
              {"tile", idJson(insight.link.tile)},
              {"step", idJson(insight.link.step)},
              {"operation", idJson(insight.link.operation)},
              {"variable", idJson(insight.link.variable)}}}};
}

constexpr std::size_t shownParts = 5; // of each kind, in a text

// "variables at the peak" as a key: "variablesAtThePeak".
std::string keyOf(PartKind kind) {
    std::string key;
    bool upper = false;
    for (const char letter : toString(kind)) {
        if (letter == ' ' || letter == '-') {
            upper = true;
            continue;
        }
        key += upper ? static_cast<char>(std::toupper(static_cast<unsigned char>(letter))) : letter;
        upper = false;
    }
    return key;
}

// What takes the memory of an IPU or a tile.
Document largestSection(const ProfileReader& reader, const TileSelection& selection) {
    const auto variables = reader.variables();
    const auto classes = reader.livenessClasses();
    const auto vertexTypes = reader.vertexTypes();
    const auto computeSets = reader.computeSets();
    const auto exchanges = reader.exchanges();
    const MemoryParts parts{reader.info().target, variables,   classes,
                            vertexTypes,          computeSets, exchanges,
                            reader.steps().size()};
    Document document;
    for (const PartKind kind : allPartKinds) {
        Table table{keyOf(kind),
                    fmt::format("{}: {}", selection.label(), toString(kind)),
                    {{"name", "Name"}, {"bytes", "Bytes", Unit::Bytes}},
                    {}};
        const std::vector<SizedPart> largest = largestParts(parts, kind, selection);
        for (std::size_t i = 0; i < std::min(shownParts, largest.size()); ++i)
            table.rows.push_back({largest[i].name, largest[i].bytes});
        document.tables.push_back(std::move(table));
    }
    return document;
}

} // namespace

json::value insightsJson(const ProfileReader& reader, const ReportRequest& request) {
    if (request.selection != TileSelection::all())
        return toJson(largestSection(reader, request.selection));
    json::array insights;
    for (const Insight& insight : findInsights(reader))
        insights.push_back(insightJson(insight));
    return json::object{{"insights", std::move(insights)}};
}

Document insightsSection(const ProfileReader& reader, const ReportRequest& request) {
    if (request.selection != TileSelection::all())
        return largestSection(reader, request.selection);
    Document document;
    for (const Insight& insight : findInsights(reader)) {
        Table table{std::string(toString(insight.kind)),
                    fmt::format("{}: {}", toString(insight.level), insight.title),
                    {{"label", "Evidence"}, {"value", "Value"}},
                    {}};
        for (const Evidence& e : insight.evidence)
            table.rows.push_back({e.label, formatEvidence(e)});
        if (!insight.advice.empty())
            table.title += "\n" + insight.advice;
        document.tables.push_back(std::move(table));
    }
    return document;
}

} // namespace tilescope::cli
