// Help inside the application.
#pragma once

#include <QDialog>
#include <QStringList>

class QLineEdit;
class QListWidget;

namespace tilescope::gui {

class HelpText;

/// Short pages, one for each report and some more, and those of the manual, one for each task, with
/// a search over all of them. Enter in the search box goes from match to match, through all pages.
class HelpWindow : public QDialog {
    Q_OBJECT
public:
    explicit HelpWindow(QWidget* parent = nullptr);

    /// By its name ("memory", "manual/pipelines"); an empty or unknown name shows the first page. A
    /// word of it that is not empty is selected.
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
