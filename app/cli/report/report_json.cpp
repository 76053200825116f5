#include <boost/json.hpp>
#include <map>

#include "app/cli/document.h"
#include "app/cli/report/report_json.h"
#include "core/analysis/insights/insights.h"

namespace tilescope::cli {
namespace json = boost::json;
namespace {

template <class IdType> json::value idJson(IdType id) {
    return id.valid() ? json::value(id.value()) : json::value(nullptr);
}

json::object insightJson(const Insight& insight) {
    json::array evidence;
    for (const Evidence& e : insight.evidence) {
        json::object item{{"label", e.label}, {"value", e.value}};
        if (e.unit == Unit::None)
            item["value"] = e.text;
        else if (e.unit != Unit::Share)
            item["value"] = static_cast<std::int64_t>(e.value);
        item["unit"] = toString(e.unit);
        if (e.tile.valid())
            item["tile"] = e.tile.value();
        if (e.operation.valid())
            item["operation"] = e.operation.value();
        evidence.push_back(std::move(item));
    }
    json::array options;
    for (const Advice& advice : insight.advice)
        options.push_back({{"option", advice.option},
                           {"direction", toString(advice.direction)},
                           {"value", advice.value}});
    return {{"kind", insight.rule},
            {"costs", toString(insight.kind)},
            {"level", toString(insight.level)},
            {"title", insight.title},
            {"cost",
             {{"cycles", insight.cost.cycles},
              {"bytes", insight.cost.bytes},
              {"share", insight.cost.share}}},
            {"advice", adviceText(insight)},
            {"options", std::move(options)},
            {"evidence", std::move(evidence)},
            {"link",
             {{"report", insight.link.report},
              {"tile", idJson(insight.link.tile)},
              {"step", idJson(insight.link.step)},
              {"operation", idJson(insight.link.operation)},
              {"variable", idJson(insight.link.variable)}}}};
}

} // namespace

json::value insightsJson(const ProfileReader& reader, const ReportRequest& request) {
    if (request.selection != TileSelection::all())
        return toJson(insightsReport(reader, request));
    json::array insights;
    for (const Insight& insight : findInsights(ProfileView(reader.file(), reader.info())))
        insights.push_back(insightJson(insight));
    return json::object{{"insights", std::move(insights)}};
}

json::value reportJson(const Report& report, const ProfileReader& reader,
                       const ReportRequest& request) {
    using Make = json::value (*)(const ProfileReader&, const ReportRequest&);
    static const std::map<std::string, Make> own{{"insights", insightsJson},
                                                 {"pipeline", pipelineJson}};
    const auto found = own.find(report.id);
    return found == own.end() ? toJson(makeReport(report, reader, request))
                              : found->second(reader, request);
}

} // namespace tilescope::cli
