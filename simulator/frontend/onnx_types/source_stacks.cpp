#include "simulator/frontend/onnx_types/source_stacks.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>

namespace tilescope::sim {

namespace {

// Longer ones are no names that people gave.
constexpr std::size_t longestPath = 4096;
constexpr std::size_t longestFunction = 512;

std::optional<std::int32_t> lineNumber(std::string_view text) {
    std::int32_t line = 0;
    const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), line);
    if (error != std::errc() || rest != text.data() + text.size() || line < 1)
        return std::nullopt;
    return line;
}

/// "model.py(72): forward". A path may have parentheses and colons, too.
std::optional<StackLine> tracedLine(std::string_view text) {
    constexpr std::string_view end = "): ";
    const std::size_t close = text.rfind(end);
    if (close == text.npos)
        return std::nullopt;
    const std::size_t open = text.rfind('(', close);
    if (open == text.npos || open == 0)
        return std::nullopt;
    const auto line = lineNumber(text.substr(open + 1, close - open - 1));
    if (!line)
        return std::nullopt;
    return StackLine{text.substr(0, open), *line, text.substr(close + end.size())};
}

/// 'File "model.py", line 72, in forward'; the function may be missing.
std::optional<StackLine> scriptedLine(std::string_view text) {
    constexpr std::string_view begin = "File \"";
    constexpr std::string_view middle = "\", line ";
    text.remove_prefix(std::min(text.find_first_not_of(' '), text.size()));
    const std::size_t at = text.rfind(middle);
    if (!text.starts_with(begin) || at == text.npos || at < begin.size())
        return std::nullopt;
    std::string_view number = text.substr(at + middle.size());
    std::string_view function;
    constexpr std::string_view in = ", in ";
    if (const std::size_t comma = number.find(in); comma != number.npos) {
        function = number.substr(comma + in.size());
        number = number.substr(0, comma);
    }
    const auto line = lineNumber(number);
    if (!line)
        return std::nullopt;
    return StackLine{text.substr(begin.size(), at - begin.size()), *line, function};
}

} // namespace

std::vector<StackLine> stackLines(std::string_view document) {
    std::vector<StackLine> lines;
    while (!document.empty() && lines.size() < deepestStack) {
        const std::size_t end = std::min(document.find('\n'), document.size());
        const std::string_view text = document.substr(0, end);
        document.remove_prefix(std::min(end + 1, document.size()));
        std::optional<StackLine> line = tracedLine(text);
        if (!line)
            line = scriptedLine(text);
        if (!line || line->path.empty() || line->path.size() > longestPath)
            continue;
        line->function = line->function.substr(0, longestFunction);
        lines.push_back(*line);
    }
    return lines;
}

SourceOrigin originOf(std::string_view path) {
    static constexpr auto libraries =
        std::to_array<std::string_view>({"/site-packages/", "/dist-packages/", "/lib/python3"});
    if (path.starts_with("<frozen ") ||
        std::any_of(libraries.begin(), libraries.end(),
                    [path](std::string_view part) { return path.find(part) != path.npos; }))
        return SourceOrigin::Library;
    if (path.starts_with('<') || path.find("/ipykernel_") != path.npos)
        return SourceOrigin::Notebook;
    return SourceOrigin::Mine;
}

SourceStacks::SourceStacks(SourceCode source)
    : source_(std::move(source)) {
    for (std::size_t i = 0; i < source_.files.size(); ++i)
        files_.emplace(source_.files[SourceFileId(i)].path, SourceFileId(i));
    for (std::size_t i = 0; i < source_.frames.size(); ++i) {
        const SourceFrame& frame = source_.frames[SourceFrameId(i)];
        frames_.try_emplace({frame.parent, frame.file, frame.line, frame.function},
                            SourceFrameId(i));
    }
}

SourceFrameId SourceStacks::add(std::string_view document) {
    return add(stackLines(document));
}

SourceFrameId SourceStacks::add(const std::vector<StackLine>& lines) {
    SourceFrameId frame;
    for (std::size_t i = lines.size(); i-- > 0;) {
        const StackLine& line = lines[i];
        const SourceFileId file = fileOf(line.path);
        const auto [known, isNew] =
            frames_.try_emplace({frame, file, line.line, std::string(line.function)});
        if (isNew)
            known->second =
                source_.frames.add({frame, file, line.line, std::string(line.function)});
        frame = known->second;
    }
    return frame;
}

SourceFileId SourceStacks::fileOf(std::string_view path) {
    if (const auto known = files_.find(path); known != files_.end())
        return known->second;
    const SourceFileId file = source_.files.add({std::string(path), originOf(path), {}});
    files_.emplace(std::string(path), file);
    return file;
}

} // namespace tilescope::sim
