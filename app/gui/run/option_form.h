// All options of a run, in groups, with a search box.
#pragma once

#include <QWidget>
#include <vector>

#include "app/gui/run/option_editor.h"

class QCheckBox;
class QLineEdit;
class QScrollArea;

namespace tilescope::gui {

/// Made from the option table. Every change is checked with the table's own functions, and each
/// error is shown at the option that it names.
class OptionForm : public QWidget {
    Q_OBJECT
public:
    explicit OptionForm(QWidget* parent = nullptr);

    /// Options that differ from their defaults, by key.
    [[nodiscard]] std::map<std::string, std::string> changedValues() const;
    /// Replaces all values; options that are not named get their defaults.
    void setValues(const std::map<std::string, std::string>& values);
    void setValue(const std::string& key, const std::string& value);
    [[nodiscard]] OptionEditor* editor(const std::string& key);
    /// Shows an error at its option and brings that into view; false if there is no such option.
    bool showError(const QString& text, const std::string& key);
    void focusOption(const std::string& key);
    /// Undoes focusOption().
    void forgetFocus() { focused_ = nullptr; }
    void setFilter(const QString& text);
    /// Scrolls to the first option, or to the one that focusOption() has named.
    void scrollToStart();
    /// No errors according to the table.
    [[nodiscard]] bool good() const { return good_; }

signals:
    void edited();

protected:
    void showEvent(QShowEvent* event) override;

private:
    struct Group {
        QWidget* box;
        std::vector<OptionEditor*> editors;
    };
    QWidget* makeGroups();
    void check();
    void filter();

    std::vector<Group> groups_;
    QLineEdit* search_;
    QCheckBox* onlyChanged_;
    QScrollArea* scroll_;
    OptionEditor* focused_ = nullptr; ///< named last by focusOption()
    bool setting_ = false;
    bool good_ = true;
};

} // namespace tilescope::gui
