// `query`: any SELECT on a profile.
#include <boost/json.hpp>
#include <chrono>
#include <condition_variable>
#include <fmt/format.h>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <thread>

#include "app/cli/commands/commands.h"
#include "app/cli/commands/common.h"
#include "core/base/error.h"
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

struct QueryArguments {
    std::string profile;
    std::string sql;
    std::optional<double> timeout; ///< seconds
    FormatFlags flags;
};

/// Requests a stop after the timeout, unless the query ends earlier.
class TimeLimit {
public:
    explicit TimeLimit(double seconds)
        : waiting_([this, seconds](const std::stop_token& done) {
            std::unique_lock lock(mutex_);
            wake_.wait_for(lock, done, std::chrono::duration<double>(seconds),
                           [] { return false; });
            if (!done.stop_requested())
                reached_.request_stop();
        }) {}
    [[nodiscard]] std::stop_token token() const { return reached_.get_token(); }

private:
    std::stop_source reached_;
    std::mutex mutex_;
    std::condition_variable_any wake_;
    std::jthread waiting_;
};

SqlResult resultOf(const QueryArguments& arguments, const Streams& streams) {
    if (!arguments.timeout) {
        ProfileReader reader = openProfile(arguments.profile, streams).reader();
        return queryReports(reader, arguments.sql);
    }
    constexpr double mostSeconds = 86'400; // a day
    if (!(*arguments.timeout > 0 && *arguments.timeout <= mostSeconds))
        throw UserError(fmt::format("option --timeout: '{}' is not a number of seconds above 0, up "
                                    "to {}",
                                    *arguments.timeout, mostSeconds));
    const TimeLimit limit(*arguments.timeout);
    try {
        const ProfileView profile = openProfile(arguments.profile, streams);
        ProfileReader reader = profile.reader(limit.token());
        return queryReports(reader, arguments.sql);
    } catch (const Cancelled&) {
        throw UserError(fmt::format("'{}': the query took longer than {} s (--timeout)",
                                    arguments.profile, *arguments.timeout));
    }
}

} // namespace

void addQueryCommand(CLI::App& app, Action& action) {
    CLI::App* command = app.add_subcommand(
        "query", "Runs a SELECT on a profile ('tilescope schema' documents the tables)");
    const auto arguments = std::make_shared<QueryArguments>();
    addProfileArgument(*command, arguments->profile);
    command->add_option("SQL", arguments->sql, "the query")->required();
    command->add_option("--timeout", arguments->timeout, "end a query that takes longer")
        ->type_name("SECONDS");
    addFormatFlags(*command, arguments->flags);
    setProfileAction(*command, action, arguments,
                     [](const QueryArguments& a, const Streams& streams) {
                         write(streams.out, tableOf(resultOf(a, streams)), a.flags.format());
                         return exitYes;
                     });
}

} // namespace tilescope::cli
