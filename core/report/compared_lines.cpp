#include "core/report/compared_lines.h"

#include <algorithm>
#include <cstdlib>
#include <map>

#include "core/analysis/accounting/cost_rows.h"
#include "core/analysis/compare/source_lines.h"
#include "core/base/saturating.h"

namespace tilescope {
namespace {

struct Line {
    std::string file;
    std::int32_t source = 0; ///< number; 0 where the version lacks it
    std::int32_t target = 0;
    std::string state;
    std::int64_t before = 0;
    std::int64_t after = 0;
    std::string textBefore;
    std::string textAfter;
    [[nodiscard]] std::int64_t change() const { return after - before; }
};

using LineCosts = std::map<std::int32_t, std::int64_t>;

/// One profile's cycles by line.
class Version {
public:
    Version(const ProfileView& profile, bool executed, const std::stop_token& stop)
        : names_(profile, SourceReach::Mine, stop) {
        for (const CostRow& row :
             costRows(profile, *accountingOf(profile, stop), CostLayer::Line, 1, stop)) {
            const std::int64_t cycles = executed ? row.measuredCycles : row.cyclesOnce();
            std::int64_t* sum = &noLine_;
            if (row.source.valid()) {
                const SourceFrame& at = names_.code().frames[row.source];
                sum = &costs_[at.file][at.line];
            }
            *sum = saturatingSum(*sum, cycles);
        }
    }
    [[nodiscard]] const SourceNames& names() const { return names_; }
    [[nodiscard]] const std::map<SourceFileId, LineCosts>& costs() const { return costs_; }
    [[nodiscard]] std::int64_t noLine() const { return noLine_; }
    /// Those of a file; none for no file.
    [[nodiscard]] LineCosts costsOf(SourceFileId file) const {
        const auto found = costs_.find(file);
        return found == costs_.end() ? LineCosts() : found->second;
    }
    [[nodiscard]] const std::string& textOf(SourceFileId file) const {
        static const std::string none;
        return file.valid() ? names_.code().files[file].text : none;
    }

private:
    SourceNames names_;
    std::map<SourceFileId, LineCosts> costs_;
    std::int64_t noLine_ = 0;
};

std::vector<std::string> linesOf(const std::string& text) {
    constexpr std::size_t longest = 400; // bytes; more is cut
    std::vector<std::string> lines;
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t end = std::min(text.find('\n', at), text.size());
        const std::size_t begin = std::min(text.find_first_not_of(" \t", at), end);
        lines.push_back(text.substr(begin, std::min(longest, end - begin)));
        at = end + 1;
    }
    return lines;
}

std::int64_t taken(LineCosts& costs, std::int32_t line) {
    const auto found = costs.extract(line);
    return found ? found.mapped() : 0;
}

/// Both versions of a file.
class ComparedFile {
public:
    ComparedFile(const Version& source, SourceFileId inSource, const Version& target,
                 SourceFileId inTarget)
        : name_(inSource.valid() ? source.names().shortPath(inSource)
                                 : target.names().shortPath(inTarget))
        , before_(source.costsOf(inSource))
        , after_(target.costsOf(inTarget))
        , linesBefore_(linesOf(source.textOf(inSource)))
        , linesAfter_(linesOf(target.textOf(inTarget))) {
        for (const ComparedLine& line :
             compareLines(source.textOf(inSource), target.textOf(inTarget)))
            add(line);
        addLeft();
    }
    std::vector<Line> take() { return std::move(lines_); }

private:
    /// Lines that were moved or edited are at their place in the target.
    void add(const ComparedLine& at) {
        const std::int32_t other = std::max(at.moved, at.edited);
        if (other > 0 && at.target == 0)
            return;
        const std::int32_t source = other > 0 ? other : at.source;
        add(source, at.target,
            at.moved > 0     ? "moved"
            : at.edited > 0  ? "edited"
            : source == 0    ? "added"
            : at.target == 0 ? "removed"
                             : "same");
    }

