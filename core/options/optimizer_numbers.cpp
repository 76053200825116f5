#include "core/options/optimizer_numbers.h"

namespace tilescope {
namespace {

struct Number {
    const char* option;
    double RunOptions::*member;
};
constexpr Number ofAll[] = {{"learningRate", &RunOptions::learningRate}};
constexpr Number ofVelocities[] = {{"momentum", &RunOptions::momentum}};
constexpr Number ofMoments[] = {{"beta1", &RunOptions::beta1},
                                {"beta2", &RunOptions::beta2},
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
    forEachGiven(options, ofMoments, add);
    return given;
}

std::vector<IdleNumber> idleOptimizerNumbers(const RunOptions& options) {
    using enum Optimizer;
    std::vector<IdleNumber> idle;
    if (options.optimizer != Momentum && options.optimizer != Lars)
        forEachGiven(options, ofVelocities, [&](const char* option) {
            idle.push_back({option, "only --optimizer momentum and lars have a velocity"});
        });
    if (options.optimizer != Adam && options.optimizer != AdamW && options.optimizer != Lamb)
        forEachGiven(options, ofMoments, [&](const char* option) {
            idle.push_back({option, "only --optimizer adam, adamw and lamb have moments"});
        });
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
