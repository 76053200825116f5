// Lists of whole numbers as JSON text in a column: written and read much faster than a row for each
// number, and every SQLite can list them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "core/base/ids.h"

namespace tilescope {

/// Appends a number in digits.
void addNumber(std::string& text, std::int64_t number);

/// Takes a text of numbers apart, from its beginning on.
class NumberText {
public:
    /// The text must outlive it.
    explicit NumberText(std::span<const std::byte> text)
        : at_(reinterpret_cast<const char*>(text.data()))
        , end_(at_ + text.size()) {}

    [[nodiscard]] bool atEnd() const { return at_ == end_; }
    /// Whether this comes next, which then is taken.
    bool take(char wanted) {
        if (atEnd() || *at_ != wanted)
            return false;
        ++at_;
        return true;
    }
    /// The next number, or this next; throws DamagedProfile if something else comes.
    std::int64_t number();
    void expect(char wanted);
    /// Throws DamagedProfile unless nothing is left.
    void expectEnd() const;

private:
    const char* at_;
    const char* end_;
};

/// "[1,2,3]".
template <class IdType> std::string idsText(const std::vector<IdType>& ids) {
    std::string text = "[";
    for (const IdType id : ids) {
        if (text.size() > 1)
            text += ',';
        addNumber(text, id.value());
    }
    return text + ']';
}

/// Calls use(number) for the numbers of such a text without spaces.
template <class Use> void forNumbers(std::span<const std::byte> text, const Use& use) {
    NumberText reader(text);
    reader.expect('[');
    if (!reader.take(']')) {
        do
            use(reader.number());
        while (reader.take(','));
        reader.expect(']');
    }
    reader.expectEnd();
}

} // namespace tilescope
