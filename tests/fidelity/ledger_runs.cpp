#include "ledger_runs.h"

#include <QProcess>
#include <QRegularExpression>
#include <boost/json.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sstream>

#include "app/cli/commands/cli.h"
#include "core/base/error.h"
#include "operations.h"
#include "scopes.h"

namespace tilescope::fidelity {
namespace {

constexpr std::string_view separator = " | ";

std::vector<std::string> stepsOf(const std::string& run) {
    std::vector<std::string> steps;
    std::size_t begin = 0;
    for (std::size_t at; (at = run.find(separator, begin)) != std::string::npos;
         begin = at + separator.size())
        steps.push_back(run.substr(begin, at - begin));
    steps.push_back(run.substr(begin));
    return steps;
}

std::vector<std::string> wordsOf(const std::string& command) {
    std::vector<std::string> words;
    for (const QString& word : QProcess::splitCommand(QString::fromStdString(command)))
        words.push_back(word.toStdString());
    return words;
}

bool makesProfile(const std::string& step) {
    return step.starts_with("run ");
}

/// 1234567.8 with digits 0: "1,234,568".
std::string shown(double value, int digits) {
    std::string text = fmt::format("{:.{}f}", value, digits);
    const std::size_t point = std::min(text.find('.'), text.size());
    const std::size_t first = text.starts_with('-') ? 1 : 0;
    for (std::size_t at = point; at > first + 3; at -= 3)
        text.insert(at - 3, ",");
    return text;
}

std::string valueAt(const LedgerRow& row, const std::string& json) {
    const boost::json::value all = boost::json::parse(json);
    boost::system::error_code error;
    const boost::json::value* value = all.find_pointer(row.figure, error);
    if (value == nullptr)
        throw UserError(fmt::format("{}: there is no {}", row.id, row.figure));
    if (value->is_bool())
        return value->as_bool() ? "yes" : "no";
    if (!value->is_number())
        throw UserError(fmt::format("{}: {} is no number", row.id, row.figure));
    const double unit = row.unit.empty() ? 1 : std::stod(row.unit);
    return shown(value->to_number<double>() / unit, row.digits.empty() ? 0 : std::stoi(row.digits));
}

/// The only cell of a query.
std::string cellOf(const LedgerRow& row, const std::string& csv) {
    const double unit = row.unit.empty() ? 1 : std::stod(row.unit);
    const std::size_t line = csv.find('\n');
    return shown(std::stod(csv.substr(line + 1)) / unit,
                 row.digits.empty() ? 0 : std::stoi(row.digits));
}

std::string matched(const LedgerRow& row, const std::string& text) {
    const auto found =
        QRegularExpression(QString::fromStdString(row.figure)).match(QString::fromStdString(text));
    if (!found.hasMatch())
        throw UserError(fmt::format("{}: nothing matches '{}'", row.id, row.figure));
    return found.captured(1).toStdString();
}

} // namespace

LedgerRuns::LedgerRuns(std::filesystem::path source, std::filesystem::path shared,
                       std::filesystem::path scratch)
    : source_(std::move(source))
    , shared_(std::move(shared))
    , scratch_(std::move(scratch)) {}

std::optional<std::string> LedgerRuns::figure(const LedgerRow& row) {
    if (row.run.starts_with("published ") &&
        !std::filesystem::exists(shared_ / "facts" / "calibration"))
        return {};
    if (row.figure.starts_with('/'))
        return valueAt(row, output(row.run, "--json"));
    if (row.figure == "value")
        return cellOf(row, output(row.run, "--csv"));
    return matched(row, output(row.run, ""));
}

std::string LedgerRuns::output(const std::string& run, const std::string& format) {
    const auto [known, isNew] = outputs_.try_emplace(run + format);
    if (!isNew)
        return known->second;
    std::vector<std::string> steps = stepsOf(run);
    std::string last = makesProfile(steps.back()) ? "info" : steps.back();
    if (!makesProfile(steps.back()))
        steps.pop_back();
    if (last.starts_with("published "))
        return known->second = publishedText(last);
    std::vector<std::string> arguments = wordsOf(last);
    for (std::size_t i = 0; i < steps.size(); ++i)
        arguments.insert(arguments.begin() + 1 + static_cast<std::ptrdiff_t>(i), profile(steps[i]));
    if (!format.empty())
        arguments.push_back(format);
    return known->second = print(std::move(arguments));
}

std::string LedgerRuns::profile(const std::string& run) {
    const auto [known, isNew] = profiles_.try_emplace(run);
    if (isNew) {
        const auto directory = scratch_ / std::to_string(profiles_.size());
        std::vector<std::string> arguments = wordsOf(run);
        for (std::string& argument : arguments)
            if (argument.starts_with("resources/"))
                argument = (source_ / argument).string();
        arguments.insert(arguments.end(), {"-o", directory.string()});
        print(std::move(arguments));
        known->second = directory.string();
    }
    return known->second;
}

/// What a command prints, whether its answer is yes or no.
std::string LedgerRuns::print(std::vector<std::string> arguments) {
    std::ostringstream out;
    std::ostringstream err;
    const std::string command = fmt::format("{}", fmt::join(arguments, " "));
    if (cli::runCli(std::move(arguments), {out, err}) > 1)
        throw UserError(fmt::format("tilescope {}: {}", command, err.str()));
    return out.str();
}

std::string LedgerRuns::publishedText(const std::string& which) const {
    const std::filesystem::path tables = shared_ / "facts" / "calibration";
    std::ostringstream out;
    if (which == "published operations")
        compareOperations((tables / "poplibs_ops.csv").string(), "", out);
    else if (which == "published layers")
        compareBertLarge((tables / "bert_large_layers.csv").string(),
                         (tables / "bert_large_operations.csv").string(), out);
    else
        throw UserError(fmt::format("there is no comparison '{}'", which));
    return out.str();
}

} // namespace tilescope::fidelity
