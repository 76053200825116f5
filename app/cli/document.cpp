#include "app/cli/document.h"

#include <algorithm>
#include <boost/json.hpp>
#include <cmath>
#include <fmt/format.h>
#include <ostream>

#include "core/base/units.h"

namespace tilescope::cli {
namespace json = boost::json;
namespace {

/// Columns on a screen: bytes that start a UTF-8 character.
std::size_t widthOf(const std::string& text) {
    return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) {
        return (static_cast<unsigned char>(c) & 0xC0) != 0x80;
    }));
}

/// Names come from models: a line break or an escape sequence must not reach the terminal.
std::string printable(std::string text) {
    for (char& c : text)
        if (static_cast<unsigned char>(c) < 0x20 || c == 0x7F)
            c = ' ';
    return text;
}

std::string integerText(std::int64_t value, Unit unit) {
    switch (unit) {
    case Unit::Bytes:
        return formatBytes(value);
    case Unit::Cycles:
        return withThousands(value);
    case Unit::BytesChange:
        return (value > 0 ? "+" : "") + formatBytes(value);
    case Unit::CyclesChange:
        return (value > 0 ? "+" : "") + withThousands(value);
    default:
        return std::to_string(value);
    }
}

std::string numberText(double value, Unit unit) {
    switch (unit) {
    case Unit::Seconds:
        return formatSeconds(value);
    case Unit::Share:
        return formatPercent(value, 1);
    case Unit::ShareChange:
        return (value > 0 ? "+" : "") + formatPercent(value, 1);
    case Unit::Flops:
        return formatFlops(value);
    case Unit::Rate:
        return formatRate(value);
    default:
        return fmt::format("{:.4g}", value);
    }
}

struct ToText {
    Unit unit;
    std::string operator()(std::monostate) const { return "-"; }
    std::string operator()(bool value) const { return value ? "yes" : "no"; }
    std::string operator()(std::int64_t value) const { return integerText(value, unit); }
    std::string operator()(double value) const { return numberText(value, unit); }
    std::string operator()(const std::string& value) const { return printable(value); }
};

json::value toJson(const Value& value) {
    struct Convert {
        json::value operator()(std::monostate) const { return nullptr; }
        json::value operator()(bool v) const { return v; }
        json::value operator()(std::int64_t v) const { return v; }
        json::value operator()(double v) const { return v; }
        json::value operator()(const std::string& v) const { return json::string(v); }
    };
    return std::visit(Convert(), value);
}

std::string csvText(const Value& value) {
    struct Convert {
        std::string operator()(std::monostate) const { return ""; }
        std::string operator()(bool v) const { return v ? "true" : "false"; }
        std::string operator()(std::int64_t v) const { return std::to_string(v); }
        std::string operator()(double v) const { return fmt::format("{}", v); }
        std::string operator()(const std::string& v) const {
            if (v.find_first_of(",\"\r\n") == std::string::npos)
                return v;
            std::string quoted = "\"";
            for (const char c : v)
                quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
            return quoted + '"';
        }
    };
    return std::visit(Convert(), value);
}

bool isNumber(const Value& value) {
    return std::holds_alternative<std::int64_t>(value) || std::holds_alternative<double>(value);
}

/// Numbers stand to the right; a column of text does not, even if some cells are empty.
bool standsRight(const Table& table, std::size_t column) {
    return table.columns[column].right ||
           std::any_of(table.rows.begin(), table.rows.end(),
                       [&](const auto& row) { return isNumber(row[column]); });
}

/// The table without the columns that `hidden` leaves out.
Table without(Table table, Shown hidden) {
    for (std::size_t i = table.columns.size(); i-- > 0;) {
        if (table.columns[i].shown != hidden)
            continue;
        const auto at = static_cast<std::ptrdiff_t>(i);
        table.columns.erase(table.columns.begin() + at);
        for (auto& row : table.rows)
            row.erase(row.begin() + at);
    }
    return table;
}

template <class Container, class WriteItem>
void writeItems(std::string& out, const Container& items, char open, char close, std::size_t depth,
                WriteItem&& writeItem) {
    out += open;
    const std::string margin((depth + 1) * 2, ' ');
    bool first = true;
    for (const auto& item : items) {
        out += first ? "\n" : ",\n";
        out += margin;
        writeItem(item);
        first = false;
    }
    if (!first)
        out += "\n" + margin.substr(2);
    out += close;
}

