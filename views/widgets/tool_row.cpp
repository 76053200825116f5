#include "views/widgets/tool_row.h"

#include <QAbstractItemView>
#include <QCoreApplication>
#include <QEvent>
#include <QFrame>
#include <algorithm>
#include <utility>

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
    // The list is wide enough for all items.
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
    , row_(new QHBoxLayout(this))
    , more_(new QToolButton)
    , menu_(new QFrame(this, Qt::Popup))
    , lines_(new QGridLayout(menu_)) {
    setObjectName(QStringLiteral("toolBar"));
    row_->setContentsMargins(10, 8, 10, 6);
    row_->setSpacing(6);
    menu_->setObjectName(QStringLiteral("toolMenu"));
    menu_->setAttribute(Qt::WA_StyledBackground);
    menu_->setAccessibleName(tr("More controls"));
    more_->setText(QStringLiteral("\u00bb"));
    more_->setAccessibleName(tr("More controls"));
    more_->setToolTip(tr("Controls that this window is too narrow for"));
    more_->hide();
    row_->addWidget(more_);
    connect(more_, &QToolButton::clicked, this, &ToolRow::openMenu);
}

void ToolRow::setShown(QWidget* control, bool shown) {
    control->setVisible(shown);
    for (const Item& item : items_)
        if (item.control == control && item.label != nullptr)
            item.label->setVisible(shown);
}

void ToolRow::addItem(Item item) {
    if (item.label != nullptr)
        item.label->setBuddy(item.control);
    if (item.control != nullptr)
        item.control->installEventFilter(this);
    const int end = row_->count() - 1; // before the menu
    if (item.control == nullptr) {
        row_->insertStretch(end, item.stretch);
    } else {
        row_->insertWidget(end, item.control, item.stretch);
        if (item.label != nullptr)
            row_->insertWidget(end, item.label);
    }
    items_.push_back(item);
}

void ToolRow::addNamed(const QString& label, QWidget* control) {
    addItem({textLabel(label, "muted"), control});
}

QComboBox* ToolRow::addChoice(const QString& label, const QStringList& items, bool narrow) {
    QComboBox* box = narrow ? new NarrowChoice : new QComboBox;
    box->setSizeAdjustPolicy(QComboBox::AdjustToContents);
    box->addItems(items);
    box->setAccessibleName(label);
    addNamed(label, box);
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
    addItem({nullptr, button, 0, Priority::Button});
    return button;
}

QLineEdit* ToolRow::addField(const QString& placeholder, const QString& toolTip, int width) {
    auto* field = new QLineEdit;
    field->setPlaceholderText(placeholder);
    field->setToolTip(toolTip);
    // In a narrow window the field gives way: the buttons' texts must stay readable, and so must
    // its hint.
    constexpr int besideText = 30; // padding and margins
    const int hint = field->fontMetrics().horizontalAdvance(placeholder) + besideText;
    field->setMinimumWidth(std::max(width / 2, hint));
    field->setMaximumWidth(std::max(width, hint));
    field->setClearButtonEnabled(true);
    addItem({nullptr, field, 1, Priority::Always});
    return field;
}

void ToolRow::setPriority(QWidget* control, Priority priority) {
    for (Item& item : items_)
        if (item.control == control)
            item.priority = priority;
}

bool ToolRow::isInMenu(const QWidget* control) const {
    return std::any_of(items_.begin(), items_.end(), [control](const Item& item) {
        return item.control == control && item.inMenu;
    });
}

int ToolRow::Item::width(int spacing) const {
    // Controls that always stay in the row may be as narrow as possible, others need the width of
    // their text.
    const QSize least = control->minimumSizeHint().expandedTo(control->minimumSize());
    const int fixed = control->minimumWidth();
    const int own = priority != Priority::Always
                        ? std::max(control->sizeHint().width(), least.width())
                    : fixed > 0 ? fixed
                                : least.width();
    return std::min(own, control->maximumWidth()) +
           (label != nullptr ? label->sizeHint().width() + spacing : 0);
}

