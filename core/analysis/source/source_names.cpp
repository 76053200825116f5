#include "core/analysis/source/source_names.h"

#include <algorithm>
#include <fmt/format.h>

#include "core/base/printable.h"

namespace tilescope {

namespace {

constexpr std::size_t longestText = 400; ///< bytes of a line that is shown; more is cut

std::vector<std::size_t> lineBegins(const std::string& text) {
    std::vector<std::size_t> begins;
    for (std::size_t at = 0; at < text.size(); at = std::min(text.find('\n', at), text.size()) + 1)
        begins.push_back(at);
    return begins;
}

std::string trimmed(std::string_view text) {
    constexpr std::string_view blanks = " \t\r";
    const std::size_t begin = text.find_first_not_of(blanks);
    if (begin == text.npos)
        return {};
    return std::string(text.substr(begin, text.find_last_not_of(blanks) - begin + 1));
}

} // namespace

std::string sharedFolder(const SourceCode& source) {
    const std::string* first = nullptr;
    std::size_t length = 0;
    for (const SourceFile& file : source.files) {
        if (file.origin != SourceOrigin::Mine)
            continue;
        if (first == nullptr) {
            first = &file.path;
            length = file.path.rfind('/') == file.path.npos ? 0 : file.path.rfind('/') + 1;
            continue;
        }
        const std::size_t same = static_cast<std::size_t>(
            std::mismatch(first->begin(), first->begin() + static_cast<std::ptrdiff_t>(length),
                          file.path.begin(), file.path.end())
                .first -
            first->begin());
        const std::size_t slash = first->substr(0, same).rfind('/');
        length = slash == first->npos ? 0 : slash + 1;
    }
    return first == nullptr ? std::string() : first->substr(0, length);
}

SourceNames::SourceNames(const ProfileView& profile, SourceReach reach, const std::stop_token& stop)
    : source_(profile.source(stop))
    , graph_(profile.modelGraph(stop))
    , reach_(reach) {
    optimizer_ = frameOf(SourceAnchorKind::Optimizer);
    const std::size_t shared = sharedFolder(*source_).size();
    for (const SourceFile& file : source_->files) {
        shortPaths_.add(file.origin == SourceOrigin::Mine ? file.path.substr(shared) : file.path);
        lines_.add(lineBegins(file.text));
    }
}

bool SourceNames::counts(SourceFrameId frame) const {
    return reach_ == SourceReach::Libraries ||
           source_->files[source_->frames[frame].file].origin != SourceOrigin::Library;
}

SourceFrameId SourceNames::frameOf(SourceAnchorKind kind) const {
    const auto& anchors = source_->anchors;
    const auto last = std::find_if(anchors.rbegin(), anchors.rend(),
                                   [kind](const SourceAnchor& each) { return each.kind == kind; });
    return last == anchors.rend() ? SourceFrameId() : innermostOf(last->frame);
}

SourceFrameId SourceNames::innermostOf(SourceFrameId own) const {
    for (SourceFrameId frame = own; frame.valid(); frame = source_->frames[frame].parent)
        if (counts(frame))
            return frame;
    return own;
}

SourceFrameId SourceNames::frameOf(ModelNodeId node) const {
    if (!node.valid() || node.index() >= graph_->nodes.size())
        return {};
    const ModelNode& of = graph_->nodes[node];
    return of.source.link == SourceLink::Update && optimizer_.valid()
               ? optimizer_
               : innermostOf(of.source.frame);
}

SourceFrameId SourceNames::frameOf(OperationId operation) const {
    const auto& nodes = graph_->nodes;
    const auto first = std::find_if(nodes.begin(), nodes.end(), [operation](const ModelNode& node) {
        return node.operation == operation;
    });
    return frameOf(first == nodes.end()
                       ? ModelNodeId()
                       : ModelNodeId(static_cast<std::size_t>(first - nodes.begin())));
}

std::vector<SourceFrameId> SourceNames::stackOf(SourceFrameId frame) const {
    std::vector<SourceFrameId> stack;
    for (SourceFrameId at = frame; at.valid(); at = source_->frames[at].parent)
        if (at == frame || counts(at))
            stack.push_back(at);
    std::reverse(stack.begin(), stack.end());
    return stack;
}

std::string SourceNames::name(SourceFrameId frame, SourceGrain grain) const {
    if (!frame.valid())
        return {};
    const SourceFrame& at = source_->frames[frame];
    switch (grain) {
    case SourceGrain::Line:
        return fmt::format("{}:{}", shortPath(at.file), at.line);
    case SourceGrain::Statement: {
        const LineSpan span = statement(frame);
        const std::string first = fmt::format("{}:{}", shortPath(at.file), span.first);
        return span.first == span.last ? first : fmt::format("{}-{}", first, span.last);
    }
    case SourceGrain::Function:
        return fmt::format("{}:{}", shortPath(at.file), at.function);
    case SourceGrain::File:
        return shortPath(at.file);
    case SourceGrain::Stack:
        break;
    }
    std::string names;
    for (const SourceFrameId one : stackOf(frame))
        names += (names.empty() ? "" : ";") + name(one, SourceGrain::Line);
    return names;
}

const std::string& SourceNames::shortPath(SourceFileId file) const {
    return shortPaths_[file];
}

SourceCode withoutTexts(SourceCode source) {
    const std::size_t shared = sharedFolder(source).size();
    for (SourceFile& file : source.files) {
        file.text.clear();
        if (file.origin == SourceOrigin::Mine)
            file.path.erase(0, shared);
    }
    return source;
}

LineSpan SourceNames::statement(SourceFrameId frame) const {
    const SourceFrame& at = source_->frames[frame];
    const auto all = lazy_->statements.get([this] {
        IdVector<SourceFileId, std::vector<LineSpan>> statements;
        for (const SourceFile& file : source_->files)
            statements.add(statementsOf(file.text));
        return statements;
    });
    const std::vector<LineSpan>& spans = (*all)[at.file];
    const auto line = static_cast<std::size_t>(at.line);
    return at.line < 1 || line > spans.size() ? LineSpan{at.line, at.line} : spans[line - 1];
}

std::string SourceNames::textOfLine(SourceFileId file, std::int32_t number) const {
    const std::vector<std::size_t>& begins = lines_[file];
    const auto line = static_cast<std::size_t>(number);
    if (number < 1 || line > begins.size())
        return {};
    const std::string& text = source_->files[file].text;
    const std::size_t begin = begins[line - 1];
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    return trimmed(firstBytes(std::string_view(text).substr(begin, end - begin), longestText));
}

std::string SourceNames::text(SourceFrameId frame, SourceGrain grain) const {
    if (!frame.valid())
        return {};
    const SourceFrame& at = source_->frames[frame];
    const LineSpan span =
        grain == SourceGrain::Statement ? statement(frame) : LineSpan{at.line, at.line};
    std::string text;
    for (std::int32_t line = span.first; line <= span.last && text.size() < longestText; ++line) {
        const std::string part = textOfLine(at.file, line);
        text += (text.empty() || part.empty() ? "" : " ") + part;
    }
    return std::string(firstBytes(text, longestText));
}

} // namespace tilescope
