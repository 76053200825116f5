// What a search looks for: a text or a pattern.
#pragma once

#include <QRegularExpression>
#include <QString>

namespace tilescope::views {

/// Finds a text, or a regular expression, in names. An empty or invalid one finds nothing.
class TextMatcher {
public:
    TextMatcher() = default;
    /// A plain text, ignoring case; implicit, so that a text can be searched for directly.
    TextMatcher(const QString& text) // NOLINT(google-explicit-constructor)
        : TextMatcher(text, false, false) {}
    TextMatcher(const char* text) // NOLINT(google-explicit-constructor)
        : TextMatcher(QString::fromUtf8(text)) {}
    TextMatcher(const QString& text, bool matchCase, bool pattern);

    [[nodiscard]] bool empty() const { return text_.isEmpty(); }
    [[nodiscard]] const QString& text() const { return text_; }
    /// What is wrong with the pattern; empty if nothing is.
    [[nodiscard]] QString error() const;
    [[nodiscard]] bool matches(const QString& name) const;
    friend bool operator==(const TextMatcher&, const TextMatcher&) = default;

private:
    QString text_;
    bool matchCase_ = false;
    bool isPattern_ = false;
    QRegularExpression pattern_;
};

} // namespace tilescope::views
