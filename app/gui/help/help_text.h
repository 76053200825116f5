// The text of a page of the help.
#pragma once

#include <QSet>
#include <QTextBrowser>
#include <QUrl>

namespace tilescope::gui {

/// Shows Markdown, with pictures scaled to the available width. Links are followed by whoever
/// listens to anchorClicked().
class HelpText : public QTextBrowser {
public:
    explicit HelpText(QWidget* parent = nullptr);

    void showMarkdown(const QString& markdown);

protected:
    QVariant loadResource(int type, const QUrl& name) override;
    void resizeEvent(QResizeEvent* event) override;

private:
    void restyle();
    void spaceHeadings();
    [[nodiscard]] QImage picture(const QUrl& name) const;

    QSet<QUrl> pictures_; ///< of this page
};

} // namespace tilescope::gui
