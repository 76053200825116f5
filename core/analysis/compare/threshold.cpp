#include "core/analysis/compare/threshold.h"

#include <array>
#include <charconv>
#include <cmath>
#include <fmt/format.h>
#include <limits>

#include "core/base/error.h"

namespace tilescope {
namespace {

using Relation = Threshold::Relation;
using Kind = Threshold::Kind;

[[noreturn]] void wrong(std::string_view text, const std::string& why) {
    throw UserError(fmt::format("threshold '{}': {}. Write METRIC, then > or <, then a limit, such "
                                "as 'maxTile>+2%', 'cycles>+1000' or 'maxTile>600KiB'",
                                text, why));
}

struct Suffix {
    std::string_view text;
    double factor;
};

constexpr std::array byteSuffixes{Suffix{"", 1},
                                  Suffix{"B", 1},
                                  Suffix{"KiB", 1024},
                                  Suffix{"MiB", 1048576},
                                  Suffix{"GiB", 1073741824},
                                  Suffix{"kB", 1e3},
                                  Suffix{"MB", 1e6},
                                  Suffix{"GB", 1e9}};
constexpr std::array timeSuffixes{Suffix{"", 1}, Suffix{"s", 1}, Suffix{"ms", 1e-3},
                                  Suffix{"us", 1e-6}, Suffix{"ns", 1e-9}};

template <class Suffixes>
std::optional<double> factorOf(const Suffixes& suffixes, std::string_view text) {
    for (const Suffix& suffix : suffixes)
        if (suffix.text == text)
            return suffix.factor;
    return std::nullopt;
}

std::optional<double> factorOf(Unit unit, std::string_view suffix) {
    if (unit == Unit::Bytes)
        return factorOf(byteSuffixes, suffix);
    if (unit == Unit::Seconds)
        return factorOf(timeSuffixes, suffix);
    return suffix.empty() ? std::optional<double>(1) : std::nullopt;
}

std::string_view trimmed(std::string_view text) {
    const std::size_t first = text.find_first_not_of(' ');
    return first == std::string_view::npos
               ? std::string_view()
               : text.substr(first, text.find_last_not_of(' ') - first + 1);
}

void parseLimit(Threshold& threshold, std::string_view limit) {
    if (limit.empty())
        wrong(threshold.text, "it has no limit");
    const bool isSigned = limit.front() == '+' || limit.front() == '-';
    // from_chars rejects a plus sign.
    const std::string_view digits = limit.front() == '+' ? limit.substr(1) : limit;
    double value = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    if (error != std::errc() || !std::isfinite(value) ||
        (limit.front() == '+' && digits.find_first_of("+-") == 0))
        wrong(threshold.text, fmt::format("'{}' is not a number", limit));
    const std::string_view suffix =
        trimmed(digits.substr(static_cast<std::size_t>(end - digits.data())));
    if (suffix == "%") {
        threshold.kind = Kind::PercentChange;
        threshold.limit = value;
        return;
    }
    const Metric& metric = allMetrics()[threshold.metric];
    const std::optional<double> factor = factorOf(metric.unit, suffix);
    if (!factor)
        wrong(threshold.text, fmt::format("'{}' is not a unit of {}", suffix, metric.name));
    threshold.kind = isSigned ? Kind::Change : Kind::Value;
    threshold.limit = value * *factor;
}

double comparedValue(Kind kind, double source, double target) {
    switch (kind) {
    case Kind::Value:
        return target;
    case Kind::Change:
        return target - source;
    case Kind::PercentChange:
        break;
    }
    if (target == source)
        return 0;
    if (source == 0)
        return target > 0 ? std::numeric_limits<double>::infinity()
                          : -std::numeric_limits<double>::infinity();
    return 100 * (target - source) / std::abs(source);
}

bool holds(Relation relation, double value, double limit) {
    switch (relation) {
    case Relation::More:
        return value > limit;
    case Relation::MoreOrEqual:
        return value >= limit;
    case Relation::Less:
        return value < limit;
    case Relation::LessOrEqual:
        break;
    }
    return value <= limit;
}

double valueOf(const Threshold& threshold, const std::vector<std::optional<double>>& values,
               const char* side) {
    const std::optional<double>& value = values.at(threshold.metric);
    if (!value)
        throw UserError(fmt::format(
            "threshold '{}' cannot be checked: the {} has no metric '{}', because it was not "
            "executed (it did not fit, or was only compiled)",
            threshold.text, side, allMetrics()[threshold.metric].name));
    if (!std::isfinite(*value))
        throw UserError(fmt::format("threshold '{}' cannot be checked: the {}'s metric '{}' is "
                                    "not a number; the profile is damaged",
                                    threshold.text, side, allMetrics()[threshold.metric].name));
    return *value;
}

} // namespace

Threshold parseThreshold(std::string_view text) {
    Threshold threshold;
    threshold.text = std::string(trimmed(text));
    const std::string_view whole = threshold.text;
    const std::size_t at = whole.find_first_of("<>");
    if (at == std::string_view::npos)
        wrong(text, "it has no comparison");
    const bool orEqual = at + 1 < whole.size() && whole[at + 1] == '=';
    threshold.metric = metricNamed(trimmed(whole.substr(0, at)));
    threshold.relation = whole[at] == '>' ? (orEqual ? Relation::MoreOrEqual : Relation::More)
                                          : (orEqual ? Relation::LessOrEqual : Relation::Less);
    parseLimit(threshold, trimmed(whole.substr(at + (orEqual ? 2 : 1))));
    return threshold;
}

ThresholdResult checkThreshold(const Threshold& threshold,
                               const std::vector<std::optional<double>>& source,
                               const std::vector<std::optional<double>>& target) {
    const double before = valueOf(threshold, source, "source");
    const double after = valueOf(threshold, target, "target");
    const Unit unit = allMetrics()[threshold.metric].unit;
    const double percent = comparedValue(Kind::PercentChange, before, after);
    const std::string change =
        std::isfinite(percent) ? fmt::format("{:+.1f} %", percent) : std::string("from nothing");
    return {
        holds(threshold.relation, comparedValue(threshold.kind, before, after), threshold.limit),
        fmt::format("{}: {} -> {} ({})", threshold.text, textOf(before, unit), textOf(after, unit),
                    change)};
}

} // namespace tilescope
