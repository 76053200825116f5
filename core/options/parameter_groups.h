// Weights with their own optimizer numbers.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tilescope {

struct TrainingOptions;

/// A parameter group of torch.optim, or PopART's optimizer values for single tensors
/// (Optimizer::insertSpecific). Numbers that it does not set are the run's.
struct ParameterGroup {
    std::vector<std::string> weights; ///< by name, or scopes of them
    std::optional<double> learningRate, weightDecay, momentum, beta1, beta2, optimizerEpsilon;
    friend bool operator==(const ParameterGroup&, const ParameterGroup&) = default;
};

/// Whether a weight has that name, or is in the scope: "encoder" holds "encoder.0.weight".
bool isWeightOf(std::string_view weight, std::string_view nameOrScope);

/// The numbers with which a weight is updated.
struct UpdateNumbers {
    /// Which learning rate the update follows: 0 the run's, i + 1 that of group i.
    std::int32_t rate = 0;
    double weightDecay = 0, momentum = 0, beta1 = 0, beta2 = 0, epsilon = 0;
    bool hasVelocity = false; ///< of SGD: not where a group's momentum is 0
};
UpdateNumbers updateNumbers(const TrainingOptions& options, std::string_view weight);

/// Learning rates in the numbering of UpdateNumbers::rate; those that no group sets are the run's.
std::vector<double> learningRates(const TrainingOptions& options);

/// Parses the option: {"encoder,head.w": {"learningRate": 0.1}}. Throws OptionError.
std::vector<ParameterGroup> parameterGroupsFrom(const std::string& json);
/// The option's text for these groups; "" for none.
std::string parameterGroupsText(const std::vector<ParameterGroup>& groups);

/// Throws OptionError for numbers that the optimizer does not have, and for names in two groups.
void checkParameterGroups(const TrainingOptions& options);

} // namespace tilescope
