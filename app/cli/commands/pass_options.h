// What maintainers ask of the passes that prepare a graph: options of `run` that its help leaves
// out.
#pragma once

#include <ostream>
#include <string>
#include <vector>

#include "simulator/prepare/prepare.h"

namespace CLI {
class App;
} // namespace CLI

namespace tilescope::cli {

/// What is asked of the passes.
struct PassOptions {
    bool timing = false;          ///< --pass-timing
    std::vector<std::string> off; ///< --pass-off
    std::string dump;             ///< --pass-dump; empty: no folder

    [[nodiscard]] bool areGiven() const { return timing || !off.empty() || !dump.empty(); }
};

/// Adds --pass-timing, --pass-off PASS and --pass-dump DIR.
void addPassOptions(CLI::App& command, PassOptions& options);

/// Passes that do what was asked: a line on `err` after each, with its time and the operations that
/// it leaves, and the graph as text in a file of the folder. Both references outlive it. Throws
/// UserError for a folder that cannot be written.
sim::PassControl passControl(const PassOptions& options, std::ostream& err);

} // namespace tilescope::cli
