// Reports as Python values, and SQL.
#include "app/python/core/profile.h"
#include "core/report/report.h"
#include "core/report/report_query.h"

namespace tilescope::python {

py::object valueOf(const Cell& cell) {
    return std::visit(
        [](const auto& value) -> py::object {
            using T = std::decay_t<decltype(value)>;
            if constexpr (std::is_same_v<T, std::monostate>)
                return py::none();
            else if constexpr (std::is_same_v<T, Change>)
                return py::make_tuple(value.source, value.target);
            else if constexpr (std::is_same_v<T, Duration>)
                return py::int_(value.cycles);
            else
                return py::cast(value);
        },
        cell);
}

namespace {

py::dict columnOf(const Column& column) {
    py::dict d;
    d["key"] = column.key;
    d["title"] = column.title;
    d["unit"] = std::string(toString(column.unit));
    d["help"] = column.help;
    return d;
}

py::dict tableOf(const Table& shown) {
    py::dict d;
    d["key"] = shown.key;
    d["title"] = shown.title;
    py::list columns;
    for (const Column& column : shown.columns)
        columns.append(columnOf(column));
    d["columns"] = columns;
    py::list rows;
    for (const Row& row : shown.rows) {
        py::list cells;
        for (const Cell& cell : row.cells)
            cells.append(valueOf(cell));
        rows.append(py::tuple(cells));
    }
    d["rows"] = rows;
    return d;
}

py::dict documentOf(const Document& document) {
    py::dict fields, units, tables, lists;
    for (const Field& field : document.fields)
        if (isShown(field.shown, Shown::Data)) {
            fields[py::str(field.key)] = valueOf(field.value);
            units[py::str(field.key)] = std::string(toString(field.unit));
        }
    for (const Table& table : document.tables)
        tables[py::str(table.key)] = tableOf(shownIn(Shown::Data, table));
    for (const NumberList& list : document.lists)
        lists[py::str(list.key)] = list.values;
    py::dict d;
    d["fields"] = fields;
    d["units"] = units;
    d["tables"] = tables;
    d["lists"] = lists;
    return d;
}

const Report& reportOf(const std::string& id) {
    std::string known;
    for (const Report& report : allReports()) {
        if (report.id == id)
            return report;
        known += (known.empty() ? "" : ", ") + report.id;
    }
    throw UserError("there is no report '" + id + "'. Reports are: " + known + ".");
}

using Number = std::optional<std::int32_t>;

py::dict report(const ProfileHandle& profile, const std::string& id, Number tile, Number ipu,
                Number step, Number run, const std::string& by, const std::string& filter) {
    const Report& which = reportOf(id);
    const auto refuse = [&](ReportOption option, bool given, const char* name) {
        if (given && !which.listensTo(option))
            throw UserError("report '" + id + "' takes no '" + name + "'.");
    };
    refuse(ReportOption::Tile, tile.has_value(), "tile");
    refuse(ReportOption::Ipu, ipu.has_value(), "ipu");
    refuse(ReportOption::Step, step.has_value(), "step");
    refuse(ReportOption::Run, run.has_value(), "run");
    refuse(ReportOption::By, !by.empty(), "by");
    refuse(ReportOption::Filter, !filter.empty(), "filter");
    // A negative number would be an invalid id, which selects all of them.
    for (const auto& [number, name] : {std::pair{tile, "tile"}, std::pair{ipu, "ipu"},
                                       std::pair{step, "step"}, std::pair{run, "run"}})
        if (number.value_or(0) < 0)
            throw UserError("there is no " + std::string(name) + " " + std::to_string(*number) +
                            ": they are counted from 0.");
    ReportRequest request;
    if (tile)
        request.selection = TileSelection::ofTile(TileId(*tile));
    else if (ipu)
        request.selection = TileSelection::ofIpu(IpuId(*ipu));
    if (step)
        request.step = StepId(*step);
    request.run = run;
    request.breakdown = by;
    if (!filter.empty())
        request.filter = Pattern(filter);
    return documentOf(
        profile.load([&](const ProfileView& view) { return makeReport(which, view, request); }));
}

py::object valueOf(const SqlValue& value) {
    return std::visit(
        [](const auto& v) -> py::object {
            using T = std::decay_t<decltype(v)>;
            if constexpr (std::is_same_v<T, std::monostate>)
                return py::none();
            else if constexpr (std::is_same_v<T, BlobSize>)
                return py::str(plainText(SqlValue(v)));
            else
                return py::cast(v);
        },
        value);
}

py::tuple query(const ProfileHandle& profile, const std::string& sql) {
    const SqlResult result = profile.load([&](const ProfileView& view) {
        ProfileReader reader = view.reader();
        return queryReports(reader, sql);
    });
    py::list rows;
    for (const std::vector<SqlValue>& row : result.rows) {
        py::list cells;
        for (const SqlValue& value : row)
            cells.append(valueOf(value));
        rows.append(py::tuple(cells));
    }
    return py::make_tuple(result.columns, rows);
}

Cell cellOf(const py::handle& value) {
    if (value.is_none())
        return {};
    if (py::isinstance<py::bool_>(value))
        return value.cast<bool>();
    if (py::isinstance<py::int_>(value))
        return value.cast<std::int64_t>();
    if (py::isinstance<py::float_>(value))
        return value.cast<double>();
    if (py::isinstance<py::tuple>(value)) {
        const auto [source, target] = value.cast<std::pair<double, double>>();
        return Change(source, target);
    }
    return py::str(value).cast<std::string>();
}

std::string shownText(const py::object& value, const std::string& unit) {
    return textOf(cellOf(value), fromName<Unit>(unit).value_or(Unit::None));
}

py::list reportNames() {
    py::list names;
    for (const Report& report : allReports())
        names.append(report.id);
    return names;
}

} // namespace

void bindReports(py::module_& module, ProfileClass& profile) {
    module.def("text_of", shownText, py::arg("value"), py::arg("unit"),
               "A value of a report as it is written for people, by the name of its unit.");
    module.def("report_names", reportNames, "The reports that a profile has.");
    profile
        .def("report", report, py::arg("id"), py::arg("tile") = py::none(),
             py::arg("ipu") = py::none(), py::arg("step") = py::none(), py::arg("run") = py::none(),
             py::arg("by") = "", py::arg("filter") = "",
             "A report: a dict of fields, their units, tables (columns and rows) and "
             "lists. Raises ProfileError for a report or selection that does not exist.")
        .def("query", query, py::arg("sql"),
             "(names of columns, rows) of one SELECT on the tables of the file and report_<id>.");
}

} // namespace tilescope::python
