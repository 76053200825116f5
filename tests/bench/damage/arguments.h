// The command line of the programs in tests/bench that damage files.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace tilescope::bench {

/// Plain words, and names with a value each: "--seed 7".
class Arguments {
public:
    /// Throws std::invalid_argument for a name without a value.
    Arguments(int argc, char** argv);

    /// What is no name and no value of one.
    [[nodiscard]] const std::vector<std::string>& words() const { return words_; }

    /// Sets `value` to what is given for the name, if it is. Throws std::invalid_argument for what
    /// is no such value.
    void take(const std::string& name, int& value);
    void take(const std::string& name, std::uint64_t& value);
    void take(const std::string& name, double& value);
    void take(const std::string& name, std::string& value);
    void take(const std::string& name, bool& value); ///< yes or no

    /// Throws std::invalid_argument for a name that nothing has taken.
    void checkAllTaken() const;

private:
    template <class Convert> void takeAs(const std::string& name, Convert convert);

    std::vector<std::string> words_;
    std::map<std::string, std::string> named_;
};

/// A child that asks for more memory than a small file could need gets an error.
void limitMemory();

} // namespace tilescope::bench
