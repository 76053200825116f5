// The last step of text on its way to a terminal.
#pragma once

#include <array>
#include <streambuf>

namespace tilescope::cli {

/// Passes text on without what commands a terminal, see printable(): names in JSON, CSV and DOT as
/// well, which are as they were in a file or a pipe.
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
    /// All but the beginning of a character that is not there as a whole.
    bool pass(bool all);

    std::streambuf& terminal_;
    std::array<char, 1 << 12> buffer_{};
};

} // namespace tilescope::cli
