// A row of the run dialog: one option of the table.
#pragma once

#include <QWidget>
#include <optional>

#include "core/options/option_form.h"
#include "core/options/option_table.h"
#include "views/widgets/wrapped_label.h"

class QCheckBox;
class QComboBox;
class QLabel;
class QLineEdit;
class QToolButton;

namespace tilescope::gui {

/// Name, editor and help of an option, and the error in its value if any. Values are text, as in
/// the table; an empty one is the default.
class OptionEditor : public QWidget {
    Q_OBJECT
public:
    explicit OptionEditor(const OptionSpec& spec, QWidget* parent = nullptr);

    [[nodiscard]] const OptionSpec& spec() const { return spec_; }
    [[nodiscard]] std::string value() const;
    void setValue(const std::string& value);
    [[nodiscard]] bool changed() const { return value() != spec_.defaultValue; }
    /// Bounds of a number, appended to the help.
    void setRange(const std::optional<OptionRange>& range);
    /// Text below the editor; empty for none. A prefix that repeats the option's name is removed.
    void setProblem(const QString& text);
    [[nodiscard]] QString problem() const;
    /// The meaning of an empty field, where the table has no default.
    void setPlaceholder(const QString& text);
    /// Name, flag, key, help or choices contain the text.
    [[nodiscard]] bool matches(const QString& text) const;
    void focusEditor();
    [[nodiscard]] QWidget& editor() { return *editor_; }

    /// "Batch size" for "--batch-size".
    static QString titleOf(const OptionSpec& spec);

signals:
    void edited();

private:
    QWidget* makeEditor();
    void askForFile();
    void valueEdited();
    bool eventFilter(QObject* watched, QEvent* event) override;

    const OptionSpec& spec_; // of the table, which lives as long as the program
    QComboBox* choice_ = nullptr;
    QCheckBox* check_ = nullptr;
    QLineEdit* field_ = nullptr;
    QWidget* editor_ = nullptr;
    QLabel* title_;
    views::WrappedLabel* help_;
    views::WrappedLabel* problem_;
    QToolButton* reset_;
};

} // namespace tilescope::gui
