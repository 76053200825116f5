#include "views/widgets/tool_row.h"

#include <QAbstractItemView>
#include <algorithm>

#include "views/widgets/parts.h"

namespace tilescope::views {
namespace {

class NarrowChoice : public QComboBox {
public:
    NarrowChoice() {
        connect(this, &QComboBox::currentTextChanged, this, [this] { updateGeometry(); });
    }
    [[nodiscard]] QSize sizeHint() const override {
        const QSize all = QComboBox::sizeHint();
        return {all.width() - widest() + fontMetrics().horizontalAdvance(currentText()),
                all.height()};
    }
    [[nodiscard]] QSize minimumSizeHint() const override { return sizeHint(); }
    // The list has room for all of them.
    void showPopup() override {
        view()->setMinimumWidth(QComboBox::sizeHint().width());
        QComboBox::showPopup();
    }

private:
    [[nodiscard]] int widest() const {
        int width = 0;
        for (int item = 0; item < count(); ++item)
            width = std::max(width, fontMetrics().horizontalAdvance(itemText(item)));
        return width;
    }
};

} // namespace

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

QComboBox* ToolRow::addChoice(const QString& label, const QStringList& items, bool narrow) {
    QComboBox* box = narrow ? new NarrowChoice : new QComboBox;
    QLabel* text = textLabel(label, "muted");
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
    // The hint has to be read too.
    constexpr int besideText = 30; // padding and margins
    const int hint = field->fontMetrics().horizontalAdvance(placeholder) + besideText;
    field->setMinimumWidth(std::max(width / 2, hint));
    field->setMaximumWidth(std::max(width, hint));
    field->setClearButtonEnabled(true);
    row_->addWidget(field, 1);
    return field;
}

} // namespace tilescope::views
