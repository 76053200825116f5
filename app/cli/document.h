// What a command prints: named values and tables, written as text, JSON or CSV from one definition.
#pragma once

#include <cstdint>
#include <iosfwd>
#include <string>
#include <variant>
#include <vector>

namespace boost::json {
class value;
}

namespace tilescope::cli {

/// A value of a field or cell; monostate is "none" (JSON null, an empty cell).
using Value = std::variant<std::monostate, bool, std::int64_t, double, std::string>;

/// How text shows a value; JSON and CSV always have the plain number.
enum class Unit {
    None,
    Bytes,
    Cycles,
    Seconds,
    Share,
    Flops,
    Rate,
    BytesChange, ///< with a sign in front, and so the other changes
    CyclesChange,
    ShareChange
};

/// "1.50 MiB", "34,655", "26.1 us", "12.3 %", "1.23 GFLOP", "45,426".
std::string displayText(const Value& value, Unit unit);

/// Where a column stands; a tree's indented names are for people, its paths for programs.
enum class Shown { Everywhere, Text, Data };

struct Column {
    std::string key;     ///< in JSON and CSV: "maxTileBytes"
    std::string heading; ///< in text: "Largest"
    Unit unit = Unit::None;
    Shown shown = Shown::Everywhere;
    bool right = false; ///< stands to the right although it is text, which has numbers in it
};

struct Table {
    std::string key;   ///< in JSON
    std::string title; ///< above the table in text; may be empty
    std::vector<Column> columns;
    std::vector<std::vector<Value>> rows;
    std::string emptyText = "none"; ///< instead of a table without rows
};

struct Field {
    std::string key;
    std::string label;
    Value value;
    Unit unit = Unit::None;
};

struct Document {
    std::vector<Field> fields;
    std::vector<Table> tables;
};

enum class Format { Text, Json, Csv };

/// Text: fields, then tables with aligned columns (numbers to the right). JSON: an object of the
/// fields, and an array of objects for each table. CSV: the first table (RFC 4180).
void write(std::ostream& out, const Document& document, Format format);
void writeText(std::ostream& out, const Table& table);
void writeCsv(std::ostream& out, const Table& table);

/// Indented JSON text, numbers in their shortest form, with a line feed at the end.
void writeJson(std::ostream& out, const boost::json::value& value);
boost::json::value toJson(const Table& table);
boost::json::value toJson(const Document& document);

} // namespace tilescope::cli
