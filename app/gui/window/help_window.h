// Help inside the application.
#pragma once

#include <QDialog>
#include <QStringList>

class QLineEdit;
class QListWidget;

namespace tilescope::gui {

class HelpText;

/// Short pages, one for each report and a few others, and pages of the manual, one for each task,
/// with a search over all of them. Enter in the search box goes to the next match in all pages.
class HelpWindow : public QDialog {
    Q_OBJECT
public:
    explicit HelpWindow(QWidget* parent = nullptr);

    /// Shows a page by name ("memory", "manual/pipelines"), the first page if the name is empty or
    /// unknown, and selects a word on it unless that is empty.
    void showPage(const QString& name, const QString& word = {});

    /// Names of all pages in the order of the contents.
    static QStringList pages();

private:
    void addPage(const QString& name);
    [[nodiscard]] QString pageAt(int row) const;
    void load(int row);
    void filter(const QString& text);
    void findNext();
    void changeEvent(QEvent* event) override;

    QLineEdit* search_;
    QListWidget* contents_;
    HelpText* text_;
};

} // namespace tilescope::gui
