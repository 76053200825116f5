#include "views/widgets/text_matcher.h"

namespace tilescope::views {

TextMatcher::TextMatcher(const QString& text, bool matchCase, bool pattern)
    : text_(text)
    , matchCase_(matchCase)
    , isPattern_(pattern) {
    if (pattern)
        pattern_ = QRegularExpression(text, matchCase ? QRegularExpression::NoPatternOption
                                                      : QRegularExpression::CaseInsensitiveOption);
}

QString TextMatcher::error() const {
    return isPattern_ && !pattern_.isValid() ? pattern_.errorString() : QString();
}

bool TextMatcher::matches(const QString& name) const {
    if (empty())
        return false;
    if (isPattern_)
        return pattern_.isValid() && pattern_.match(name).hasMatch();
    return name.contains(text_, matchCase_ ? Qt::CaseSensitive : Qt::CaseInsensitive);
}

} // namespace tilescope::views
