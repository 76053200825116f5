#include "views/operations/source_content.h"

#include <QStringList>
#include <algorithm>
#include <map>

namespace tilescope::views {
namespace {

constexpr int longestLine = 4096; ///< characters; more are cut
constexpr int tabWidth = 4;

bool hides(QChar c) {
    return c.category() == QChar::Other_Control || c.category() == QChar::Other_Format ||
           c.category() == QChar::Separator_Line || c.category() == QChar::Separator_Paragraph;
}

void addCost(CodeLine& line, const CostRow& row, std::int32_t at, std::int64_t cycles) {
    const bool isFirst = line.row < 0;
    if (isFirst || cycles > line.cycles)
        line.row = at;
    line.cycles += cycles;
    for (std::size_t pass = 0; pass < line.byPass.size(); ++pass)
        line.byPass[pass] += row.measuredByPass[pass];
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

std::vector<CodeFile> codeFiles(const SourceNames& names, const std::vector<CostRow>& rows,
                                bool executed) {
    std::map<SourceFileId, std::map<std::int32_t, CodeLine>> costly;
    for (std::size_t i = 0; i < rows.size(); ++i) {
        if (!rows[i].source.valid())
            continue;
        const SourceFrame& at = names.code().frames[rows[i].source];
        CodeLine& line = costly[at.file][at.line];
        line.number = at.line;
        addCost(line, rows[i], static_cast<std::int32_t>(i),
                executed ? rows[i].measuredCycles : rows[i].cyclesOnce());
    }
    std::vector<CodeFile> files;
    for (auto& [id, lines] : costly) {
        const SourceFile& source = names.code().files[id];
        CodeFile& file = files.emplace_back();
        file.name = QString::fromStdString(names.shortPath(id));
        file.recorded = !source.text.empty();
        std::int32_t number = 0;
        const QStringList texts = file.recorded
                                      ? QString::fromStdString(source.text).split(QLatin1Char('\n'))
                                      : QStringList();
        for (const QString& text : texts) {
            const auto cost = lines.extract(++number);
            CodeLine line = cost ? cost.mapped() : CodeLine{number, {}, 0, {}, -1};
            line.text = plainCode(text);
            file.lines.push_back(std::move(line));
        }
        for (auto& [left, line] : lines) // without a text, or changed since it was read
            file.lines.push_back(line);
        for (const CodeLine& line : file.lines)
            file.cycles += line.cycles;
    }
    std::stable_sort(files.begin(), files.end(),
                     [](const CodeFile& a, const CodeFile& b) { return a.cycles > b.cycles; });
    return files;
}

} // namespace tilescope::views
