// The program's lines that exporters record with nodes: torch.onnx writes the Python stack into a
// node's documentation.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "core/profile/source_code.h"

namespace tilescope::sim {

/// A line of a stack as text.
struct StackLine {
    std::string_view path;
    std::int32_t line = 0;
    std::string_view function;
};

/// The lines of a stack, innermost first: "model.py(72): forward" or 'File "model.py", line 72, in
/// forward', one a line of text. Everything else is ignored; at most `deepestStack` are returned,
/// the innermost ones.
std::vector<StackLine> stackLines(std::string_view document);
inline constexpr std::size_t deepestStack = 256; ///< frames

/// Whose code a file is, by its path: Python's own and installed packages are libraries.
SourceOrigin originOf(std::string_view path);

/// Collects stacks as a tree of frames.
class SourceStacks {
public:
    SourceStacks() = default;
    /// Continues a tree.
    explicit SourceStacks(SourceCode source);
    /// The innermost frame of the stack in a node's documentation; none if there is no stack.
    SourceFrameId add(std::string_view document);
    /// Lines from the innermost out.
    SourceFrameId add(const std::vector<StackLine>& lines);
    [[nodiscard]] SourceCode take() { return std::move(source_); }

private:
    SourceFileId fileOf(std::string_view path);

    SourceCode source_;
    std::map<std::string, SourceFileId, std::less<>> files_;
    std::map<std::tuple<SourceFrameId, SourceFileId, std::int32_t, std::string>, SourceFrameId>
        frames_;
};

} // namespace tilescope::sim
