#include "core/options/learning_rate_schedule.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <fmt/format.h>
#include <numbers>
#include <stdexcept>
#include <vector>

namespace tilescope {
namespace {

using Form = LearningRateSchedule::Form;

std::vector<std::string> partsOf(const std::string& text, char separator) {
    std::vector<std::string> parts{""};
    for (const char c : text)
        if (c == separator)
            parts.emplace_back();
        else
            parts.back() += c;
    return parts;
}

std::int64_t updatesFrom(const std::string& text) {
    constexpr std::int64_t most = 1'000'000'000;
    std::int64_t number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc() || end != text.data() + text.size() || number < 1 || number > most)
        throw std::invalid_argument(
            fmt::format("'{}' is not a number of updates from 1 to {}", text, most));
    return number;
}

double gammaFrom(const std::string& text) {
    double number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc() || end != text.data() + text.size() || !(number > 0 && number <= 1))
        throw std::invalid_argument(fmt::format("'{}' is not a factor above 0 and up to 1", text));
    return number;
}

[[noreturn]] void refuseForm(const std::string& part) {
    throw std::invalid_argument(
        fmt::format("'{}' is not a schedule; choose constant, step:N:F, cosine or linear, each "
                    "also after warmup:N and a comma",
                    part));
}

void readForm(const std::string& text, LearningRateSchedule& schedule) {
    const std::vector<std::string> words = partsOf(text, ':');
    if (words.front() == "step" && words.size() == 3) {
        schedule.form = Form::Step;
        schedule.period = updatesFrom(words[1]);
        schedule.gamma = gammaFrom(words[2]);
    } else if (text == "cosine") {
        schedule.form = Form::Cosine;
    } else if (text == "linear") {
        schedule.form = Form::Linear;
    } else if (text != "constant") {
        refuseForm(text);
    }
}

} // namespace

double LearningRateSchedule::factor(std::int64_t update, std::int64_t updates) const {
    if (update < warmup)
        return static_cast<double>(update + 1) / static_cast<double>(warmup);
    const auto t = static_cast<double>(update - warmup);
    const auto all = static_cast<double>(std::max<std::int64_t>(updates - warmup, 1));
    switch (form) {
    case Form::Constant:
        return 1;
    case Form::Step:
        return std::pow(gamma, std::floor(t / static_cast<double>(period)));
    case Form::Cosine:
        return (1 + std::cos(std::numbers::pi * t / all)) / 2;
    case Form::Linear:
        return 1 - t / all;
    }
    return 1;
}

LearningRateSchedule learningRateScheduleFrom(const std::string& text) {
    LearningRateSchedule schedule;
    const std::vector<std::string> parts = partsOf(text, ',');
    const std::vector<std::string> first = partsOf(parts.front(), ':');
    const bool warms = first.front() == "warmup" && first.size() == 2;
    if (warms)
        schedule.warmup = updatesFrom(first[1]);
    if (parts.size() > (warms ? 2U : 1U))
        refuseForm(text);
    if (parts.size() == 2 || !warms)
        readForm(parts.back(), schedule);
    return schedule;
}

std::string toString(const LearningRateSchedule& schedule) {
    std::string form;
    switch (schedule.form) {
    case Form::Constant:
        form = schedule.warmup > 0 ? "" : "constant";
        break;
    case Form::Step:
        form = fmt::format("step:{}:{}", schedule.period, schedule.gamma);
        break;
    case Form::Cosine:
        form = "cosine";
        break;
    case Form::Linear:
        form = "linear";
        break;
    }
    if (schedule.warmup == 0)
        return form;
    return fmt::format("warmup:{}{}{}", schedule.warmup, form.empty() ? "" : ",", form);
}

} // namespace tilescope
