// Cache of compiled programs in files, so that a later run of the same model need not compile.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "core/options/run_options.h"
#include "core/profile/profile.h"
#include "simulator/import_model.h"

namespace tilescope::sim {

/// A program that was compiled earlier.
struct CompiledProgram {
    Profile profile;    ///< without the results of running it
    double seconds = 0; ///< time that compiling took
};

/// The file of one model with one set of options in a directory: a profile without an execution,
/// named by a digest of everything that it depends on, which is also stored in it: the contents of
/// the model's file, of the values beside it, of small constants in its other files and of declared
/// operations, all options (also those that only matter while it runs) and this build of the
/// program; but not weights in other files, since programs do not depend on their values.
/// Several processes may use one directory: a file appears there as a whole or not at all, and two
/// that compile the same write the same.
class ExecutableCache {
public:
    /// Makes the directory. Throws UserError if it, or the model, cannot be used.
    ExecutableCache(const ModelSource& source, const RunOptions& options);
    /// The same where the result of contentOf() for the source is already known.
    ExecutableCache(const std::string& content, const RunOptions& options);

    /// A text that identifies a model and the values beside it; reads all of their files.
    [[nodiscard]] static std::string contentOf(const ModelSource& source);
    /// Throws OptionError if the directory does not exist and cannot be made.
    static void makeDirectory(const std::string& directory);

    /// None if there is no file, or it was made from something else or is damaged.
    [[nodiscard]] std::optional<CompiledProgram> find() const;
    /// Keeps a program whose phases have been timed. Throws UserError if it cannot be written.
    void keep(Profile profile) const;

private:
    std::string key_;
    std::filesystem::path file_;
};

} // namespace tilescope::sim
