// How the command line prints a report: as text, JSON or CSV from one definition.
#pragma once

#include <iosfwd>

#include "core/base/printable.h"
#include "core/table/table.h"

namespace boost::json {
class value;
}

namespace tilescope::cli {

enum class Format { Text, Json, Csv };

/// Text: fields, then tables with aligned columns (numbers to the right). JSON: an object of the
/// fields, and an array of objects for each table. CSV: the first table.
void write(std::ostream& out, const Document& document, Format format);
/// A single table; in JSON an array of objects.
void write(std::ostream& out, const Table& table, Format format);
void writeText(std::ostream& out, const Table& table);

/// Indented JSON text, numbers in their shortest form, with a line feed at the end.
void writeJson(std::ostream& out, const boost::json::value& value);
boost::json::value toJson(const Table& table);
boost::json::value toJson(const Document& document);

} // namespace tilescope::cli
