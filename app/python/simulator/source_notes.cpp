#include "app/python/simulator/source_notes.h"

#include <algorithm>

#include "core/base/error.h"
#include "simulator/frontend/onnx_types/source_stacks.h"

namespace tilescope::python {

void addNotes(SourceCode& source, const SourceNotes& notes) {
    sim::SourceStacks stacks(std::move(source));
    std::vector<SourceAnchor> anchors;
    for (const auto& [name, stack] : notes.anchors) {
        const auto kind = fromName<SourceAnchorKind>(name);
        if (!kind)
            throw InternalError("there is no anchor '" + name + "' of source lines");
        std::vector<sim::StackLine> lines;
        for (const auto& [path, line, function] : stack)
            lines.push_back({path, line, function});
        if (const SourceFrameId frame = stacks.add(lines); frame.valid())
            anchors.push_back({*kind, frame});
    }
    source = stacks.take();
    source.anchors.insert(source.anchors.end(), anchors.begin(), anchors.end());
    for (SourceFile& file : source.files) {
        const bool excluded = std::any_of(
            notes.libraries.begin(), notes.libraries.end(), [&file](const std::string& part) {
                return !part.empty() && file.path.find(part) != file.path.npos;
            });
        if (excluded)
            file.origin = SourceOrigin::Library;
        if (const auto text = notes.texts.find(file.path);
            text != notes.texts.end() && file.origin != SourceOrigin::Library)
            file.text = text->second;
    }
}

} // namespace tilescope::python
