// Runs what the ledger's rows name, each distinct command once.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "ledger.h"

namespace tilescope::fidelity {

/// A row's run is a list of commands with " | " between them: those that begin with "run" are
/// `tilescope run`, and make a profile each; a last one that does not reads these profiles
/// (`report insights`, `diff`, `query "SELECT ..."`, "try"), or is a comparison of this folder with
/// published tables (`published operations`, `published layers`). Without one it is `info`.
class LedgerRuns {
public:
    /// `source`: the checkout, which commands run in; `shared`: where published tables are, if they
    /// are; `scratch`: for profiles.
    LedgerRuns(std::filesystem::path source, std::filesystem::path shared,
               std::filesystem::path scratch);

    /// The row's figure, as the ledger has it; none where it needs a table that is not there.
    /// Throws UserError for a command that fails and a figure that it does not print.
    std::optional<std::string> figure(const LedgerRow& row);

private:
    std::string output(const std::string& run, const std::string& format);
    std::string profile(const std::string& run);
    std::string print(std::vector<std::string> arguments);
    [[nodiscard]] std::string publishedText(const std::string& which) const;

    std::filesystem::path source_, shared_, scratch_;
    std::map<std::string, std::string> profiles_; ///< by command
    std::map<std::string, std::string> outputs_;  ///< by commands and format
};

} // namespace tilescope::fidelity
