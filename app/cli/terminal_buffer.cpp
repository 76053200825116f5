#include "app/cli/terminal_buffer.h"

#include <algorithm>
#include <string>

#include "core/base/printable.h"

namespace tilescope::cli {

TerminalBuffer::TerminalBuffer(std::streambuf& terminal)
    : terminal_(terminal) {
    setp(buffer_.data(), buffer_.data() + buffer_.size());
}

TerminalBuffer::int_type TerminalBuffer::overflow(int_type character) {
    if (!pass(false))
        return traits_type::eof();
    if (!traits_type::eq_int_type(character, traits_type::eof()))
        sputc(traits_type::to_char_type(character));
    return traits_type::not_eof(character);
}

int TerminalBuffer::sync() {
    return pass(true) ? terminal_.pubsync() : -1;
}

bool TerminalBuffer::pass(bool all) {
    constexpr std::ptrdiff_t longestCharacter = 4; // bytes of UTF-8
    const char* end = pptr();
    const auto isLast = [](char c) { return (static_cast<unsigned char>(c) & 0x80U) == 0; };
    if (!all)
        while (end > pbase() && pptr() - end < longestCharacter && !isLast(*(end - 1)))
            --end;
    const std::string clean = printable({pbase(), end}, Lines::Keep);
    const std::string kept(end, static_cast<const char*>(pptr()));
    setp(buffer_.data(), buffer_.data() + buffer_.size());
    std::copy(kept.begin(), kept.end(), pptr());
    pbump(static_cast<int>(kept.size()));
    const auto size = static_cast<std::streamsize>(clean.size());
    return terminal_.sputn(clean.data(), size) == size;
}

} // namespace tilescope::cli
