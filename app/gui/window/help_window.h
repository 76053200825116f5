// Help inside the application.
#pragma once

#include <QDialog>
#include <QStringList>

class QLineEdit;
class QListWidget;
class QTextBrowser;

namespace tilescope::gui {

/// Short pages, one for each report and some more, with a search over all of them. Enter in the
/// search box goes from match to match, through all pages.
class HelpWindow : public QDialog {
    Q_OBJECT
public:
    explicit HelpWindow(QWidget* parent = nullptr);

    /// By its name ("memory"); an empty or unknown name shows the first page. A word of it that is
    /// not empty is selected.
    void showPage(const QString& name, const QString& word = {});

    /// Names of all pages in the order of the contents.
    static QStringList pages();
    /// A page as Markdown; empty if there is none.
    static QString markdown(const QString& page);

private:
    void load(int row);
    void filter(const QString& text);
    void findNext();
    void restyle();
    void changeEvent(QEvent* event) override;

    QLineEdit* search_;
    QListWidget* contents_;
    QTextBrowser* text_;
};

} // namespace tilescope::gui
