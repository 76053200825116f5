// Job files: a model and its options as a JSON object.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <string_view>

namespace tilescope {

struct Job {
    /// Path of an .onnx file or a Keras .json, a zoo name, or the path of the job itself where it
    /// lists operations.
    std::string model;
    std::map<std::string, std::string> options; ///< key to value, for setRunOptions()
};

/// Reads {"model": ..., <option keys of the table>}. A file that is itself a Keras model is a job
/// without options. A relative path of a model is relative to the directory of the job file; an
/// object is an operation list, which the simulator reads from the job file. Throws UserError:
/// unreadable, not valid JSON (with line and column), an unknown key (with the nearest), no model,
/// a value of the wrong kind.
Job readJob(const std::filesystem::path& file);

/// The same from text; relative models are relative to `directory`.
Job parseJob(std::string_view text, const std::string& origin,
             const std::filesystem::path& directory);

/// A JSON schema of job files, made from the option table.
std::string jobSchema();

} // namespace tilescope
