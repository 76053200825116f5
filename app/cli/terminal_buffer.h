// The last filter for text written to a terminal.
#pragma once

#include <array>
#include <streambuf>

namespace tilescope::cli {

/// Passes text on without control sequences, see printable(). That includes names in JSON, CSV and
/// DOT, which files and pipes get unchanged.
class TerminalBuffer : public std::streambuf {
public:
    explicit TerminalBuffer(std::streambuf& terminal);
    TerminalBuffer(const TerminalBuffer&) = delete;
    TerminalBuffer& operator=(const TerminalBuffer&) = delete;
    ~TerminalBuffer() override = default;

protected:
    int_type overflow(int_type character) override;
    int sync() override;

private:
    /// Passes on everything, or everything but an incomplete character at the end.
    bool pass(bool all);

    std::streambuf& terminal_;
    std::array<char, 1 << 12> buffer_{};
};

} // namespace tilescope::cli
