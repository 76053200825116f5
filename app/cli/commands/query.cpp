// `query`: any SELECT on a profile.
#include <boost/json.hpp>
#include <fmt/format.h>
#include <memory>
#include <ostream>

#include "app/cli/commands/commands.h"
#include "app/cli/commands/common.h"
#include "core/base/damaged_profile.h"

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
    command->add_option("PROFILE", arguments->profile, "profile.pop, or the directory it is in")
        ->required();
    command->add_option("SQL", arguments->sql, "the query")->required();
    addFormatFlags(*command, arguments->flags);
    command->callback([arguments, &action] {
        action = [arguments](const Streams& streams) {
            const Table table = namingFile(arguments->profile, [&] {
                return tableOf(openProfile(arguments->profile).query(arguments->sql));
            });
            switch (arguments->flags.format()) {
            case Format::Json:
                writeJson(streams.out, toJson(table));
                break;
            case Format::Csv:
                writeCsv(streams.out, table);
                break;
            case Format::Text:
                writeText(streams.out, table);
                break;
            }
            return exitYes;
        };
    });
}

} // namespace tilescope::cli
