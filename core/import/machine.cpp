// The machine and the headline figures.
#include <boost/json.hpp>
#include <cmath>
#include <fmt/format.h>

#include "core/base/suggest.h"
#include "core/import/readers.h"
#include "core/target/target_file.h"

namespace tilescope {
namespace {

constexpr std::int64_t mostTiles = 1'000'000; ///< as a profile may have
constexpr std::int64_t mostIpus = 1024;

std::string lowerCase(std::string text) {
    for (char& letter : text)
        letter = static_cast<char>(std::tolower(static_cast<unsigned char>(letter)));
    return text;
}

/// What made the times.
OriginKind originKind(const CaptureFile& file, const std::string& tool, bool executed) {
    if (tool.starts_with("TileScope"))
        return OriginKind::Simulated;
    if (!executed)
        return OriginKind::Estimated;
    const std::string type = file.text("target.type").value_or("");
    return type == "IpuModel" ? OriginKind::PoplarModel : OriginKind::Measured;
}

std::map<std::string, std::string> engineOptions(const CaptureFile& file) {
    std::map<std::string, std::string> options;
    boost::system::error_code error;
    const boost::json::value value =
        boost::json::parse(file.text("engineOptions").value_or("{}"), error);
    if (error || !value.is_object())
        file.damaged("info", "engineOptions", "it is not a JSON object");
    for (const auto& [key, option] : value.as_object())
        options[std::string(key)] = option.is_string()
                                        ? std::string(option.as_string())
                                        : std::string(boost::json::serialize(option));
    return options;
}

} // namespace

Target nearestTarget(const std::optional<std::string>& architecture,
                     std::optional<std::int64_t> tiles, std::optional<double> clock) {
    const Target* nearest = nullptr;
    const auto distance = [&](const Target& t) {
        const bool other = architecture && t.architecture != lowerCase(*architecture);
        const double far = clock ? std::abs(t.clockHz - *clock) / t.clockHz : 0;
        return std::make_tuple(other, tiles && t.tilesPerIpu != *tiles, far, t.systemIpus);
    };
    for (const Target& preset : targetPresets())
        if (nearest == nullptr || distance(preset) < distance(*nearest))
            nearest = &preset;
    return *nearest;
}

Target importedMachine(const CaptureFile& file, const ImportOptions& options) {
    const auto architecture = file.text("target.architecture");
    const auto tilesPerIpu = file.number("target.tilesPerIpu", 1, mostTiles);
    const auto clock = file.real("target.clockFrequency");
    Target target = options.target.empty() ? nearestTarget(architecture, tilesPerIpu, clock)
                                           : namedTarget(options.target);
    if (tilesPerIpu)
        target.tilesPerIpu = static_cast<std::int32_t>(*tilesPerIpu);
    const std::int64_t tiles =
        file.number("target.tiles", 1, mostTiles).value_or(target.tilesPerIpu);
    if (tiles % target.tilesPerIpu != 0 || tiles / target.tilesPerIpu > mostIpus)
        file.damaged("info", "target.tiles",
                     fmt::format("{} tiles are no IPUs of {}", tiles, target.tilesPerIpu));
    target.ipus = static_cast<std::int32_t>(tiles / target.tilesPerIpu);
    if (const auto bytes = file.number("target.bytesPerTile", 1, TileSeries::largestStored))
        target.bytesPerTile = *bytes;
    if (clock && *clock > 0)
        target.clockHz = *clock;
    return target;
}

void importInfo(Importing& import) {
    const CaptureFile& file = import.file;
    ProfileInfo& info = import.profile.info;
    const std::string tool = file.text("poplar").value_or("");
    const bool executed = file.has("execution");
    info.origin.kind = originKind(file, tool, executed);
    if (info.origin.kind == OriginKind::Simulated) {
        info.creator = tool;
        info.origin.tool = tool;
    } else {
        info.creator = tool.empty() ? "Poplar" : "Poplar " + tool;
        info.origin.tool = "Poplar";
        info.origin.version = tool;
    }
    info.origin.digest = file.text("file.digest").value_or("");
    info.createdAt = file.text("timestamp").value_or("");
    info.model = file.path().stem().string();
    info.batchSize = 0;
    info.deviceIterations = 0;
    info.replicas = file.number("target.numReplicas", 1, largestId).value_or(1);
    info.engineOptions = engineOptions(file);
    info.edges = file.number("graph.numEdges", 0, largestAmount).value_or(0);
    info.vertices = file.number("graph.numVertices", 0, largestAmount).value_or(0);
    info.hasExecution = executed;
}

} // namespace tilescope