    void add(std::int32_t source, std::int32_t target, const char* state) {
        Line line{name_, source, target, state, taken(before_, source), taken(after_, target),
                  {},    {}};
        const auto textAt = [](const std::vector<std::string>& lines, std::int32_t number) {
            const auto index = static_cast<std::size_t>(number);
            return number > 0 && index <= lines.size() ? lines[index - 1] : std::string();
        };
        line.textBefore = textAt(linesBefore_, source);
        line.textAfter = textAt(linesAfter_, target);
        if (line.before != 0 || line.after != 0)
            lines_.push_back(std::move(line));
    }

    /// Lines that no recorded text has.
    void addLeft() {
        while (!before_.empty() || !after_.empty()) {
            const std::int32_t number =
                after_.empty() ||
                        (!before_.empty() && before_.begin()->first < after_.begin()->first)
                    ? before_.begin()->first
                    : after_.begin()->first;
            add(before_.contains(number) ? number : 0, after_.contains(number) ? number : 0,
                "notRecorded");
            // Of no cycles.
            before_.erase(number);
            after_.erase(number);
        }
    }

    std::string name_;
    LineCosts before_, after_;
    std::vector<std::string> linesBefore_, linesAfter_;
    std::vector<Line> lines_;
};

std::vector<Line> compared(const Version& source, const Version& target) {
    std::vector<Line> lines;
    std::vector<bool> seen(target.names().code().files.size());
    const auto add = [&](SourceFileId inSource, SourceFileId inTarget) {
        for (Line& line : ComparedFile(source, inSource, target, inTarget).take())
            lines.push_back(std::move(line));
    };
    for (const auto& [file, costs] : source.costs()) {
        SourceFileId other = target.names().fileLike(source.names().shortPath(file));
        if (other.valid() && seen[other.index()])
            other = {}; // two files of the source have its name: the first is it
        if (other.valid())
            seen[other.index()] = true;
        add(file, other);
    }
    for (const auto& [file, costs] : target.costs())
        if (!seen[file.index()])
            add({}, file);
    if (source.noLine() != 0 || target.noLine() != 0)
        lines.push_back({{}, 0, 0, {}, source.noLine(), target.noLine(), {}, {}});
    return lines;
}

Cell lineOrNone(std::int32_t number) {
    return number > 0 ? Cell(std::int64_t{number}) : Cell();
}

} // namespace

Table comparedLinesTable(const ProfilePair& pair, const std::stop_token& stop) {
    Table table{"lines",
                "Lines of the source",
                {{"file", "File"},
                 {"sourceLine", "Source"},
                 {"targetLine", "Target"},
                 {"state", "State"},
                 {"cyclesSource", "Cycles: source", Unit::Cycles},
                 {"cyclesTarget", "target", Unit::Cycles},
                 differenceOf({"cyclesDifference", "difference", Unit::Cycles}),
                 in(Shown::Data, {"sourceText", "Text in the source"}),
                 {"text", "Text"}}};
    table.emptyText = "no source lines are recorded";
    if (pair.source->source(stop)->frames.empty() && pair.target->source(stop)->frames.empty())
        return table;
    const bool executed = pair.source->info().hasExecution && pair.target->info().hasExecution;
    std::vector<Line> lines =
        compared(Version(*pair.source, executed, stop), Version(*pair.target, executed, stop));
    std::stable_sort(lines.begin(), lines.end(), [](const Line& a, const Line& b) {
        return std::abs(a.change()) > std::abs(b.change());
    });
    for (const Line& line : lines)
        table.add({line.file.empty() ? Cell(std::string("(no line)")) : Cell(line.file),
                   lineOrNone(line.source), lineOrNone(line.target), textOrNone(line.state),
                   line.before, line.after, Change(line.before, line.after),
                   textOrNone(line.textBefore),
                   textOrNone(line.textAfter.empty() ? line.textBefore : line.textAfter)});
    return table;
}

} // namespace tilescope
