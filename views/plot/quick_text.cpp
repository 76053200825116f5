#include "views/plot/quick_text.h"
#include "views/theme/text.h"

#include <QGlyphRun>
#include <algorithm>

namespace tilescope::views {
namespace {
constexpr QChar ellipsis(0x2026);
constexpr char firstPrinting = ' ';
constexpr char lastPrinting = '~';
} // namespace

QuickText::QuickText(const QFont& font)
    : font_(font)
    , metrics_(font)
    , raw_(QRawFont::fromFont(font)) {
    QString letters;
    for (char letter = firstPrinting; letter <= lastPrinting; ++letter)
        letters.append(QLatin1Char(letter));
    letters.append(ellipsis);
    const QList<quint32> indexes = raw_.glyphIndexesForString(letters);
    const QList<QPointF> advances = raw_.advancesForGlyphIndexes(indexes);
    if (indexes.size() != letters.size() || advances.size() != indexes.size())
        return; // all texts are laid out then
    for (qsizetype i = 0; i < letters.size(); ++i) {
        const Glyph glyph{indexes[i], advances[i].x(), indexes[i] != 0};
        if (letters[i] == ellipsis)
            ellipsis_ = glyph;
        else
            glyphs_[static_cast<unsigned char>(letters[i].toLatin1())] = glyph;
    }
}

bool QuickText::plain(std::string_view text) const {
    return ellipsis_.known && std::all_of(text.begin(), text.end(), [this](char letter) {
               return static_cast<unsigned char>(letter) < glyphs_.size() && glyph(letter).known;
           });
}

void QuickText::draw(QPainter& painter, const QRect& room, std::string_view text,
                     Qt::TextElideMode elide, std::size_t fewest) const {
    if (!plain(text))
        return drawLaidOut(painter, room, text, elide, fewest);
    double width = 0;
    for (const char letter : text)
        width += glyph(letter).advance;
    const bool whole = width <= room.width();
    while (!whole && !text.empty() && width + ellipsis_.advance > room.width()) {
        width -= glyph(elide == Qt::ElideLeft ? text.front() : text.back()).advance;
        elide == Qt::ElideLeft ? text.remove_prefix(1) : text.remove_suffix(1);
    }
    if (!whole && text.size() < fewest)
        return;
    QList<quint32> indexes;
    QList<QPointF> places;
    double x = 0;
    const auto put = [&](const Glyph& next) {
        indexes.append(next.index);
        places.append(QPointF(x, 0));
        x += next.advance;
    };
    if (!whole && elide == Qt::ElideLeft)
        put(ellipsis_);
    for (const char letter : text)
        put(glyph(letter));
    if (!whole && elide != Qt::ElideLeft)
        put(ellipsis_);
    QGlyphRun run;
    run.setRawFont(raw_);
    run.setGlyphIndexes(indexes);
    run.setPositions(places);
    const int top = room.top() + (room.height() - metrics_.height()) / 2;
    painter.drawGlyphRun(QPointF(room.left(), top + metrics_.ascent()), run);
}

void QuickText::drawLaidOut(QPainter& painter, const QRect& room, std::string_view text,
                            Qt::TextElideMode elide, std::size_t fewest) const {
    const QString all =
        shownText(QString::fromUtf8(text.data(), static_cast<qsizetype>(text.size())));
    const QString shown = metrics_.elidedText(all, elide, room.width());
    // The ellipsis does not count as a character of the text.
    if (shown != all && shown.size() <= static_cast<qsizetype>(fewest))
        return;
    painter.setFont(font_);
    painter.drawText(room, Qt::AlignLeft | Qt::AlignVCenter | Qt::TextSingleLine, shown);
}

} // namespace tilescope::views
