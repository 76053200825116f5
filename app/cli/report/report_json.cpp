#include <boost/json.hpp>
#include <map>

#include "app/cli/document.h"
#include "app/cli/report/report_json.h"
#include "core/analysis/insights/insights.h"
#include "core/analysis/insights/losses.h"
#include "core/report/pipeline_tables.h"
#include "core/report/source_parts.h"

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
                           {"value", advice.value},
                           {"gain", advice.gain}});
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
              {"tile", idJson(insight.link.things.tile())},
              {"step", idJson(insight.link.things.step)},
              {"operation", idJson(insight.link.things.operation)},
              {"variable", idJson(insight.link.things.variable)}}}};
}

json::object lossJson(const Loss& loss) {
    json::array places;
    for (const LossPlace& place : loss.places)
        places.push_back({{"place", place.path},
                          {"operation", idJson(place.operation)},
                          {"ipu", idJson(place.ipu)},
                          {"cycles", place.cycles}});
    json::value remedy;
    if (!loss.remedies.empty()) {
        const Advice& best = loss.remedies.front();
        remedy = {{"option", best.option},
                  {"direction", toString(best.direction)},
                  {"value", best.value},
                  {"instead", best.instead},
                  {"with", json::value_from(best.with)},
                  {"sentence", sentenceOf(best)}};
    }
    const std::int64_t gain = loss.remedies.empty() ? 0 : loss.remedies.front().gain;
    return {{"kind", toString(loss.kind)},
            {"ipu", idJson(loss.ipu)},
            {"place", loss.place},
            {"cycles", loss.cycles},
            {"share", loss.share},
            {"bytes", loss.bytes},
            {"cause", loss.cause},
            {"remedy", std::move(remedy)},
            {"gain", gain > 0 ? json::value(gain) : json::value(nullptr)},
            {"byIpu", json::value_from(loss.byIpu)},
            {"places", std::move(places)}};
}

json::value insightsJson(const Report&, const ProfileView& profile, const ReportRequest& request) {
    if (request.selection != TileSelection::all())
        return toJson(insightsReport(profile, request));
    const Findings found = findAll(profile);
    json::array insights;
    for (const Insight& insight : found.insights)
        insights.push_back(insightJson(insight));
    json::array losses;
    for (const Loss& loss : found.losses)
        losses.push_back(lossJson(loss));
    return json::object{{"losses", std::move(losses)}, {"insights", std::move(insights)}};
}

json::value betterJson(const BetterSplit& better) {
    if (better.split.empty())
        return nullptr;
    return json::object{{"split", json::value_from(better.split)},
                        {"stageCycles", json::value_from(better.stageCycles)},
                        {"longestCycles", better.longestCycles},
                        {"gainCycles", better.gainCycles},
                        {"gain", better.gain}};
}

json::value pipelineJson(const Report&, const ProfileView& profile, const ReportRequest&) {
    const PipelineReport report = pipelineReport(profile);
    json::object result = toJson(stagesDocument(report)).as_object();
    result["slots"] = json::object{{"rampUp", report.rampUpSlots},
                                   {"main", report.mainSlots},
                                   {"rampDown", report.rampDownSlots}};
    if (report.stages.empty()) {
        result["utilisation"] = nullptr;
        result["longestStage"] = nullptr;
        result["hint"] = report.hint;
        return result;
    }
    result["slots"].as_object()["busy"] = report.busySlots;
    result["iterations"] = report.iterations;
    result["betterSplit"] = betterJson(report.better);
    return result;
}

/// Rows of a table by the values of some of its columns, which they then lack.
class RowsBy {
public:
    RowsBy(const json::value& table, std::vector<std::string> keys)
        : keys_(std::move(keys)) {
        for (const json::value& one : table.as_array()) {
            json::object row = one.as_object();
            json::array& rows = rows_[keyOf(row)];
            for (const std::string& key : keys_)
                row.erase(key);
            rows.push_back(std::move(row));
        }
    }
    /// Those of a row with the same values; none for another one.
    [[nodiscard]] json::array of(const json::object& row) const {
        const auto found = rows_.find(keyOf(row));
        return found == rows_.end() ? json::array() : found->second;
    }

private:
    [[nodiscard]] std::string keyOf(const json::object& row) const {
        json::array values;
        for (const std::string& key : keys_)
            values.push_back(row.at(key));
        return json::serialize(values);
    }

    std::vector<std::string> keys_;
    std::map<std::string, json::array> rows_;
};

/// Places, losses and remarks are in the rows that they are about.
json::value sourceJson(const Report& report, const ProfileView& profile,
                       const ReportRequest& request) {
    json::object result = toJson(makeReport(report, profile, request)).as_object();
    const SourceParts parts = sourceParts(profile, request);
    const RowsBy places(toJson(parts.places), {"path", "ipu"});
    const RowsBy losses(toJson(parts.losses), {"path", "ipu"});
    const json::value* said = result.if_contains("remarks");
    const RowsBy remarks(said == nullptr ? json::value(json::array()) : *said, {"path"});
    result.erase("remarks");
    for (json::value& row : result.at("rows").as_array()) {
        json::object& of = row.as_object();
        const bool isLine = of.at("file").is_string();
        of["places"] = isLine ? places.of(of) : json::array();
        of["losses"] = isLine ? losses.of(of) : json::array();
        of["remarks"] = isLine ? remarks.of(of) : json::array();
    }
    return result;
}

} // namespace

json::value reportJson(const Report& report, const ProfileView& profile,
                       const ReportRequest& request) {
    using Make = json::value (*)(const Report&, const ProfileView&, const ReportRequest&);
    static const std::map<std::string, Make> own{
        {"insights", insightsJson}, {"source", sourceJson}, {"pipeline", pipelineJson}};
    const auto found = own.find(report.id);
    return found == own.end() ? toJson(makeReport(report, profile, request))
                              : found->second(report, profile, request);
}

} // namespace tilescope::cli