int ToolRow::needed(Priority least) const {
    const QMargins margins = row_->contentsMargins();
    int width = margins.left() + margins.right();
    int controls = 0;
    for (const Item& item : items_)
        if (item.shown() && item.priority >= least)
            width += item.width(row_->spacing()) + (controls++ > 0 ? row_->spacing() : 0);
    return width;
}

QSize ToolRow::sizeHint() const {
    return {needed(Priority::Button), row_->sizeHint().height()};
}

QSize ToolRow::minimumSizeHint() const {
    const int rest = needed(Priority::Button) > needed(Priority::Always)
                         ? more_->sizeHint().width() + row_->spacing()
                         : 0;
    return {needed(Priority::Always) + rest, row_->minimumSize().height()};
}

void ToolRow::arrange() {
    int over = needed(Priority::Button) - width();
    std::vector<Item*> out;
    if (over > 0) {
        over += more_->sizeHint().width() + row_->spacing();
        for (Item& item : items_)
            if (item.shown() && item.priority != Priority::Always)
                out.push_back(&item);
        // The last to leave is first.
        std::stable_sort(out.begin(), out.end(),
                         [](const Item* a, const Item* b) { return a->priority > b->priority; });
    }
    bool changed = false;
    std::vector<bool> inMenu(items_.size());
    for (auto item = out.rbegin(); item != out.rend() && over > 0; ++item) {
        inMenu[static_cast<std::size_t>(*item - items_.data())] = true;
        over -= (*item)->width(row_->spacing()) + row_->spacing();
    }
    for (std::size_t i = 0; i < items_.size(); ++i)
        changed |= std::exchange(items_[i].inMenu, inMenu[i]) != inMenu[i];
    if (changed)
        place();
}

void ToolRow::place() {
    for (QLayout* layout : {static_cast<QLayout*>(row_), static_cast<QLayout*>(lines_)})
        while (QLayoutItem* item = layout->takeAt(0))
            delete item; // of the layout: widgets stay
    int line = 0;
    for (const Item& item : items_) {
        if (item.control == nullptr) {
            row_->addStretch(item.stretch);
            continue;
        }
        for (QWidget* widget : {static_cast<QWidget*>(item.label), item.control}) {
            if (widget == nullptr)
                continue;
            const bool shown = !widget->isHidden(); // a new parent hides it
            if (item.inMenu)
                lines_->addWidget(widget, line, widget == item.label ? 0 : 1);
            else
                row_->addWidget(widget, widget == item.control ? item.stretch : 0);
            widget->setVisible(shown);
        }
        line += item.inMenu ? 1 : 0;
    }
    row_->addWidget(more_);
    more_->setVisible(line > 0);
    if (line == 0)
        menu_->hide();
}

void ToolRow::openMenu() {
    menu_->adjustSize();
    const QPoint corner = more_->mapToGlobal(QPoint(more_->width(), more_->height()));
    menu_->move(corner - QPoint(menu_->width(), 0));
    menu_->show();
    if (QWidget* first = menu_->nextInFocusChain())
        first->setFocus(Qt::TabFocusReason);
}

bool ToolRow::event(QEvent* event) {
    const bool handled = QWidget::event(event);
    if (event->type() == QEvent::Resize || event->type() == QEvent::LayoutRequest ||
        event->type() == QEvent::Polish || event->type() == QEvent::FontChange)
        arrange();
    return handled;
}

// A control hidden, shown or with a new text changes the room of the others.
bool ToolRow::eventFilter(QObject* watched, QEvent* event) {
    if (event->type() == QEvent::ShowToParent || event->type() == QEvent::HideToParent)
        QCoreApplication::postEvent(this, new QEvent(QEvent::LayoutRequest));
    return QWidget::eventFilter(watched, event);
}

} // namespace tilescope::views
