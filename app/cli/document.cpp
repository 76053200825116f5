#include "app/cli/document.h"

#include <algorithm>
#include <boost/json.hpp>
#include <cmath>
#include <fmt/format.h>
#include <ostream>

namespace tilescope::cli {
namespace json = boost::json;
namespace {

/// Columns on a screen: bytes that start a UTF-8 character.
std::size_t widthOf(const std::string& text) {
    return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) {
        return (static_cast<unsigned char>(c) & 0xC0) != 0x80;
    }));
}

json::value toJson(const Cell& value) {
    struct Convert {
        json::value operator()(std::monostate) const { return nullptr; }
        json::value operator()(bool v) const { return v; }
        json::value operator()(std::int64_t v) const { return v; }
        json::value operator()(double v) const { return v; }
        json::value operator()(const std::string& v) const { return json::string(v); }
        json::value operator()(const Change& v) const { return v.difference(); }
        json::value operator()(const Duration& v) const { return v.cycles; }
    };
    return std::visit(Convert(), value);
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

void writeText(std::ostream& out, const Table& whole) {
    const Table table = shownIn(Shown::Text, whole);
    if (!table.title.empty())
        out << printable(table.title, Lines::Keep) << '\n';
    if (table.rows.empty()) {
        out << printable(table.emptyText) << '\n';
        return;
    }
    std::vector<std::vector<std::string>> cells(1);
    for (const Column& column : table.columns)
        cells[0].push_back(printable(column.title));
    for (const Row& row : table.rows) {
        auto& line = cells.emplace_back();
        for (std::size_t i = 0; i < table.columns.size(); ++i) {
            const Column& column = table.columns[i];
            line.push_back(
                printable(textOf(row.cells[i], unitOf(row, column), {}, column.difference)));
        }
    }
    constexpr std::size_t mostPadded = 400; // columns; a longer cell does not widen all others
    std::vector<std::size_t> widths(table.columns.size(), 0);
    for (const auto& line : cells)
        for (std::size_t i = 0; i < line.size(); ++i)
            if (const std::size_t width = widthOf(line[i]); width <= mostPadded)
                widths[i] = std::max(widths[i], width);
    const std::vector<bool> right = numberColumns(table);
    for (const auto& line : cells) {
        std::string text;
        for (std::size_t i = 0; i < line.size(); ++i) {
            const std::string pad(widths[i] - std::min(widths[i], widthOf(line[i])), ' ');
            text += (i == 0 ? "" : "  ") + (right[i] ? pad + line[i] : line[i] + pad);
        }
        out << text.substr(0, text.find_last_not_of(' ') + 1) << '\n';
    }
}

void writeJson(std::ostream& out, const json::value& value) {
    std::string text;
    writeIndented(text, value, 0);
    out << text << '\n';
}

json::value toJson(const Table& whole) {
    const Table table = shownIn(Shown::Data, whole);
    json::array rows;
    for (const Row& row : table.rows) {
        json::object object;
        for (std::size_t i = 0; i < table.columns.size(); ++i)
            object[table.columns[i].key] = toJson(row.cells[i]);
        rows.push_back(std::move(object));
    }
    return rows;
}

json::value toJson(const Document& document) {
    json::object object;
    for (const Field& field : document.fields)
        if (isShown(field.shown, Shown::Data))
            object[field.key] = toJson(field.value);
    for (const Table& table : document.tables)
        object[table.key] = toJson(table);
    for (const NumberList& list : document.lists) {
        json::value& group = object[list.group];
        if (!group.is_object())
            group.emplace_object();
        group.as_object()[list.key] = json::array(list.values.begin(), list.values.end());
    }
    return object;
}

void write(std::ostream& out, const Table& table, Format format) {
    if (format == Format::Json)
        writeJson(out, toJson(table));
    else if (format == Format::Csv)
        writeCsv(out, table);
    else
        writeText(out, table);
}

void write(std::ostream& out, const Document& document, Format format) {
    if (format == Format::Json) {
        writeJson(out, toJson(document));
        return;
    }
    if (format == Format::Csv && !document.tables.empty())
        writeCsv(out, document.tables.front());
    if (format == Format::Csv)
        return;
    std::size_t labels = 0;
    for (const Field& field : document.fields)
        if (isShown(field.shown, Shown::Text))
            labels = std::max(labels, widthOf(field.label));
    for (const Field& field : document.fields)
        if (isShown(field.shown, Shown::Text))
            out << printable(field.label) << std::string(labels - widthOf(field.label) + 2, ' ')
                << printable(textOf(field.value, field.unit)) << '\n';
    bool first = document.fields.empty();
    for (const Table& table : document.tables) {
        if (!first)
            out << '\n';
        first = false;
        writeText(out, table);
    }
}

} // namespace tilescope::cli