void writeIndented(std::string& out, const json::value& value, std::size_t depth) {
    if (const json::object* object = value.if_object()) {
        writeItems(out, *object, '{', '}', depth, [&](const json::key_value_pair& item) {
            out += json::serialize(json::value(item.key())) + ": ";
            writeIndented(out, item.value(), depth + 1);
        });
    } else if (const json::array* array = value.if_array()) {
        writeItems(out, *array, '[', ']', depth,
                   [&](const json::value& item) { writeIndented(out, item, depth + 1); });
    } else if (const double* number = value.if_double()) {
        out += std::isfinite(*number) ? fmt::format("{}", *number) : std::string("null");
    } else {
        out += json::serialize(value);
    }
}

} // namespace

std::string displayText(const Value& value, Unit unit) {
    return std::visit(ToText{unit}, value);
}

void writeText(std::ostream& out, const Table& whole) {
    const Table table = without(whole, Shown::Data);
    if (!table.title.empty())
        out << table.title << '\n';
    if (table.rows.empty()) {
        out << table.emptyText << '\n';
        return;
    }
    std::vector<std::vector<std::string>> cells(1);
    for (const Column& column : table.columns)
        cells[0].push_back(column.heading);
    for (const auto& row : table.rows) {
        auto& line = cells.emplace_back();
        for (std::size_t i = 0; i < table.columns.size(); ++i)
            line.push_back(displayText(row[i], table.columns[i].unit));
    }
    std::vector<std::size_t> widths(table.columns.size(), 0);
    for (const auto& line : cells)
        for (std::size_t i = 0; i < line.size(); ++i)
            widths[i] = std::max(widths[i], widthOf(line[i]));
    std::vector<bool> right;
    for (std::size_t i = 0; i < table.columns.size(); ++i)
        right.push_back(standsRight(table, i));
    for (const auto& line : cells) {
        std::string text;
        for (std::size_t i = 0; i < line.size(); ++i) {
            const std::string pad(widths[i] - widthOf(line[i]), ' ');
            text += (i == 0 ? "" : "  ") + (right[i] ? pad + line[i] : line[i] + pad);
        }
        out << text.substr(0, text.find_last_not_of(' ') + 1) << '\n';
    }
}

void writeCsv(std::ostream& out, const Table& whole) {
    const Table table = without(whole, Shown::Text);
    for (std::size_t i = 0; i < table.columns.size(); ++i)
        out << (i == 0 ? "" : ",") << csvText(table.columns[i].key);
    out << '\n';
    for (const auto& row : table.rows) {
        for (std::size_t i = 0; i < row.size(); ++i)
            out << (i == 0 ? "" : ",") << csvText(row[i]);
        out << '\n';
    }
}

void writeJson(std::ostream& out, const json::value& value) {
    std::string text;
    writeIndented(text, value, 0);
    out << text << '\n';
}

json::value toJson(const Table& whole) {
    const Table table = without(whole, Shown::Text);
    json::array rows;
    for (const auto& row : table.rows) {
        json::object object;
        for (std::size_t i = 0; i < table.columns.size(); ++i)
            object[table.columns[i].key] = toJson(row[i]);
        rows.push_back(std::move(object));
    }
    return rows;
}

json::value toJson(const Document& document) {
    json::object object;
    for (const Field& field : document.fields)
        object[field.key] = toJson(field.value);
    for (const Table& table : document.tables)
        object[table.key] = toJson(table);
    return object;
}

void write(std::ostream& out, const Document& document, Format format) {
    if (format == Format::Json) {
        writeJson(out, toJson(document));
        return;
    }
    if (format == Format::Csv) {
        if (!document.tables.empty())
            writeCsv(out, document.tables.front());
        return;
    }
    std::size_t labels = 0;
    for (const Field& field : document.fields)
        labels = std::max(labels, widthOf(field.label));
    for (const Field& field : document.fields)
        out << field.label << std::string(labels - widthOf(field.label) + 2, ' ')
            << displayText(field.value, field.unit) << '\n';
    bool first = document.fields.empty();
    for (const Table& table : document.tables) {
        if (!first)
            out << '\n';
        first = false;
        writeText(out, table);
    }
}

} // namespace tilescope::cli
