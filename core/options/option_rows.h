// Building blocks for the rows of the option table, and its groups. Internal to core/options.
#pragma once

#include <algorithm>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/options/option_limits.h"
#include "core/options/option_table.h"
#include "core/options/option_values.h"
#include "core/options/run_options.h"

namespace tilescope {

using Set = std::function<void(const OptionSpec&, RunOptions&, const std::string& value)>;
using Get = std::function<std::string(const RunOptions&)>;

/// A row with its own functions; its flag is made from the key, its default is a new RunOptions'.
OptionSpec ownRow(OptionTopic topic, std::string key, OptionSpec::Type type, std::string help,
                  Set set, Get get, std::vector<std::string> choices = {});

/// Makes rows of the members of one group.
template <class Group> class RowsOf {
public:
    constexpr RowsOf(OptionTopic topic, Group RunOptions::*group)
        : topic_(topic)
        , group_(group) {}

    /// A whole number within bounds; a value below them, as a member may initially have, means
    /// none.
    template <class T>
    OptionSpec integer(std::string key, T Group::*member, OptionRange bounds,
                       std::string help) const;
    /// The same for an optional number.
    OptionSpec maybeInteger(std::string key, std::optional<std::int64_t> Group::*member,
                            OptionRange bounds, std::string help) const;
    OptionSpec number(std::string key, double Group::*member, OptionRange bounds,
                      std::string help) const;
    OptionSpec maybeNumber(std::string key, std::optional<double> Group::*member,
                           OptionRange bounds, std::string help) const;
    /// "on" or "off": a flag, which the command line can only set, or a choice of both.
    OptionSpec flag(std::string key, bool Group::*member, std::string help) const;
    OptionSpec toggle(std::string key, bool Group::*member, std::string help) const;
    /// Names of the values of an enumeration, in its order.
    template <class Enumeration>
    OptionSpec choice(std::string key, Enumeration Group::*member, std::vector<std::string> names,
                      std::string help) const;
    /// Names separated by commas.
    OptionSpec names(std::string key, std::vector<std::string> Group::*member,
                     std::string help) const;
    /// Text, with a check that throws OptionError.
    OptionSpec text(std::string key, std::string Group::*member, std::string help,
                    std::function<void(const OptionSpec&, const std::string&)> check) const;
    /// A row with its own functions.
    OptionSpec own(std::string key, OptionSpec::Type type, std::string help,
                   std::function<void(const OptionSpec&, Group&, const std::string&)> set,
                   std::function<std::string(const Group&)> get,
                   std::vector<std::string> choices = {}) const;

private:
    OptionTopic topic_;
    Group RunOptions::*group_;
};

/// Needs shared by many rows: isTraining() for anything that exists "in training only".
OptionSpec inTraining(OptionSpec row, const std::string& what);
/// For options of the host, which need an exchange with the host.
OptionSpec withHost(OptionSpec row);

void refuse(bool given, const char* option, const std::string& problem);
[[nodiscard]] bool hasOptimizerState(const RunOptions& options);

/// The groups' rows, and checks of options in combination (they throw OptionError).
std::vector<OptionSpec> machineRows();
void checkMachine(const RunOptions& options);
std::vector<OptionSpec> batchRows();
void checkBatch(const RunOptions& options);
std::vector<OptionSpec> planningRows();
void checkPlanning(const RunOptions& options);
std::vector<OptionSpec> memoryRows();
void checkMemory(const RunOptions& options);
std::vector<OptionSpec> executionRows();
void checkExecution(const RunOptions& options);
std::vector<OptionSpec> modelRows();
void checkModel(const RunOptions& options);
std::vector<OptionSpec> outlineRows();
std::vector<OptionSpec> trainingRows();
void checkTraining(const RunOptions& options);
std::vector<OptionSpec> replicationRows();
void checkReplication(const RunOptions& options);
std::vector<OptionSpec> hostRows();
void checkHost(const RunOptions& options);
std::vector<OptionSpec> engineRows();
std::vector<OptionSpec> computeRows();
void checkCompute(const RunOptions& options);

template <class Group>
OptionSpec
RowsOf<Group>::own(std::string key, OptionSpec::Type type, std::string help,
                   std::function<void(const OptionSpec&, Group&, const std::string&)> set,
                   std::function<std::string(const Group&)> get,
                   std::vector<std::string> choices) const {
    const auto group = group_;
    return ownRow(
        topic_, std::move(key), type, std::move(help),
        [group, set = std::move(set)](const OptionSpec& self, RunOptions& options,
                                      const std::string& value) {
            set(self, options.*group, value);
        },
        [group, get = std::move(get)](const RunOptions& options) { return get(options.*group); },
        std::move(choices));
}

/// The row of a number, with its bounds.
inline OptionSpec bounded(OptionSpec row, OptionRange bounds) {
    row.range = [bounds](const RunOptions&) { return bounds; };
    return row;
}

template <class Group>
template <class T>
OptionSpec RowsOf<Group>::integer(std::string key, T Group::*member, OptionRange bounds,
                                  std::string help) const {
    return bounded(own(
                       std::move(key), OptionSpec::Type::Integer, std::move(help),
                       [=](const OptionSpec& self, Group& group, const std::string& value) {
                           group.*member = static_cast<T>(integerValue(self, value, bounds));
                       },
                       [=](const Group& group) {
                           return static_cast<double>(group.*member) < bounds.least
                                      ? std::string()
                                      : std::to_string(group.*member);
                       }),
                   bounds);
}

template <class Group>
OptionSpec RowsOf<Group>::maybeInteger(std::string key, std::optional<std::int64_t> Group::*member,
                                       OptionRange bounds, std::string help) const {
    return bounded(own(
                       std::move(key), OptionSpec::Type::Integer, std::move(help),
                       [=](const OptionSpec& self, Group& group, const std::string& value) {
                           group.*member = integerValue(self, value, bounds);
                       },
                       [=](const Group& group) {
                           return group.*member ? std::to_string(*(group.*member)) : std::string();
                       }),
                   bounds);
}

template <class Group>
OptionSpec RowsOf<Group>::number(std::string key, double Group::*member, OptionRange bounds,
                                 std::string help) const {
    return bounded(own(
                       std::move(key), OptionSpec::Type::Number, std::move(help),
                       [=](const OptionSpec& self, Group& group, const std::string& value) {
                           group.*member = numberValue(self, value, bounds);
                       },
                       [=](const Group& group) { return numberText(group.*member); }),
                   bounds);
}

template <class Group>
OptionSpec RowsOf<Group>::maybeNumber(std::string key, std::optional<double> Group::*member,
                                      OptionRange bounds, std::string help) const {
    return bounded(own(
                       std::move(key), OptionSpec::Type::Number, std::move(help),
                       [=](const OptionSpec& self, Group& group, const std::string& value) {
                           group.*member = numberValue(self, value, bounds);
                       },
                       [=](const Group& group) {
                           return group.*member ? numberText(*(group.*member)) : std::string();
                       }),
                   bounds);
}

template <class Group>
OptionSpec RowsOf<Group>::toggle(std::string key, bool Group::*member, std::string help) const {
    return own(
        std::move(key), OptionSpec::Type::Choice, std::move(help),
        [=](const OptionSpec& self, Group& group, const std::string& value) {
            group.*member = choiceValue(self, value) == "on";
        },
        [=](const Group& group) { return std::string(group.*member ? "on" : "off"); },
        {"on", "off"});
}

template <class Group>
OptionSpec RowsOf<Group>::flag(std::string key, bool Group::*member, std::string help) const {
    OptionSpec made = toggle(std::move(key), member, std::move(help));
    made.type = OptionSpec::Type::Flag;
    return made;
}

template <class Group>
template <class Enumeration>
OptionSpec RowsOf<Group>::choice(std::string key, Enumeration Group::*member,
                                 std::vector<std::string> names, std::string help) const {
    return own(
        std::move(key), OptionSpec::Type::Choice, std::move(help),
        [=](const OptionSpec& self, Group& group, const std::string& value) {
            const auto at =
                std::find(self.choices.begin(), self.choices.end(), choiceValue(self, value));
            group.*member = static_cast<Enumeration>(at - self.choices.begin());
        },
        [=](const Group& group) { return names.at(static_cast<std::size_t>(group.*member)); },
        names);
}

template <class Group>
OptionSpec RowsOf<Group>::names(std::string key, std::vector<std::string> Group::*member,
                                std::string help) const {
    return own(
        std::move(key), OptionSpec::Type::Text, std::move(help),
        [=](const OptionSpec& self, Group& group, const std::string& value) {
            group.*member = namesValue(self, value);
        },
        [=](const Group& group) { return namesText(group.*member); });
}

template <class Group>
OptionSpec
RowsOf<Group>::text(std::string key, std::string Group::*member, std::string help,
                    std::function<void(const OptionSpec&, const std::string&)> check) const {
    return own(
        std::move(key), OptionSpec::Type::Text, std::move(help),
        [member, check = std::move(check)](const OptionSpec& self, Group& group,
                                           const std::string& value) {
            check(self, value);
            group.*member = value;
        },
        [=](const Group& group) { return group.*member; });
}

} // namespace tilescope
