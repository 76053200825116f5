#include "core/report/report_query.h"

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/base/pattern.h"
#include "core/report/report.h"

namespace tilescope {
namespace {

/// The most rows of a view that unrolls repeated contents. Real profiles have some million; a
/// damaged count would fill the disk with SQLite's temporary files.
constexpr double mostViewRows = 200e6;

double piecesOfVariables(ProfileReader& reader) {
    const SqlResult result = reader.query("SELECT total(max(tiles, 1)) FROM variable_tiles");
    return std::get<double>(result.rows.at(0).at(0));
}

double executedSteps(const ProfileView& profile) {
    double steps = 0;
    for (const ProgramExecutions& program : *profile.executions())
        steps += static_cast<double>(program.count);
    return steps * std::max(1, profile.machine().ipus);
}

void expectBounded(const std::string& view, double rows) {
    if (!(rows <= mostViewRows))
        throw UserError(fmt::format(
            "'{}' would have {:.3g} rows: the profile is damaged, or too long to be unrolled; "
            "'tilescope schema' names the tables that it is made of",
            view, rows));
}

void checkViews(ProfileReader& reader, const ProfileView& profile, const std::string& sql) {
    const auto names = [&](const char* view) {
        return Pattern(fmt::format("(?i)\\b{}\\b", view)).isIn(sql);
    };
    if (names("vars_info"))
        expectBounded("vars_info", piecesOfVariables(reader));
    for (const char* view : {"trace_instances", "steps_by_ipu", "steps"})
        if (names(view))
            return expectBounded(view, executedSteps(profile));
}

} // namespace

SqlResult queryReports(ProfileReader& reader, const std::string& sql, std::size_t maxRows) {
    const ProfileView profile(reader);
    checkViews(reader, profile, sql);
    for (const Report& report : allReports()) {
        const std::string name = "report_" + report.id;
        if (sql.find(name) == sql.npos)
            continue;
        const Document document = makeReport(report, profile, {});
        if (!document.tables.empty())
            reader.addTable(name, document.tables.front());
    }
    return reader.query(sql, maxRows);
}

} // namespace tilescope
