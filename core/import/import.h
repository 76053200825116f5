// Profiles of other tools as profiles of ours.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/file_stamp.h"
#include "core/profile/profile.h"

namespace tilescope {

/// What a file is by its content, whatever its name.
enum class FileForm : std::uint8_t {
    Profile,       ///< of TileScope
    Capture,       ///< by tilescope_capture.py
    PoplarProfile, ///< Poplar's own profile.pop, whose form is closed
    OldReport,     ///< JSON or CBOR of Poplar up to SDK 2.1
    HostTrace,     ///< trace events of a program on the host (trace_events.h)
    Job,           ///< a job or a Keras model, which can be run
    IpuStack,      ///< cycles of ipu-stack, or its memory; both make a profile (ipu_stack.h)
    Other,
};
/// Throws UserError if it cannot be read.
FileForm formOf(const std::filesystem::path& file);

/// Throws UserError for a file that by its name is a trace of the host in a form that is not read.
void refuseClosedTrace(const std::filesystem::path& file);

/// Throws UserError if a file is not as it was when it was stamped: what was read of it may be of
/// two files.
void checkUnchanged(const std::filesystem::path& file, const FileStamp& stamp);

struct ImportOptions {
    std::string target; ///< a preset; empty: the one that the file's machine is closest to
};

/// Told what is read, with the fraction that is done, 0 to 1.
using ImportProgress = std::function<void(double done, std::string_view what)>;

struct Imported {
    Profile profile;
    std::int64_t executedSteps = 0;
    std::int64_t flatSteps = 0;    ///< of them without a place in the program tree
    std::vector<std::string> host; ///< what a trace of the host had and lost, in words
    /// What could have been captured, but was not: sections that failed, names that pva lacks.
    std::vector<std::string> missing;
};

/// A capture as a profile. Throws UserError for a file that is none or is damaged, naming the
/// table, the key and the remedy, and Cancelled after a stop.
Imported importCapture(const std::filesystem::path& file, const ImportOptions& options,
                       const ImportProgress& progress = {}, const std::stop_token& stop = {});

/// The same for any form that can be imported. For others UserError says how to get one that can.
Imported importFile(const std::filesystem::path& file, const ImportOptions& options,
                    const ImportProgress& progress = {}, const std::stop_token& stop = {});

} // namespace tilescope
