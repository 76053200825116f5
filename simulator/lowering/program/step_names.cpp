#include "simulator/lowering/program/step_names.h"

#include <fmt/format.h>
#include <utility>

namespace tilescope::sim {
namespace {

// In place of the number of a copy until finish(): no name of a model has control characters.
constexpr char numberMark = '\x01';

/// The name with each "<mark>index<mark>" replaced by the number of that copy.
void putNumbers(std::string& name, const std::vector<int>& numbers) {
    for (auto at = name.find(numberMark); at != std::string::npos; at = name.find(numberMark, at)) {
        const auto end = name.find(numberMark, at + 1);
        const auto index = static_cast<std::size_t>(std::stoul(name.substr(at + 1, end - at - 1)));
        name.replace(at, end + 1 - at, std::to_string(numbers[index]));
    }
}

} // namespace

std::string StepNames::copyName(std::string_view name, CopyPass pass, int parts) {
    const std::string mark = fmt::format("{0}{1}{0}", numberMark, copies_.size());
    copies_.push_back({pass, parts});
    std::string full = "copy" + mark + "_";
    for (const char c : name)
        c == '#' && pass == CopyPass::Control ? full += mark : full += c;
    return full;
}

void StepNames::numberComputeSet(const std::string& name) {
    setNumbers_.emplace(name, static_cast<int>(setNumbers_.size()));
}

std::string StepNames::exchangeName(const std::string& computeSet) {
    numberComputeSet(computeSet);
    return fmt::format("cs{}_{}/ExchangePre", setNumbers_.at(computeSet), computeSet);
}

void StepNames::finish(Profile& profile) const {
    std::vector<int> numbers(copies_.size(), 0);
    // What is merged had numbers of its own as it was written.
    int next = 0;
    for (std::size_t i = 0; i < copies_.size(); ++i)
        if (copies_[i].pass != CopyPass::Control)
            numbers[i] = std::exchange(next, next + copies_[i].parts);
    for (const CopyPass pass : {CopyPass::Padded, CopyPass::Control, CopyPass::Merged})
        for (std::size_t i = 0; i < copies_.size(); ++i)
            if (copies_[i].pass == pass)
                numbers[i] = next++;
    for (std::size_t i = 0; i < profile.programs.size(); ++i)
        putNumbers(profile.programs[ProgramId(i)].name, numbers);
    for (std::size_t i = 0; i < profile.exchanges.size(); ++i)
        putNumbers(profile.exchanges[ExchangeId(i)].name, numbers);
    for (std::size_t i = 0; i < profile.computeSets.size(); ++i)
        putNumbers(profile.computeSets[ComputeSetId(i)].name, numbers);
    for (std::size_t i = 0; i < profile.variables.size(); ++i)
        putNumbers(profile.variables[VariableId(i)].name, numbers);
}

} // namespace tilescope::sim
