#include "simulator/lowering/program/step_names.h"

#include <fmt/format.h>
#include <utility>

namespace tilescope::sim {

StepName& StepName::operator+=(const StepName& more) {
    const std::size_t before = text_.size();
    for (const Number& number : more.numbers_)
        numbers_.push_back({before + number.at, number.copy});
    text_ += more.text_;
    return *this;
}

std::string StepName::withNumbers(const std::vector<int>& numberOfCopy) const {
    std::string full;
    std::size_t taken = 0;
    for (const Number& number : numbers_) {
        full.append(text_, taken, number.at - taken);
        full += std::to_string(numberOfCopy.at(number.copy));
        taken = number.at;
    }
    return full.append(text_, taken);
}

std::size_t StepNames::newCopy(CopyPass pass, int parts) {
    copies_.push_back({pass, parts});
    return copies_.size() - 1;
}

StepName StepNames::copyName(const StepName& name, CopyPass pass, int parts) {
    StepName full("copy");
    full.addNumber(newCopy(pass, parts));
    return full + "_" + name;
}

StepNames::ControlName StepNames::controlCopyName(const StepName& name) {
    const std::size_t copy = newCopy(CopyPass::Control, 1);
    StepName target = name;
    target.addNumber(copy);
    StepName full("copy");
    full.addNumber(copy);
    return {full + "_" + target, target};
}

void StepNames::numberComputeSet(const StepName& name) {
    setNumbers_.emplace(name, static_cast<int>(setNumbers_.size()));
}

StepName StepNames::exchangeName(const StepName& computeSet) {
    numberComputeSet(computeSet);
    return fmt::format("cs{}_", setNumbers_.at(computeSet)) + computeSet + "/ExchangePre";
}

std::vector<int> StepNames::copyNumbers() const {
    std::vector<int> numbers(copies_.size(), 0);
    // Merged copies had numbers of their own when they were written.
    int next = 0;
    for (std::size_t i = 0; i < copies_.size(); ++i)
        if (copies_[i].pass != CopyPass::Control)
            numbers[i] = std::exchange(next, next + copies_[i].parts);
    for (const CopyPass pass : {CopyPass::Padded, CopyPass::Control, CopyPass::Merged})
        for (std::size_t i = 0; i < copies_.size(); ++i)
            if (copies_[i].pass == pass)
                numbers[i] = next++;
    return numbers;
}

void StepNames::finish(Profile& profile) const {
    const std::vector<int> numbers = copyNumbers();
    const auto putNumbers = [&](auto& entries, const auto& names) {
        using IdType = decltype(entries.add({}));
        for (std::size_t i = 0; i < entries.size(); ++i)
            if (const StepName& name = names[IdType(i)]; !name.numbers().empty())
                entries[IdType(i)].name = name.withNumbers(numbers);
    };
    putNumbers(profile.variables, variables);
    putNumbers(profile.computeSets, computeSets);
    putNumbers(profile.exchanges, exchanges);
    for (Program& program : profile.programs)
        if (program.computeSet.valid())
            program.name = profile.computeSets[program.computeSet].name;
        else if (program.exchange.valid())
            program.name = profile.exchanges[program.exchange].name;
}

} // namespace tilescope::sim
