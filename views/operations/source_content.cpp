#include "views/operations/source_content.h"

#include <QStringList>
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <map>

#include "core/analysis/compare/source_files.h"
#include "core/analysis/compare/source_lines.h"
#include "core/base/saturating.h"

namespace tilescope::views {
namespace {

constexpr int longestLine = 4096; ///< characters; more are cut
constexpr int tabWidth = 4;

bool hides(QChar c) {
    return c.category() == QChar::Other_Control || c.category() == QChar::Other_Format ||
           c.category() == QChar::Separator_Line || c.category() == QChar::Separator_Paragraph;
}

/// Costs of the lines of one profile's files.
using LineCosts = std::map<std::int32_t, CodeLine>;
using FileCosts = std::map<SourceFileId, LineCosts>;

constexpr std::size_t passes = 3;

/// What is counted: of the run, or of one execution.
struct Counted {
    CodeMetric metric = CodeMetric::Cycles;
    bool executed = false;
};

/// Operations that are counted in a double, which a file may have of any size.
std::int64_t rounded(double flops) {
    constexpr double most = 9.2e18; // that 64 bits hold
    return flops > 0 ? std::llround(std::min(flops, most)) : 0;
}

std::int64_t costOf(const CostRow& row, const Counted& counted) {
    switch (counted.metric) {
    case CodeMetric::Cycles:
        return counted.executed ? row.measuredCycles : row.cyclesOnce();
    case CodeMetric::Flops:
        return rounded(counted.executed ? row.flops : row.flopsOnce);
    case CodeMetric::Exchanged:
        return counted.executed ? row.bytesExchanged : row.bytesOnce;
    case CodeMetric::Code:
        return row.memory.code();
    case CodeMetric::AlwaysLive:
        break;
    }
    return row.memory.alwaysLive;
}

void addCost(CodeLine& line, const CostRow& row, std::int32_t at, const Counted& counted) {
    const std::int64_t cost = costOf(row, counted);
    if (line.row < 0 || cost > line.cost)
        line.row = at;
    line.cost = saturatingSum(line.cost, cost);
    if (counted.metric != CodeMetric::Cycles)
        line.figures[0] = saturatingSum(line.figures[0], cost);
    else
        for (std::size_t pass = 0; pass < passes; ++pass)
            line.figures[pass] = saturatingSum(line.figures[pass], row.measuredByPass[pass]);
}

/// Returns the cost without a line.
std::int64_t addRows(FileCosts& costs, const SourceNames& names, const std::vector<CostRow>& rows,
                     const Counted& counted, std::size_t figures) {
    std::int64_t noLine = 0;
    for (std::size_t i = 0; i < rows.size(); ++i) {
        if (!rows[i].source.valid()) {
            noLine = saturatingSum(noLine, costOf(rows[i], counted));
            continue;
        }
        const SourceFrame& at = names.code().frames[rows[i].source];
        CodeLine& line = costs[at.file][at.line];
        line.number = at.line;
        line.figures.resize(figures);
        addCost(line, rows[i], static_cast<std::int32_t>(i), counted);
    }
    return noLine;
}

/// Adds waits to the lines that cause them; returns the cycles that found a line.
std::int64_t addWaits(FileCosts& costs, const SourceNames& names,
                      const std::vector<CausedWait>& waits, std::size_t figures) {
    std::int64_t placed = 0;
    for (const CausedWait& wait : waits) {
        const SourceFrameId frame =
            wait.anchor ? names.frameOf(*wait.anchor) : names.frameOf(wait.node);
        if (!frame.valid())
            continue;
        const SourceFrame& at = names.code().frames[frame];
        CodeLine& line = costs[at.file][at.line];
        line.number = at.line;
        line.figures.resize(figures);
        line.figures.back() = saturatingSum(line.figures.back(), wait.cycles);
        line.cost = saturatingSum(line.cost, wait.cycles);
        placed = saturatingSum(placed, wait.cycles);
    }
    return placed;
}

/// Cycles of lines with what they call; lines without operations of their own are there too.
void addCalled(FileCosts& costs, const SourceNames& names, const std::vector<CalledCycles>& called,
               std::size_t figures) {
    for (const CalledCycles& of : called) {
        const SourceFrame& at = names.code().frames[of.frame];
        CodeLine& line = costs[at.file][at.line];
        line.number = at.line;
        line.figures.resize(figures);
        line.figures[passes] = saturatingSum(line.figures[passes],
                                             of.cycles); // its column follows those of the passes
    }
}

void sortByCost(std::vector<CodeFile>& files) {
    std::stable_sort(files.begin(), files.end(),
                     [](const CodeFile& a, const CodeFile& b) { return a.cost > b.cost; });
}

QStringList textsOf(const SourceFile& file) {
    return file.text.empty() ? QStringList()
                             : QString::fromStdString(file.text).split(QLatin1Char('\n'));
}

CodeFile fileOf(const SourceNames& names, SourceFileId id, LineCosts lines) {
    CodeFile file;
    file.name = QString::fromStdString(names.shortPath(id));
    file.path = QString::fromStdString(names.code().files[id].path);
    const QStringList texts = textsOf(names.code().files[id]);
    file.recorded = !texts.isEmpty();
    std::int32_t number = 0;
    for (const QString& text : texts) {
        const auto cost = lines.extract(++number);
        CodeLine line = cost ? cost.mapped() : CodeLine{};
        line.number = number;
        line.text = plainCode(text);
        file.lines.push_back(std::move(line));
    }
    for (auto& [left, line] : lines) // without a text, or changed since it was read
        file.lines.push_back(line);
    for (const CodeLine& line : file.lines)
        file.cost = saturatingSum(file.cost, line.cost);
    return file;
}

SourceFileState stateOf(const IdVector<SourceFileId, SourceFileState>& states, SourceFileId file) {
    return file.valid() && file.index() < states.size() ? states[file]
                                                        : SourceFileState::NotRecorded;
}

CodeFiles filesOfOne(const OperationsReport& report, CodeMetric metric) {
    CodeFiles all;
    const SourceNames& names = *report.names;
    const Counted counted{metric, report.source.totals.run >= 0};
    for (const CostRow& row : report.source.rows)
        all.total = saturatingSum(all.total, costOf(row, counted));
    std::vector<CodeColumn> columns{CodeColumn::Amount};
    const bool waits = metric == CodeMetric::Cycles && !report.waits.empty();
    if (metric == CodeMetric::Cycles)
        columns = {CodeColumn::Forward, CodeColumn::Backward, CodeColumn::Update};
    const bool called = metric == CodeMetric::Cycles && !report.called.empty();
    if (called)
        columns.push_back(CodeColumn::Called);
    if (waits)
        columns.push_back(CodeColumn::Waits);
    FileCosts costs;
    all.noLine = addRows(costs, names, report.source.rows, counted, columns.size());
    if (called)
        addCalled(costs, names, report.called, columns.size());
    if (waits)
        all.noLine -= addWaits(costs, names, report.waits, columns.size());
    for (auto& [id, lines] : costs) {
        all.files.push_back(fileOf(names, id, std::move(lines)));
        all.files.back().onDisk = stateOf(report.states, id);
        all.files.back().columns = columns;
        all.files.back().metric = metric;
    }
    sortByCost(all.files);
    return all;
}

constexpr std::size_t sourceColumn = 0;
constexpr std::size_t targetColumn = 1;
constexpr std::size_t changeColumn = 2;

/// Both versions of a file. The costs of a line that was moved or edited are at its place in the
/// target.
class ComparedFile {
public:
    ComparedFile(const SourceNames& source, SourceFileId inSource, LineCosts sourceCosts,
                 const SourceNames& target, SourceFileId inTarget, LineCosts targetCosts)
        : sourceCosts_(std::move(sourceCosts))
        , targetCosts_(std::move(targetCosts)) {
        file_.columns = {CodeColumn::Source, CodeColumn::Target, CodeColumn::Change};
        file_.name = QString::fromStdString(inSource.valid() ? source.shortPath(inSource)
                                                             : target.shortPath(inTarget));
        static const SourceFile none;
        const SourceFile& before = inSource.valid() ? source.code().files[inSource] : none;
        const SourceFile& after = inTarget.valid() ? target.code().files[inTarget] : none;
        file_.path = QString::fromStdString(inTarget.valid() ? after.path : before.path);
        // By number where only one version has a text: it stands for both.
        const bool both = inSource.valid() && inTarget.valid();
        const SourceFile& shownBefore = both && before.text.empty() ? after : before;
        const SourceFile& shownAfter = both && after.text.empty() ? before : after;
        sourceTexts_ = textsOf(shownBefore);
        targetTexts_ = textsOf(shownAfter);
        file_.recorded = !sourceTexts_.isEmpty() || !targetTexts_.isEmpty();
        for (const ComparedLine& line : compareLines(shownBefore.text, shownAfter.text))
            add(line);
        addLeft();
    }
    CodeFile take() { return std::move(file_); }

private:
    void add(const ComparedLine& at) {
        CodeLine line;
        line.number = at.source;
        line.targetNumber = at.target;
        line.moved = at.moved;
        line.edited = at.edited;
        line.text =
            plainCode(at.target > 0 ? targetTexts_[at.target - 1] : sourceTexts_[at.source - 1]);
        const std::int32_t other = std::max(at.moved, at.edited);
        addFigures(line,
                   taken(sourceCosts_, other == 0      ? at.source
                                       : at.target > 0 ? other
                                                       : 0),
                   taken(targetCosts_, at.target));
        file_.lines.push_back(std::move(line));
    }

