#include "core/options/optimizer_numbers.h"

namespace tilescope {
namespace {

struct Number {
    const char* option;
    double RunOptions::*member;
};
constexpr Number ofAll[] = {{"learningRate", &RunOptions::learningRate}};
constexpr Number ofVelocities[] = {{"momentum", &RunOptions::momentum}};
constexpr Number ofFirstMoments[] = {{"beta1", &RunOptions::beta1}};
constexpr Number ofSecondMoments[] = {{"beta2", &RunOptions::beta2},
                                      {"optimizerEpsilon", &RunOptions::optimizerEpsilon}};

template <class Numbers, class Found>
void forEachGiven(const RunOptions& options, const Numbers& numbers, const Found& found) {
    const RunOptions defaults;
    for (const Number& number : numbers)
        if (options.*number.member != defaults.*number.member)
            found(number.option);
}

} // namespace

std::vector<const char*> givenOptimizerNumbers(const RunOptions& options) {
    std::vector<const char*> given;
    const auto add = [&](const char* option) { given.push_back(option); };
    forEachGiven(options, ofAll, add);
    if (options.weightDecay)
        add("weightDecay");
    forEachGiven(options, ofVelocities, add);
    forEachGiven(options, ofFirstMoments, add);
    forEachGiven(options, ofSecondMoments, add);
    return given;
}

std::vector<IdleNumber> idleOptimizerNumbers(const RunOptions& options) {
    using enum Optimizer;
    std::vector<IdleNumber> idle;
    const bool adaptive =
        options.optimizer == Adam || options.optimizer == AdamW || options.optimizer == Lamb;
    const bool rmsprop = options.optimizer == Rmsprop;
    const auto addIdle = [&](bool used, const auto& numbers, const char* why) {
        if (!used)
            forEachGiven(options, numbers, [&](const char* option) {
                idle.push_back({option, why});
            });
    };
    addIdle(options.optimizer == Momentum || options.optimizer == Lars || rmsprop, ofVelocities,
            "only --optimizer momentum, lars and rmsprop have a velocity");
    addIdle(adaptive, ofFirstMoments, "only --optimizer adam, adamw and lamb have a first moment");
    addIdle(adaptive || rmsprop, ofSecondMoments,
            "only --optimizer adam, adamw, lamb and rmsprop have a second moment");
    return idle;
}

double RunOptions::weightDecayInForce() const {
    constexpr double ofAdamW = 0.01;
    constexpr double ofLars = 0.0005;
    if (weightDecay)
        return *weightDecay;
    return optimizer == Optimizer::AdamW ? ofAdamW : optimizer == Optimizer::Lars ? ofLars : 0;
}

} // namespace tilescope
