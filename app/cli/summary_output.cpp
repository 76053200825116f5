#include "app/cli/summary_output.h"

#include <boost/json.hpp>
#include <fmt/format.h>
#include <ostream>

#include "app/cli/document.h"
#include "core/base/units.h"
#include "core/report/run_fields.h"

namespace tilescope::cli {
namespace json = boost::json;
namespace {

json::object gapsJson(const GapBytes& bytes) {
    return {{"includingGaps", bytes.includingGaps}, {"excludingGaps", bytes.excludingGaps}};
}

json::object memoryJson(const MemorySummary& memory) {
    json::object maxTile{{"tile", nullptr}};
    if (memory.maxTileId.valid())
        maxTile["tile"] = memory.maxTileId.value();
    for (auto& [key, value] : gapsJson(memory.maxTile))
        maxTile[key] = value;
    return {{"limitPerTile", memory.limitPerTile},
            {"maxTile", std::move(maxTile)},
            {"total", gapsJson(memory.total)},
            {"alwaysLive", memory.alwaysLive},
            {"maxNotAlwaysLive", memory.maxNotAlwaysLive},
            {"tilesOverLimit", memory.tilesOverLimit}};
}

json::array coverageJson(const Coverage& coverage) {
    json::array array;
    for (const CoverageRow& row : coverage.rows)
        array.push_back(json::object{
            {"part", toString(row.part)}, {"state", toString(row.state)}, {"why", row.why}});
    return array;
}

/// Null for what the profile lacks.
json::value known(const ProfileInfo& info, ProfilePart part, json::value value) {
    return info.has(part) ? std::move(value) : json::value();
}

template <class Map> json::object mapJson(const Map& map) {
    json::object object;
    for (const auto& [key, value] : map)
        object[key] = value;
    return object;
}

json::array messagesJson(const std::vector<Message>& messages) {
    json::array array;
    for (const Message& message : messages) {
        json::object object{{"severity", toString(message.severity)}, {"text", message.text}};
        if (message.operation.valid())
            object["operation"] = message.operation.value();
        array.push_back(std::move(object));
    }
    return array;
}

std::string ofTile(const MemorySummary& memory, std::int64_t bytes) {
    return fmt::format(
        "{} of {} ({})", formatBytes(bytes), formatBytes(memory.limitPerTile),
        formatPercent(static_cast<double>(bytes), static_cast<double>(memory.limitPerTile)));
}

} // namespace

json::value originJson(const Origin& origin) {
    return json::object{{"kind", toString(origin.kind)},
                        {"tool", origin.tool},
                        {"version", origin.version},
                        {"digest", origin.digest}};
}

SummarySource summaryOf(const ProfileView& profile) {
    return {profile.info(), memorySummary(profile), *profile.messages(), profile.file()};
}

json::value summaryJson(const SummarySource& source) {
    const ProfileInfo& info = source.info;
    json::object object{{"fits", info.fits},
                        {"profile", source.profile.string()},
                        {"target", info.target.name},
                        {"model", info.model},
                        {"origin", originJson(info.origin)},
                        {"mode", known(info, ProfilePart::Run, json::string(info.mode))},
                        {"ipus", info.target.ipus},
                        {"tilesPerIpu", info.target.tilesPerIpu},
                        {"clockHz", info.target.clockHz},
                        {"memory", memoryJson(source.memory)},
                        {"cycles", nullptr},
                        {"vertices", info.vertices},
                        {"edges", known(info, ProfilePart::Edges, info.edges)},
                        {"messages", messagesJson(source.messages)},
                        {"options", mapJson(info.options)},
                        {"engineOptions", mapJson(info.engineOptions)},
                        {"timings", mapJson(info.timings)},
                        {"creator", info.creator},
                        {"createdAt", info.createdAt},
                        {"coverage", coverageJson(info.coverage)}};
    if (info.hasExecution)
        object["cycles"] = info.cycles;
    for (const auto& fields : {runSampleFields(info), runTimeFields(info)}) {
        const json::value values = toJson(Document{fields});
        for (const auto& [key, value] : values.as_object())
            object[key] = value;
    }
    return object;
}

void writeSummary(std::ostream& out, const SummarySource& source) {
    const ProfileInfo& info = source.info;
    const MemorySummary& memory = source.memory;
    Document document;
    std::string lacking;
    const auto add = [&](const char* label, std::string text) {
        document.fields.push_back({"", label, std::move(text), Unit::None});
    };
    add("Model", info.mode.empty() ? info.model : fmt::format("{} ({})", info.model, info.mode));
    if (info.origin.kind != OriginKind::Simulated || !info.origin.tool.empty())
        add("Origin", originText(info.origin));
    add("Target",
        fmt::format("{}: {}, {}{} IPU{} of {} tiles", info.target.name, info.target.description,
                    info.replicas > 1 ? fmt::format("{} replicas of ", info.replicas) : "",
                    info.target.ipus, info.target.ipus == 1 ? "" : "s", info.target.tilesPerIpu));
    add("Fits", info.fits ? "yes"
                          : fmt::format("no: {} tile{} over the limit", memory.tilesOverLimit,
                                        memory.tilesOverLimit == 1 ? " is" : "s are"));
    if (memory.maxTileId.valid())
        add("Fullest tile", fmt::format("{}: {}", memory.maxTileId.value(),
                                        ofTile(memory, memory.maxTile.includingGaps)));
    add("Memory",
        fmt::format("{} including gaps, {} excluding gaps", formatBytes(memory.total.includingGaps),
                    formatBytes(memory.total.excludingGaps)));
    add("Always live", formatBytes(memory.alwaysLive));
    add("Not always live", formatBytes(memory.maxNotAlwaysLive) + " at most at one program step");
    if (info.hasExecution) {
        add("Run", formatCyclesAndTime(info.cycles, info.target.clockHz));
    } else {
        add("Run", "none");
    }
    for (Field field : runSampleFields(info))
        document.fields.push_back(std::move(field));
    if (info.hasExecution)
        for (Field field : runTimeFields(info))
            document.fields.push_back(std::move(field));
    for (const CoverageRow& row : info.coverage.rows)
        lacking += fmt::format("{}{}{}", lacking.empty() ? "" : ", ", toString(row.part),
                               row.state == Covered::Part ? " (part)" : "");
    if (!lacking.empty())
        add("Lacks", lacking + ": 'tilescope info --json' says why");
    if (!source.profile.empty())
        add("Profile", source.profile.string());
    write(out, document, Format::Text);
    bool first = true;
    for (const Message& message : source.messages) {
        if (message.severity == Severity::Info)
            continue;
        out << (first ? "\n" : "") << toString(message.severity) << ": " << printable(message.text)
            << '\n';
        first = false;
    }
}

} // namespace tilescope::cli