    /// Of a line with a number; a damaged file may have costs at others, which are left.
    static LineCosts::node_type taken(LineCosts& costs, std::int32_t number) {
        return number > 0 ? costs.extract(number) : LineCosts::node_type();
    }

    void addFigures(CodeLine& line, const LineCosts::node_type& inSource,
                    const LineCosts::node_type& inTarget) {
        line.figures.assign(file_.columns.size(), 0);
        if (inSource) {
            line.figures[sourceColumn] = inSource.mapped().cost;
            line.row = inSource.mapped().row;
        }
        if (inTarget)
            line.figures[targetColumn] = inTarget.mapped().cost;
        line.figures[changeColumn] = line.figures[targetColumn] - line.figures[sourceColumn];
        line.cost = std::max(line.figures[sourceColumn], line.figures[targetColumn]);
        file_.cost = saturatingSum(file_.cost, std::abs(line.figures[changeColumn]));
    }

    /// Lines with costs that no recorded text has: of both where neither is recorded.
    void addLeft() {
        while (!sourceCosts_.empty() || !targetCosts_.empty()) {
            CodeLine line;
            const std::int32_t number =
                sourceCosts_.empty() ? targetCosts_.begin()->first
                : targetCosts_.empty()
                    ? sourceCosts_.begin()->first
                    : std::min(sourceCosts_.begin()->first, targetCosts_.begin()->first);
            line.number = sourceCosts_.contains(number) ? number : 0;
            line.targetNumber = targetCosts_.contains(number) ? number : 0;
            addFigures(line, sourceCosts_.extract(number), targetCosts_.extract(number));
            file_.lines.push_back(std::move(line));
        }
    }

