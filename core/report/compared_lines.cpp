#include "core/report/compared_lines.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "core/analysis/accounting/cost_rows.h"
#include "core/analysis/compare/comparison.h"
#include "core/analysis/compare/source_files.h"
#include "core/analysis/compare/source_lines.h"
#include "core/base/printable.h"
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
    [[nodiscard]] std::int64_t change() const { return saturatingDifference(after, before); }
    [[nodiscard]] bool isChanged() const {
        return change() != 0 || state == "added" || state == "removed" || state == "moved" ||
               state == "edited";
    }
};

using LineCosts = std::map<std::int32_t, std::int64_t>;

/// One profile's cycles by line.
class Version {
public:
    /// Cycles are divided by `samples`.
    Version(const ProfileView& profile, bool executed, double samples, const std::stop_token& stop)
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
        divide(noLine_, samples);
        for (auto& [file, lines] : costs_)
            for (auto& [line, cycles] : lines)
                divide(cycles, samples);
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
    static void divide(std::int64_t& cycles, double samples) {
        if (samples != 1) // as a double has not all digits
            cycles = std::llround(static_cast<double>(cycles) / samples);
    }

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
        lines.emplace_back(firstBytes(std::string_view(text).substr(begin, end - begin), longest));
        at = end + 1;
    }
    return lines;
}

/// A damaged file may have costs at any number.
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
        , linesAfter_(linesOf(target.textOf(inTarget)))
        , byNumber_(inSource.valid() && inTarget.valid() &&
                    linesBefore_.empty() != linesAfter_.empty()) {
        if (!byNumber_)
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
        // None has number 0, at which a damaged file may have costs.
        add({name_, source, at.target,
             at.moved > 0     ? "moved"
             : at.edited > 0  ? "edited"
             : source == 0    ? "added"
             : at.target == 0 ? "removed"
                              : "same",
             source > 0 ? taken(before_, source) : 0, at.target > 0 ? taken(after_, at.target) : 0,
             textAt(linesBefore_, source), textAt(linesAfter_, at.target)});
    }

    void add(Line line) {
        if (line.before != 0 || line.after != 0)
            lines_.push_back(std::move(line));
    }

    static std::string textAt(const std::vector<std::string>& lines, std::int32_t number) {
        const auto index = static_cast<std::size_t>(number);
        return number > 0 && index <= lines.size() ? lines[index - 1] : std::string();
    }

    /// Lines that no recorded text has, or only that of one version.
    void addLeft() {
        while (!before_.empty() || !after_.empty()) {
            const std::int32_t number =
                after_.empty() ||
                        (!before_.empty() && before_.begin()->first < after_.begin()->first)
                    ? before_.begin()->first
                    : after_.begin()->first;
            const std::int32_t source = byNumber_ || before_.contains(number) ? number : 0;
            const std::int32_t target = byNumber_ || after_.contains(number) ? number : 0;
            add({name_, source, target, "notRecorded", taken(before_, number),
                 taken(after_, number), byNumber_ ? textAt(linesBefore_, number) : std::string(),
                 byNumber_ ? textAt(linesAfter_, number) : std::string()});
        }
    }

    std::string name_;
    LineCosts before_, after_;
    std::vector<std::string> linesBefore_, linesAfter_;
    bool byNumber_; ///< only one version has a text, which is taken for both
    std::vector<Line> lines_;
};

std::vector<Line> compared(const Version& source, const Version& target) {
    std::vector<Line> lines;
    const SourceFilePairs pairs = pairedFiles(source.names(), target.names());
    const auto add = [&](SourceFileId inSource, SourceFileId inTarget) {
        for (Line& line : ComparedFile(source, inSource, target, inTarget).take())
            lines.push_back(std::move(line));
    };
    for (const auto& [file, costs] : source.costs())
        add(file, pairs.ofSource[file]);
    for (const auto& [file, costs] : target.costs())
        if (const SourceFileId other = pairs.ofTarget[file]; !source.costs().contains(other))
            add(other, file);
    lines.push_back({{}, 0, 0, {}, source.noLine(), target.noLine(), {}, {}});
    std::erase_if(lines, [](const Line& line) { return !line.isChanged(); });
    return lines;
}

/// Of the lowest number too.
std::uint64_t sizeOf(std::int64_t change) {
    const auto bits = static_cast<std::uint64_t>(change);
    return change < 0 ? 0 - bits : bits;
}

Cell lineOrNone(std::int32_t number) {
    return number > 0 ? Cell(std::int64_t{number}) : Cell();
}

} // namespace

Table comparedLinesTable(const ProfilePair& pair, WaterfallBasis basis,
                         const std::stop_token& stop) {
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
    const SampleDivisors samples =
        divisorsOn(basis, samplesOfRun(pair.source->info()), samplesOfRun(pair.target->info()));
    if (samples.perSample)
        table.title += ", cycles of a sample";
    std::vector<Line> lines = compared(Version(*pair.source, executed, samples.source, stop),
                                       Version(*pair.target, executed, samples.target, stop));
    std::stable_sort(lines.begin(), lines.end(), [](const Line& a, const Line& b) {
        return sizeOf(a.change()) > sizeOf(b.change());
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
