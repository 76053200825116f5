#include "views/widgets/search_box.h"

#include <QAction>
#include <QKeyEvent>
#include <QMenu>

#include "views/session/time_texts.h"
#include "views/widgets/parts.h"

namespace tilescope::views {
namespace {

constexpr int fieldWidth = 220;

QToolButton* button(Qt::ArrowType arrow, const QString& name) {
    auto* made = new QToolButton;
    made->setArrowType(arrow);
    made->setToolTip(name);
    made->setAccessibleName(name);
    made->setEnabled(false);
    return made;
}

} // namespace

SearchBox::SearchBox(const QString& what, const QString& toolTip, QWidget* parent)
    : QWidget(parent)
    , field_(new QLineEdit)
    , count_(textLabel({}, "muted"))
    , previous_(button(Qt::UpArrow, tr("Previous match")))
    , next_(button(Qt::DownArrow, tr("Next match"))) {
    field_->setPlaceholderText(what);
    field_->setAccessibleName(what);
    field_->setToolTip(toolTip);
    field_->setClearButtonEnabled(true);
    field_->setMinimumWidth(fieldWidth / 2);
    field_->setMaximumWidth(fieldWidth);
    field_->installEventFilter(this);
    count_->setAccessibleName(tr("Matches"));
    auto* row = new QHBoxLayout(this);
    row->setContentsMargins(0, 0, 0, 0);
    row->setSpacing(4);
    row->addWidget(count_);
    row->addWidget(field_, 1);
    row->addWidget(previous_);
    row->addWidget(next_);
    connect(field_, &QLineEdit::textChanged, this, [this](const QString& text) {
        if (text.isEmpty())
            setMatches(0, 0);
        emit textChanged(text);
    });
    connect(previous_, &QToolButton::clicked, this, [this] { emit stepWanted(false); });
    connect(next_, &QToolButton::clicked, this, [this] { emit stepWanted(true); });
}

void SearchBox::offerOptions() {
    auto* options = new QToolButton;
    options->setText(tr("Options"));
    options->setAccessibleName(tr("Options of the search"));
    options->setToolTip(tr("Match the case, or search for a regular expression"));
    options->setPopupMode(QToolButton::InstantPopup);
    auto* menu = new QMenu(options);
    const auto add = [&](const QString& text) {
        QAction* action = menu->addAction(text);
        action->setCheckable(true);
        connect(action, &QAction::toggled, this, [this] { emit textChanged(field_->text()); });
        return action;
    };
    matchCase_ = add(tr("Match case"));
    pattern_ = add(tr("Regular expression"));
    options->setMenu(menu);
    layout()->addWidget(options);
}

TextMatcher SearchBox::matcher() const {
    return TextMatcher(field_->text(), matchCase_ != nullptr && matchCase_->isChecked(),
                       pattern_ != nullptr && pattern_->isChecked());
}

void SearchBox::setMatches(qint64 current, qint64 total) {
    const QString wrong = matcher().error();
    count_->setText(field_->text().isEmpty() ? QString()
                    : !wrong.isEmpty()       ? tr("not a pattern")
                    : total == 0             ? tr("no match")
                    : current > 0
                        ? tr("%1 of %2").arg(views::countText(current), views::countText(total))
                        : tr("matches: %1").arg(views::countText(total)));
    count_->setToolTip(wrong);
    previous_->setEnabled(total > 0);
    next_->setEnabled(total > 0);
}

void SearchBox::setSearching() {
    count_->setText(tr("searching…"));
}

void SearchBox::focus() {
    field_->setFocus();
    field_->selectAll();
}

bool SearchBox::eventFilter(QObject* watched, QEvent* event) {
    if (event->type() != QEvent::KeyPress)
        return QWidget::eventFilter(watched, event);
    const auto* key = static_cast<QKeyEvent*>(event);
    if (key->key() == Qt::Key_Return || key->key() == Qt::Key_Enter) {
        if (!field_->text().isEmpty())
            emit stepWanted(!key->modifiers().testFlag(Qt::ShiftModifier));
        return true;
    }
    if (key->key() == Qt::Key_Escape && !field_->text().isEmpty()) {
        field_->clear();
        return true;
    }
    return QWidget::eventFilter(watched, event);
}

} // namespace tilescope::views
