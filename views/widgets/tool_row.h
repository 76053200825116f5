// The row of controls above a report.
#pragma once

#include <QComboBox>
#include <QHBoxLayout>
#include <QLineEdit>
#include <QToolButton>
#include <QWidget>

namespace tilescope::views {

/// Controls from left to right; a stretch parts the left group from the right one.
class ToolRow : public QWidget {
    Q_OBJECT
public:
    explicit ToolRow(QWidget* parent = nullptr);

    /// `narrow`: as wide as what is chosen, for items that are much longer than the usual one.
    QComboBox* addChoice(const QString& label, const QStringList& items, bool narrow = false);
    QToolButton* addToggle(const QString& text, const QString& toolTip, bool on);
    QToolButton* addButton(const QString& text, const QString& toolTip);
    QLineEdit* addField(const QString& placeholder, const QString& toolTip, int width);
    /// Shows or hides a control with its label.
    void setShown(QWidget* control, bool shown);
    /// A control of its own kind; `stretch` is its share of the free room.
    void add(QWidget* control, int stretch = 0) { row_->addWidget(control, stretch); }
    void addStretch() { row_->addStretch(1); }

private:
    QHBoxLayout* row_;
};

} // namespace tilescope::views
