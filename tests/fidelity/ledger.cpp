#include "ledger.h"

#include <QRegularExpression>
#include <QString>
#include <array>
#include <cmath>
#include <fmt/format.h>
#include <fstream>
#include <sstream>

#include "core/base/atomic_file.h"
#include "core/base/error.h"

namespace tilescope::fidelity {
namespace {

struct Column {
    const char* name;
    std::string LedgerRow::*field;
};
constexpr std::array columns{
    Column{"id", &LedgerRow::id},
    Column{"source", &LedgerRow::source},
    Column{"run", &LedgerRow::run},
    Column{"figure", &LedgerRow::figure},
    Column{"unit", &LedgerRow::unit},
    Column{"digits", &LedgerRow::digits},
    Column{"published", &LedgerRow::published},
    Column{"ours", &LedgerRow::ours},
    Column{"tolerance", &LedgerRow::tolerance},
    Column{"place", &LedgerRow::place},
    Column{"text", &LedgerRow::text},
};

std::vector<std::string> cellsOf(const std::string& line) {
    std::vector<std::string> cells(1);
    bool quoted = false;
    for (std::size_t i = 0; i < line.size(); ++i) {
        if (quoted && line[i] == '"' && i + 1 < line.size() && line[i + 1] == '"')
            cells.back() += line[i++];
        else if (line[i] == '"')
            quoted = !quoted;
        else if (line[i] == ',' && !quoted)
            cells.emplace_back();
        else
            cells.back() += line[i];
    }
    return cells;
}

std::string cell(const std::string& text) {
    if (text.find_first_of(",\"") == std::string::npos)
        return text;
    std::string quoted = "\"";
    for (const char c : text)
        quoted += c == '"' ? "\"\"" : std::string(1, c);
    return quoted + '"';
}

double number(const std::string& text) {
    return QString::fromStdString(text).remove(',').toDouble();
}

bool isNumber(const std::string& text) {
    bool good = false;
    QString::fromStdString(text).remove(',').toDouble(&good);
    return good;
}

/// The text as a pattern: a document may break its lines anywhere.
QRegularExpression patternOf(const std::string& text) {
    const QStringList words = QString::fromStdString(text).split(' ');
    QStringList escaped;
    for (const QString& word : words)
        escaped.append(QRegularExpression::escape(word));
    return QRegularExpression(escaped.join("\\s+"));
}

QRegularExpressionMatch matchOfFigure(const LedgerRow& row, const std::string& document) {
    return QRegularExpression(QString::fromStdString(row.figure))
        .match(QString::fromStdString(document));
}

/// A figure by itself: no part of a longer number.
QRegularExpression figurePattern(const std::string& figure) {
    return QRegularExpression("(?<![\\d.,])" +
                              QRegularExpression::escape(QString::fromStdString(figure)) +
                              "(?![\\d]|[.,]\\d)");
}

} // namespace

std::vector<LedgerRow> readLedger(const std::filesystem::path& file) {
    std::ifstream in(file);
    std::string line;
    std::getline(in, line);
    std::vector<LedgerRow> rows;
    while (std::getline(in, line)) {
        const std::vector<std::string> cells = cellsOf(line);
        if (cells.size() != columns.size())
            throw UserError(fmt::format("{}: {} cells in '{}'", file.string(), cells.size(), line));
        LedgerRow& row = rows.emplace_back();
        for (std::size_t i = 0; i < columns.size(); ++i)
            row.*columns[i].field = cells[i];
    }
    if (rows.empty())
        throw UserError(fmt::format("{}: there are no rows", file.string()));
    return rows;
}

void writeLedger(const std::filesystem::path& file, const std::vector<LedgerRow>& rows) {
    std::ostringstream out;
    for (const Column& column : columns)
        out << (&column == columns.data() ? "" : ",") << column.name;
    for (const LedgerRow& row : rows) {
        out << '\n';
        for (const Column& column : columns)
            out << (&column == columns.data() ? "" : ",") << cell(row.*column.field);
    }
    out << '\n';
    writeFileAtomically(file.string(), out.str());
}

std::string disagreement(const LedgerRow& row) {
    if (row.published.empty() || row.tolerance == "-" || row.ours == row.published)
        return "";
    if (!isNumber(row.ours) || !isNumber(row.published))
        return fmt::format("{}: {} is published, {} computed", row.id, row.published, row.ours);
    const double difference = std::abs(number(row.ours) / number(row.published) - 1);
    return difference <= number(row.tolerance)
               ? ""
               : fmt::format("{}: {} is published, {} computed: {:.3f} apart, {} allowed", row.id,
                             row.published, row.ours, difference, row.tolerance);
}

std::string misquotation(const LedgerRow& row, const std::string& document) {
    if (row.place.empty())
        return "";
    if (row.text.empty())
        return matchOfFigure(row, document).captured(1).toStdString() == row.ours
                   ? ""
                   : fmt::format("{}: {} is not in {}", row.id, row.ours, row.place);
    if (!QString::fromStdString(row.text).contains(figurePattern(row.ours)))
        return fmt::format("{}: {} is computed, but the text is '{}'", row.id, row.ours, row.text);
    return QString::fromStdString(document).contains(patternOf(row.text))
               ? ""
               : fmt::format("{}: '{}' is not in {}", row.id, row.text, row.place);
}

void requote(LedgerRow& row, const std::string& ours, std::string& document) {
    QString text = QString::fromStdString(document);
    const QString after = QString::fromStdString(ours);
    if (row.text.empty()) {
        const QRegularExpressionMatch figure = matchOfFigure(row, document);
        document =
            text.replace(figure.capturedStart(1), figure.capturedLength(1), after).toStdString();
        return;
    }
    const QRegularExpressionMatch found = patternOf(row.text).match(text);
    if (found.hasMatch()) {
        QString passage = found.captured();
        passage.replace(figurePattern(row.ours), after);
        text.replace(found.capturedStart(), found.capturedLength(), passage);
        document = text.toStdString();
    }
    row.text =
        QString::fromStdString(row.text).replace(figurePattern(row.ours), after).toStdString();
}

} // namespace tilescope::fidelity
