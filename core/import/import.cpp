#include "core/import/import.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <fstream>

#include "core/base/error.h"
#include "core/import/add_host_traces.h"
#include "core/import/ipu_stack.h"
#include "core/import/readers.h"
#include "core/import/trace_event_json.h"
#include "core/import/trace_events.h"
#include "core/store/schema.h"
#include "core/trace/trace_index.h"

namespace tilescope {
namespace {

constexpr std::string_view howToCapture =
    "'tilescope capture-script > tilescope_capture.py' writes the script that captures it where "
    "Poplar's SDK is: python3 tilescope_capture.py profile.pop [debug.cbor] -o NAME.capture";

/// The application_id in the header of a SQLite file, at byte 68, big-endian.
std::uint32_t applicationId(const std::array<unsigned char, 100>& header) {
    std::uint32_t id = 0;
    for (std::size_t i = 68; i < 72; ++i)
        id = id << 8 | header[i];
    return id;
}

/// The keys of a JSON object, of which this is the beginning: of no object within it.
std::vector<std::string_view> keysIn(std::string_view object) {
    std::vector<std::string_view> keys;
    int depth = 0;
    for (std::size_t at = 0; at < object.size(); ++at) {
        const char c = object[at];
        depth += c == '{' || c == '[' ? 1 : c == '}' || c == ']' ? -1 : 0;
        if (c != '"')
            continue;
        const std::size_t begin = at + 1;
        for (++at; at < object.size() && object[at] != '"'; ++at)
            at += object[at] == '\\' ? 1 : 0;
        const std::size_t next = object.find_first_not_of(" \t\r\n", at + 1);
        if (depth == 1 && next != std::string_view::npos && object[next] == ':')
            keys.push_back(object.substr(begin, at - begin));
    }
    return keys;
}

/// Whether the beginning of a JSON object is that of a job, or of a model of Keras.
bool looksLikeJob(std::string_view beginning) {
    const std::vector<std::string_view> keys = keysIn(beginning);
    const auto has = [&](std::string_view key) {
        return std::find(keys.begin(), keys.end(), key) != keys.end();
    };
    return has("model") || (has("class_name") && has("config"));
}

FileForm formOfText(const std::filesystem::path& file) {
    const std::string beginning = unpackedBeginning(file);
    if (looksLikeTraceEvents(beginning))
        return FileForm::HostTrace;
    const std::size_t at = beginning.find_first_not_of(" \n\r\t");
    if (at == std::string::npos)
        return FileForm::Other;
    if (beginning[at] == '{' && looksLikeJob(beginning))
        return FileForm::Job;
    // A JSON object, or a CBOR map.
    constexpr unsigned char cborMap = 0xA0, cborMapEnd = 0xC0;
    const auto first = static_cast<unsigned char>(beginning[at]);
    const bool isOld = first == '{' || (first >= cborMap && first < cborMapEnd);
    return isOld ? FileForm::OldReport : FileForm::Other;
}

/// Of a file that is no database.
FileForm formOfOther(const std::filesystem::path& file) {
    return ipuStackPartOf(file) ? FileForm::IpuStack : formOfText(file);
}

/// Throws if a reader would refuse the trace.
void checkTrace(const Importing& import) {
    const Target& target = import.profile.info.target;
    try {
        TraceIndex(import.profile.trace, target.ipus, target.tilesPerIpu);
    } catch (const UserError& error) {
        import.file.damaged("step_chunks", "of all runs", error.what());
    }
}

std::vector<std::string> missingIn(const CaptureFile& file) {
    std::vector<std::string> missing;
    CaptureRows section(file, "sections", {"name", "state", "detail"}, "rowid");
    while (section.next())
        if (section.text(1) != "done")
            missing.push_back(fmt::format("section {} ({}{}{})", section.text(0), section.text(1),
                                          section.text(2).empty() ? "" : ": ", section.text(2)));
    CaptureRows name(file, "names", {"name", "asked", "failed", "optional"});
    while (name.next())
        if (name.number(1) > 0 && name.number(1) == name.number(2) && name.number(3) == 0)
            missing.push_back("pva's " + name.text(0));
    return missing;
}

} // namespace

FileForm formOf(const std::filesystem::path& file) {
    std::error_code error;
    if (!std::filesystem::exists(file, error))
        throw UserError(fmt::format("cannot open '{}': no such file", file.string()));
    if (!std::filesystem::is_regular_file(file, error))
        throw UserError(fmt::format("cannot open '{}': it is not a regular file", file.string()));
    std::ifstream in(file, std::ios::binary);
    if (!in)
        throw UserError(fmt::format("cannot open '{}': it cannot be read", file.string()));
    std::array<unsigned char, 100> header{};
    in.read(reinterpret_cast<char*>(header.data()), header.size());
    const auto bytes = static_cast<std::size_t>(in.gcount());
    constexpr std::string_view sqlite = "SQLite format 3";
    if (bytes < header.size() ||
        !std::equal(sqlite.begin(), sqlite.end(), header.begin(),
                    [](char a, unsigned char b) { return static_cast<unsigned char>(a) == b; }))
        return formOfOther(file);
    const std::uint32_t id = applicationId(header);
    if (id == static_cast<std::uint32_t>(profileApplicationId))
        return FileForm::Profile;
    if (id == static_cast<std::uint32_t>(captureApplicationId))
        return FileForm::Capture;
    // Poplar's profile is a SQLite file without an id of its own.
    return id == 0 ? FileForm::PoplarProfile : FileForm::Other;
}

void refuseClosedTrace(const std::filesystem::path& file) {
    const std::string extension = file.extension().string();
    if (extension == ".pvti")
        throw UserError(fmt::format(
            "'{}' is a trace of PopVision, whose form is closed. 'tilescope capture-script' writes "
            "the script that makes trace events of it where Poplar's SDK is: python3 "
            "tilescope_capture.py {} -o {}.json",
            file.string(), file.filename().string(), file.stem().string()));
    if (extension == ".pftrace" || extension == ".perfetto-trace")
        throw UserError(fmt::format("'{}' is a trace of Perfetto in its binary form: "
                                    "'traceconv json' makes trace events of it, which are read",
                                    file.string()));
}

void checkUnchanged(const std::filesystem::path& file, const FileStamp& stamp) {
    if (stampOf(file) != stamp)
        throw UserError(fmt::format("'{}' was written while it was read: open it again when that "
                                    "is done",
                                    file.string()));
}

Imported importCapture(const std::filesystem::path& file, const ImportOptions& options,
                       const ImportProgress& progress, const std::stop_token& stop) {
    const FileStamp stamp = stampOf(file);
    const auto tell = [&](double done, std::string_view what) {
        if (stop.stop_requested())
            throw Cancelled();
        if (progress)
            progress(done, what);
    };
    // Shares of the time that large captures take.
    constexpr double beforeSteps = 0.3, afterSteps = 0.95;
    CaptureFile capture(file, stop);
    Imported result;
    Importing import{capture, result.profile, {}, {}, {}, {}, {}, 0, 0};
    tell(0, "machine");
    result.profile.info.target = importedMachine(capture, options);
    importInfo(import);
    capture.readSeries(result.profile.info.target.totalTiles());
    importTiles(import);
    tell(0.1, "programs");
    importOperations(import);
    importPrograms(import);
    importMeasured(import);
    importComputeSets(import);
    tell(0.2, "variables");
    importLiveness(import);
    importVariables(import);
    importTrace(import, [&](double done, std::string_view what) {
        tell(beforeSteps + done * (afterSteps - beforeSteps), what);
    });
    finishPrograms(import);
    result.profile.info.coverage = coverageOf(import);
    checkTrace(import);
    result.executedSteps = import.executedSteps;
    result.flatSteps = import.flatSteps;
    result.missing = missingIn(capture);
    checkUnchanged(file, stamp);
    tell(1, "profile");
    return result;
}

Imported importFile(const std::filesystem::path& file, const ImportOptions& options,
                    const ImportProgress& progress, const std::stop_token& stop) {
    const FileForm form = formOf(file);
    if (form == FileForm::PoplarProfile || form == FileForm::Other)
        refuseClosedTrace(file);
    switch (form) {
    case FileForm::Capture:
        return importCapture(file, options, progress, stop);
    case FileForm::Profile:
        throw UserError(fmt::format("'{}' is a profile of TileScope already: reports and the "
                                    "window open it as it is",
                                    file.string()));
    case FileForm::PoplarProfile:
        throw UserError(fmt::format("'{}' may be a profile of Poplar, whose form is closed. {}",
                                    file.string(), howToCapture));
    case FileForm::OldReport:
        throw UserError(fmt::format("'{}' is JSON or CBOR: reports of Poplar's SDK up to 2.1 are "
                                    "not read. {}",
                                    file.string(), howToCapture));
    case FileForm::HostTrace:
        return importHostTraces({&file, 1}, options, progress, stop);
    case FileForm::Job:
        throw UserError(fmt::format("'{}' is a job, not a profile: 'tilescope run {}' makes one",
                                    file.string(), file.filename().string()));
    case FileForm::IpuStack: {
        const bool isCycles = ipuStackPartOf(file) == IpuStackPart::Cycles;
        if (const std::optional<std::filesystem::path> other = ipuStackPartner(file))
            return importIpuStack(isCycles ? file : *other, isCycles ? *other : file, options,
                                  progress, stop);
        throw UserError(fmt::format(
            "'{}' has only the {} of a program of ipu-stack: 'tilescope import CYCLES MEMORY' "
            "makes a profile of the files that IPU_PROFILE_OUTPUT and IPU_MEMORY_PROFILE_OUTPUT "
            "name there; if both are alone in a folder, either opens it",
            file.string(), isCycles ? "cycles" : "memory"));
    }
    case FileForm::Other:
        break;
    }
    throw UserError(
        fmt::format("'{}' is neither a profile nor a capture. {}", file.string(), howToCapture));
}

} // namespace tilescope
