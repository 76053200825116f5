#include "core/analysis/source/statements.h"

#include <algorithm>

namespace tilescope {
namespace {

class Lexer {
public:
    explicit Lexer(std::string_view text)
        : text_(text) {}

    std::vector<LineSpan> run() {
        beginLine();
        while (at_ < text_.size())
            take();
        if (inString() || depth_ > 0) // never closed
            for (std::size_t line = begin_; line < spans_.size(); ++line)
                spans_[line] = alone(line);
        else
            close();
        return std::move(spans_);
    }

private:
    static LineSpan alone(std::size_t line) {
        const auto number = static_cast<std::int32_t>(line + 1);
        return {number, number};
    }

    [[nodiscard]] bool inString() const { return quote_ != 0; }
    [[nodiscard]] bool continues() const { return depth_ > 0 || inString() || joined_; }

    /// The statement that began last ends with the line before the next one.
    void close() {
        const auto last = static_cast<std::int32_t>(spans_.size());
        for (std::size_t line = begin_; line < spans_.size(); ++line)
            spans_[line].last = last;
    }

    void beginLine() {
        if (at_ == text_.size())
            return;
        if (!continues()) {
            close();
            begin_ = spans_.size();
        }
        joined_ = false;
        spans_.push_back({static_cast<std::int32_t>(begin_ + 1), 0});
    }

    void endLine() {
        ++at_;
        if (inString() && !triple_)
            quote_ = 0; // an error in the program
        beginLine();
    }

    /// After a backslash: the end of a line joins the next, in a string it does not end that.
    void takeEscaped() {
        ++at_;
        if (at_ + 1 < text_.size() && text_[at_] == '\r' && text_[at_ + 1] == '\n')
            ++at_;
        if (at_ == text_.size())
            return;
        if (text_[at_] != '\n') {
            if (inString())
                ++at_;
            return;
        }
        ++at_;
        joined_ = true;
        beginLine();
    }

    [[nodiscard]] bool threeAt(char quote) const {
        return at_ + 2 < text_.size() && text_[at_] == quote && text_[at_ + 1] == quote &&
               text_[at_ + 2] == quote;
    }

    void take() {
        const char c = text_[at_];
        if (c == '\n')
            return endLine();
        if (c == '\\')
            return takeEscaped();
        if (inString())
            return takeInString(c);
        if (c == '#')
            at_ = std::min(text_.find('\n', at_), text_.size());
        else
            takeCode(c);
    }

    void takeInString(char c) {
        const bool ends = c == quote_ && (!triple_ || threeAt(c));
        at_ += ends && triple_ ? 3 : 1;
        if (ends)
            quote_ = 0;
    }

    void takeCode(char c) {
        if (c == '(' || c == '[' || c == '{')
            ++depth_;
        else if ((c == ')' || c == ']' || c == '}') && depth_ > 0)
            --depth_;
        if (c == '"' || c == '\'') {
            quote_ = c;
            triple_ = threeAt(c);
            at_ += triple_ ? 2 : 0;
        }
        ++at_;
    }

    std::string_view text_;
    std::size_t at_ = 0;
    std::size_t begin_ = 0; ///< the first line of the statement, from 0
    std::size_t depth_ = 0; ///< of brackets
    char quote_ = 0;        ///< of the string; 0 outside of strings
    bool triple_ = false;
    bool joined_ = false; ///< by a backslash
    std::vector<LineSpan> spans_;
};

} // namespace

std::vector<LineSpan> statementsOf(std::string_view text) {
    return Lexer(text).run();
}

} // namespace tilescope
