#include "views/widgets/tool_row.h"

#include <QLabel>

namespace tilescope::views {

ToolRow::ToolRow(QWidget* parent)
    : QWidget(parent)
    , row_(new QHBoxLayout(this)) {
    setObjectName(QStringLiteral("toolBar"));
    row_->setContentsMargins(10, 8, 10, 6);
    row_->setSpacing(6);
}

void ToolRow::setShown(QWidget* control, bool shown) {
    control->setVisible(shown);
    for (QLabel* label : findChildren<QLabel*>())
        if (label->buddy() == control)
            label->setVisible(shown);
}

QComboBox* ToolRow::addChoice(const QString& label, const QStringList& items) {
    auto* text = new QLabel(label);
    text->setObjectName(QStringLiteral("muted"));
    auto* box = new QComboBox;
    box->setSizeAdjustPolicy(QComboBox::AdjustToContents);
    box->addItems(items);
    box->setAccessibleName(label);
    text->setBuddy(box);
    row_->addWidget(text);
    row_->addWidget(box);
    row_->addSpacing(2);
    return box;
}

QToolButton* ToolRow::addToggle(const QString& text, const QString& toolTip, bool on) {
    QToolButton* button = addButton(text, toolTip);
    button->setCheckable(true);
    button->setChecked(on);
    return button;
}

QToolButton* ToolRow::addButton(const QString& text, const QString& toolTip) {
    auto* button = new QToolButton;
    button->setText(text);
    button->setToolTip(toolTip);
    row_->addWidget(button);
    return button;
}

QLineEdit* ToolRow::addField(const QString& placeholder, const QString& toolTip, int width) {
    auto* field = new QLineEdit;
    field->setPlaceholderText(placeholder);
    field->setToolTip(toolTip);
    // A narrow window takes its room from the field: the buttons' texts have to be read.
    field->setMinimumWidth(width / 2);
    field->setMaximumWidth(width);
    field->setClearButtonEnabled(true);
    row_->addWidget(field, 1);
    return field;
}

} // namespace tilescope::views