    LineCosts sourceCosts_, targetCosts_;
    QStringList sourceTexts_, targetTexts_;
    CodeFile file_;
};

CodeFiles filesOfTwo(const OperationsReport& report, CodeMetric metric) {
    CodeFiles all;
    const SourceNames& source = *report.names;
    const SourceNames& target = *report.targetNames;
    const Counted counted{metric, report.executed};
    for (const CostRow& row : report.source.rows)
        all.total = saturatingSum(all.total, costOf(row, counted));
    for (const CostRow& row : report.target.rows)
        all.targetTotal = saturatingSum(all.targetTotal, costOf(row, counted));
    FileCosts before;
    FileCosts after;
    all.noLine = addRows(before, source, report.source.rows, counted, passes);
    addRows(after, target, report.target.rows, counted, passes);
    const SourceFilePairs pairs = pairedFiles(source, target);
    for (auto& [id, costs] : before) {
        const SourceFileId other = pairs.ofSource[id];
        LineCosts others;
        if (const auto found = after.extract(other))
            others = std::move(found.mapped());
        all.files.push_back(
            ComparedFile(source, id, std::move(costs), target, other, std::move(others)).take());
        all.files.back().onDisk = stateOf(report.targetStates, other);
    }
    for (auto& [id, costs] : after) {
        all.files.push_back(
            ComparedFile(source, pairs.ofTarget[id], {}, target, id, std::move(costs)).take());
        all.files.back().onDisk = stateOf(report.targetStates, id);
    }
    for (CodeFile& file : all.files)
        file.metric = metric;
    sortByCost(all.files);
    return all;
}

} // namespace

QString plainCode(const QString& text) {
    QString shown;
    for (const QChar c : text.left(longestLine))
        if (c == QLatin1Char('\t'))
            shown += QString(tabWidth - shown.size() % tabWidth, QLatin1Char(' '));
        else if (hides(c))
            shown += QStringLiteral("<U+%1>").arg(c.unicode(), 4, 16, QLatin1Char('0')).toUpper();
        else
            shown += c;
    if (text.size() > longestLine)
        shown += QChar(0x2026);
    return shown;
}

CodeFiles codeFiles(const OperationsReport& report, CodeMetric metric) {
    if (!report.names)
        return {};
    return report.targetNames ? filesOfTwo(report, metric) : filesOfOne(report, metric);
}

} // namespace tilescope::views
