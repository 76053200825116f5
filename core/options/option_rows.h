// What the rows of the option table are made with, and its parts. Internal to core/options.
#pragma once

#include <algorithm>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "core/options/option_values.h"
#include "core/options/run_options.h"

namespace tilescope {

/// A row without its functions; they need the row itself for their errors.
OptionSpec row(OptionTopic topic, std::string key, std::string flag, OptionSpec::Type type,
               std::string defaultValue, std::string help, std::vector<std::string> choices = {});

/// The row with its functions.
template <class Set, class Get> OptionSpec with(OptionSpec spec, Set set, Get get) {
    spec.set = [spec, set](RunOptions& options, const std::string& value) {
        set(spec, options, value);
    };
    spec.get = get;
    return spec;
}

/// A choice whose values are those of an enumeration, in its order.
template <class Enumeration> OptionSpec enumRow(OptionSpec made, Enumeration RunOptions::*member) {
    const std::vector<std::string> choices = made.choices;
    return with(
        std::move(made),
        [member](const OptionSpec& self, RunOptions& options, const std::string& value) {
            const std::string& chosen = choiceValue(self, value);
            const auto at = std::find(self.choices.begin(), self.choices.end(), chosen);
            options.*member = static_cast<Enumeration>(at - self.choices.begin());
        },
        [member, choices](const RunOptions& options) {
            return choices.at(static_cast<std::size_t>(options.*member));
        });
}

/// Names separated by commas.
OptionSpec namesRow(OptionSpec made, std::vector<std::string> RunOptions::*member);

/// "on" or "off".
OptionSpec switchRow(OptionSpec made, bool RunOptions::*member);

/// A whole number within bounds; one below them, as a member may begin, is no value. `member` is a
/// member of RunOptions, or a function to a number of it.
template <class Member> OptionSpec integerRow(OptionSpec made, OptionRange bounds, Member member) {
    made.range = [bounds](const RunOptions&) { return bounds; };
    return with(
        std::move(made),
        [bounds, member](const OptionSpec& self, RunOptions& options, const std::string& value) {
            auto& number = std::invoke(member, options);
            number = static_cast<std::decay_t<decltype(number)>>(integerValue(self, value, bounds));
        },
        [bounds, member](const RunOptions& options) {
            const auto number = std::invoke(member, options);
            return static_cast<double>(number) < bounds.least ? std::string()
                                                              : std::to_string(number);
        });
}

/// A number within bounds.
OptionSpec numberRow(OptionSpec made, OptionRange bounds, double RunOptions::*member);

/// How several IPUs share the model, what is computed again and what becomes a function.
std::vector<OptionSpec> executionRows();
/// What training needs: the optimizer, accumulation and loss scaling.
std::vector<OptionSpec> trainingRows();
/// What several replicas share and what lives off the chip.
std::vector<OptionSpec> replicationRows();
/// How the host feeds the machine.
std::vector<OptionSpec> feedingRows();

/// Values: what is computed, from which data.
std::vector<OptionSpec> computeRows();
/// Throws OptionError for those that do not fit the others.
void checkCompute(const RunOptions& options);

} // namespace tilescope
