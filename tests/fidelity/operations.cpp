#include "operations.h"

#include <algorithm>
#include <atomic>
#include <boost/json.hpp>
#include <cmath>
#include <fmt/format.h>
#include <fmt/ostream.h>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "app/cli/commands/cli.h"
#include "core/base/error.h"

namespace tilescope::fidelity {
namespace {

struct OperationRow {
    std::string target, benchmark, tool, arguments;
    double published[3] = {0, 0, 0};
    double simulated[3] = {0, 0, 0};
    std::string error;

    [[nodiscard]] double miss(int figure) const {
        return std::abs(std::log(simulated[figure] / published[figure]));
    }
    [[nodiscard]] std::string family() const {
        if (tool == "single_conv_layer")
            return "conv";
        if (tool == "fully_connected_layer")
            return "fc";
        if (tool == "general_matrix_multiply")
            return "gemm";
        if (tool == "reduce_op")
            return "reduce";
        if (tool == "pooling_layer")
            return "pooling";
        return tool == "embedding_layer" ? "embedding" : tool;
    }
};

std::vector<std::string> csvFields(const std::string& line) {
    std::vector<std::string> fields(1);
    bool quoted = false;
    for (const char c : line) {
        if (c == '"')
            quoted = !quoted;
        else if (c == ',' && !quoted)
            fields.emplace_back();
        else
            fields.back() += c;
    }
    return fields;
}

std::vector<OperationRow> readRows(const std::string& file) {
    std::ifstream in(file);
    std::vector<OperationRow> rows;
    std::string line;
    std::getline(in, line);
    while (std::getline(in, line)) {
        const auto fields = csvFields(line);
        if (fields.size() < 8)
            continue;
        OperationRow row;
        row.target = fields[0].back() == '1' ? "mk1" : "mk2";
        row.benchmark = fields[2];
        row.tool = fields[3];
        row.arguments = fields[4];
        for (std::size_t i = 0; i < 3; ++i)
            row.published[i] = std::stod(fields[5 + i]);
        rows.push_back(row);
    }
    if (rows.empty())
        throw UserError(fmt::format("'{}' has no rows of operations", file));
    return rows;
}

void simulate(OperationRow& row) {
    std::vector<std::string> args{"op", row.tool, "--json", "--target", row.target};
    std::istringstream words(row.arguments);
    for (std::string word; words >> word;)
        args.push_back(word);
    std::ostringstream out;
    std::ostringstream err;
    const int status = cli::runCli(args, {out, err});
    if (status > 1) {
        row.error = err.str();
        return;
    }
    const boost::json::object result = boost::json::parse(out.str()).as_object();
    row.simulated[0] = result.at("cycles").to_number<double>();
    row.simulated[1] = result.at("totalMemory").to_number<double>();
    row.simulated[2] = result.at("maxTileMemory").to_number<double>();
}

double quantile(std::vector<double> values, double q) {
    std::sort(values.begin(), values.end());
    const auto at = static_cast<std::size_t>(q * static_cast<double>(values.size() - 1) + 0.5);
    return values[at];
}

void printFamilies(const std::vector<OperationRow>& rows, std::ostream& out) {
    std::map<std::string, std::vector<const OperationRow*>> groups;
    for (const OperationRow& row : rows)
        if (row.error.empty()) {
            groups[row.target + " " + row.family()].push_back(&row);
            groups[row.target + " all"].push_back(&row);
            groups["both"].push_back(&row);
        }
    fmt::print(
        out,
        "| family | rows | cycles median | p90 | total median | p90 | max tile median | p90 |\n"
        "|---|---|---|---|---|---|---|---|\n");
    for (const auto& [name, members] : groups) {
        fmt::print(out, "| {} | {} |", name, members.size());
        for (int figure = 0; figure < 3; ++figure) {
            std::vector<double> misses;
            for (const OperationRow* row : members)
                misses.push_back(row->miss(figure));
            fmt::print(out, " {:.3f} | {:.3f} |", quantile(misses, 0.5), quantile(misses, 0.9));
        }
        fmt::print(out, "\n");
    }
}

void printRows(std::vector<OperationRow> rows, std::ostream& out) {
    std::sort(rows.begin(), rows.end(),
              [](const OperationRow& a, const OperationRow& b) { return a.miss(0) > b.miss(0); });
    fmt::print(out, "\n| row | cycles ratio | total ratio | max tile ratio | simulated cycles "
                    "|\n|---|---|---|---|---|\n");
    for (const OperationRow& row : rows) {
        if (!row.error.empty())
            fmt::print(out, "| {} {} | {} |\n", row.target, row.benchmark, row.error);
        else
            fmt::print(out, "| {} {} | {:.3f} | {:.3f} | {:.3f} | {} |\n", row.target,
                       row.benchmark, row.simulated[0] / row.published[0],
                       row.simulated[1] / row.published[1], row.simulated[2] / row.published[2],
                       row.simulated[0]);
    }
}

} // namespace

bool compareOperations(const std::string& file, const std::string& family, std::ostream& out) {
    std::vector<OperationRow> rows = readRows(file);
    if (!family.empty())
        std::erase_if(rows, [&](const OperationRow& row) { return row.family() != family; });
    std::atomic<std::size_t> next = 0;
    std::vector<std::jthread> workers;
    for (unsigned i = 0; i < std::max(1U, std::thread::hardware_concurrency()); ++i)
        workers.emplace_back([&] {
            for (std::size_t at = next++; at < rows.size(); at = next++)
                simulate(rows[at]);
        });
    workers.clear();
    printFamilies(rows, out);
    printRows(rows, out);
    return std::all_of(rows.begin(), rows.end(),
                       [](const OperationRow& row) { return row.error.empty(); });
}

} // namespace tilescope::fidelity
