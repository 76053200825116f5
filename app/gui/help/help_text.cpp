#include "app/gui/help/help_text.h"

#include <QImage>
#include <QTextBlock>
#include <QTextCursor>
#include <QTextFrame>
#include <QTextTable>

namespace tilescope::gui {
namespace {

constexpr int pageMargin = 18;

} // namespace

HelpText::HelpText(QWidget* parent)
    : QTextBrowser(parent) {
    setOpenExternalLinks(false);
    setOpenLinks(false);
    setFrameShape(QFrame::NoFrame);
}

void HelpText::showMarkdown(const QString& markdown) {
    pictures_.clear();
    setMarkdown(markdown);
    restyle();
}

// Puts a heading closer to the text below it than to the text above.
void HelpText::spaceHeadings() {
    constexpr int space = 12;
    for (QTextBlock block = document()->begin().next(); block.isValid(); block = block.next())
        if (block.blockFormat().headingLevel() > 0) {
            QTextBlockFormat format = block.blockFormat();
            format.setTopMargin(space);
            QTextCursor(block).setBlockFormat(format);
        }
}

void HelpText::restyle() {
    spaceHeadings();
    QTextFrameFormat format = document()->rootFrame()->frameFormat();
    format.setMargin(pageMargin);
    document()->rootFrame()->setFrameFormat(format);
    constexpr int padding = 5;
    for (QTextFrame* frame : document()->rootFrame()->childFrames())
        if (auto* table = qobject_cast<QTextTable*>(frame)) {
            QTextTableFormat look = table->format();
            look.setBorder(0);
            look.setCellSpacing(0);
            look.setCellPadding(padding);
            look.setLeftMargin(-padding); // aligns its texts with the paragraphs
            table->setFormat(look);
        }
}

QVariant HelpText::loadResource(int type, const QUrl& name) {
    if (type != QTextDocument::ImageResource)
        return QTextBrowser::loadResource(type, name);
    pictures_ << name;
    return picture(name);
}

// The document would scale pictures without smoothing, which makes text in them illegible.
QImage HelpText::picture(const QUrl& name) const {
    QImage image(QStringLiteral(":/pictures/") + name.fileName());
    const qreal scale = devicePixelRatioF();
    const qreal room = viewport()->width() - 2 * pageMargin - document()->indentWidth();
    const int width = qRound(room * scale);
    if (width > 0 && width < image.width())
        image = image.scaledToWidth(width, Qt::SmoothTransformation);
    image.setDevicePixelRatio(scale);
    return image;
}

void HelpText::resizeEvent(QResizeEvent* event) {
    QTextBrowser::resizeEvent(event);
    for (const QUrl& name : std::as_const(pictures_))
        document()->addResource(QTextDocument::ImageResource, name, picture(name));
    if (!pictures_.isEmpty())
        document()->markContentsDirty(0, document()->characterCount());
}

} // namespace tilescope::gui
