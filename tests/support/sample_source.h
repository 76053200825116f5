// The hand-made profile with lines of a program.
#pragma once

#include <cstdint>
#include <string>

#include "tests/support/sample_profile.h"

namespace tilescope::test {

/// The sample with lines: each operation at one of `lines` lines of the first file.
inline Profile sampleWithLines(const std::string& code, int lines,
                               const SampleOptions& options = {}) {
    Profile profile = sampleProfile(options);
    const SourceFileId mine = profile.source.files.add({"/home/me/net.py", {}, code});
    const SourceFileId other = profile.source.files.add({"/home/me/loss.py", {}, {}});
    std::int32_t line = 0;
    for (ModelNode& node : profile.modelGraph.nodes) {
        const SourceFileId file = node.name == "prob" ? other : mine;
        node.source.frame = profile.source.frames.add({{}, file, 1 + line++ % lines, "forward"});
    }
    return profile;
}

} // namespace tilescope::test
