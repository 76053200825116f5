// `query`: any SELECT on a profile.
#include <boost/json.hpp>
#include <fmt/format.h>
#include <memory>

#include "app/cli/commands/commands.h"
#include "app/cli/commands/common.h"
#include "core/report/report_query.h"

namespace tilescope::cli {
namespace {

Cell cellOf(const SqlValue& value) {
    struct Convert {
        Cell operator()(std::monostate) const { return {}; }
        Cell operator()(std::int64_t v) const { return v; }
        Cell operator()(double v) const { return v; }
        Cell operator()(const std::string& v) const { return v; }
        Cell operator()(BlobSize v) const { return fmt::format("<blob of {} bytes>", v.bytes); }
    };
    return std::visit(Convert(), value);
}

Table tableOf(const SqlResult& result) {
    Table table;
    table.key = "rows";
    table.emptyText = "no rows";
    for (const std::string& column : result.columns)
        table.columns.push_back({column, column, Unit::None});
    for (const auto& row : result.rows) {
        std::vector<Cell>& cells = table.add({}).cells;
        for (const SqlValue& value : row)
            cells.push_back(cellOf(value));
    }
    return table;
}

} // namespace

void addQueryCommand(CLI::App& app, Action& action) {
    struct QueryArguments {
        std::string profile;
        std::string sql;
        FormatFlags flags;
    };
    CLI::App* command = app.add_subcommand(
        "query", "Runs a SELECT on a profile ('tilescope schema' documents the tables)");
    const auto arguments = std::make_shared<QueryArguments>();
    addProfileArgument(*command, arguments->profile);
    command->add_option("SQL", arguments->sql, "the query")->required();
    addFormatFlags(*command, arguments->flags);
    setProfileAction(*command, action, arguments,
                     [](const QueryArguments& a, const Streams& streams) {
                         ProfileReader reader = openProfile(a.profile).reader();
                         const Table table = tableOf(queryReports(reader, a.sql));
                         write(streams.out, table, a.flags.format());
                         return exitYes;
                     });
}

} // namespace tilescope::cli
