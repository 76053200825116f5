// Many short texts in every frame.
#pragma once

#include <QFont>
#include <QFontMetrics>
#include <QPainter>
#include <QRawFont>
#include <array>
#include <string_view>

namespace tilescope::views {

/// Draws single lines glyph by glyph instead of laying each out anew, which takes ten times as
/// long. Texts with letters beyond ASCII, whose glyphs may combine or come from other fonts, are
/// laid out all the same. Kerning is left out.
class QuickText {
public:
    explicit QuickText(const QFont& font);

    [[nodiscard]] const QFont& font() const { return font_; }

    /// Draws a UTF-8 text left-aligned in `room`, centred vertically and with the painter's pen. A
    /// text that does not fit is elided at the right or left. Draws nothing if less than `fewest`
    /// characters of it remain.
    void draw(QPainter& painter, const QRect& room, std::string_view text, Qt::TextElideMode elide,
              std::size_t fewest) const;

private:
    struct Glyph {
        quint32 index = 0;
        double advance = 0;
        bool known = false;
    };
    [[nodiscard]] bool plain(std::string_view text) const;
    [[nodiscard]] const Glyph& glyph(char letter) const {
        return glyphs_[static_cast<unsigned char>(letter)];
    }
    void drawLaidOut(QPainter& painter, const QRect& room, std::string_view text,
                     Qt::TextElideMode elide, std::size_t fewest) const;

    QFont font_;
    QFontMetrics metrics_;
    QRawFont raw_;
    std::array<Glyph, 128> glyphs_{}; ///< of ASCII
    Glyph ellipsis_;
};

} // namespace tilescope::views
