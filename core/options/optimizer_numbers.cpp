#include "core/options/optimizer_numbers.h"

#include <algorithm>
#include <array>
#include <utility>

namespace tilescope {
namespace {

struct Number {
    const char* option;
    double TrainingOptions::*member;
};
constexpr auto ofAll = std::to_array<Number>({{"learningRate", &TrainingOptions::learningRate}});
constexpr auto ofVelocities = std::to_array<Number>({{"momentum", &TrainingOptions::momentum}});
constexpr auto ofFirstMoments = std::to_array<Number>({{"beta1", &TrainingOptions::beta1}});
constexpr auto ofSecondMoments = std::to_array<Number>(
    {{"beta2", &TrainingOptions::beta2}, {"optimizerEpsilon", &TrainingOptions::optimizerEpsilon}});

template <class Numbers, class Found>
void forEachGiven(const TrainingOptions& options, const Numbers& numbers, const Found& found) {
    const TrainingOptions defaults;
    for (const Number& number : numbers)
        if (options.*number.member != defaults.*number.member)
            found(number.option);
}

/// The given numbers that differ from their defaults.
std::vector<const char*> givenOptimizerNumbers(const TrainingOptions& options) {
    std::vector<const char*> given;
    const auto add = [&](const char* option) { given.push_back(option); };
    forEachGiven(options, ofAll, add);
    if (options.weightDecay)
        add("weightDecay");
    forEachGiven(options, ofVelocities, add);
    forEachGiven(options, ofFirstMoments, add);
    forEachGiven(options, ofSecondMoments, add);
    if (!options.biasCorrection)
        add("biasCorrection");
    if (options.maxWeightNorm)
        add("maxWeightNorm");
    for (const auto& [isOn, name] :
         {std::pair(options.nesterov, "nesterov"), std::pair(options.centered, "centered"),
          std::pair(options.amsgrad, "amsgrad")})
        if (isOn)
            add(name);
    return given;
}

} // namespace

const char* whyIdle(Optimizer optimizer, std::string_view option) {
    using enum Optimizer;
    const auto isAmong = [option](const auto& numbers) {
        return std::any_of(std::begin(numbers), std::end(numbers),
                           [option](const Number& number) { return option == number.option; });
    };
    const bool adaptive = optimizer == Adam || optimizer == AdamW || optimizer == Lamb;
    const bool rmsprop = optimizer == Rmsprop;
    if (isAmong(ofVelocities) && optimizer != Momentum && optimizer != Lars && !rmsprop)
        return "only --optimizer momentum, lars and rmsprop have a velocity";
    if ((isAmong(ofFirstMoments) || option == "biasCorrection") && !adaptive)
        return "only --optimizer adam, adamw and lamb have a first moment";
    if (isAmong(ofSecondMoments) && !adaptive && !rmsprop)
        return "only --optimizer adam, adamw, lamb and rmsprop have a second moment";
    if (option == "maxWeightNorm" && optimizer != Lamb)
        return "only --optimizer lamb has a trust ratio of norms that are bounded";
    if (option == "nesterov" && optimizer != Momentum)
        return "only --optimizer momentum looks ahead by its velocity";
    if (option == "centered" && !rmsprop)
        return "only --optimizer rmsprop can divide by a deviation";
    if (option == "amsgrad" && optimizer != Adam && optimizer != AdamW)
        return "only --optimizer adam and adamw can keep the largest second moment";
    return nullptr;
}

std::vector<IdleNumber> idleOptimizerNumbers(const TrainingOptions& options) {
    std::vector<IdleNumber> idle;
    for (const char* option : givenOptimizerNumbers(options))
        if (const char* why = whyIdle(options.optimizer, option))
            idle.push_back({option, why});
    return idle;
}

} // namespace tilescope
