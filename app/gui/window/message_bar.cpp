#include "app/gui/window/message_bar.h"

#include <QPushButton>

#include "views/widgets/parts.h"

namespace tilescope::gui {

MessageBar::MessageBar(views::ViewContext& context, QWidget* parent)
    : QFrame(parent)
    , context_(context)
    , text_(views::wrappedLabel({}, ""))
    , action_(new QPushButton)
    , close_(new QPushButton(tr("Dismiss"))) {
    setObjectName(QStringLiteral("messageBar"));
    auto* layout = new QHBoxLayout(this);
    layout->setContentsMargins(14, 8, 14, 8);
    layout->addWidget(text_, 1);
    layout->addWidget(action_);
    layout->addWidget(close_);
    connect(action_, &QPushButton::clicked, this, [this] {
        hide();
        if (run_)
            run_();
    });
    connect(close_, &QPushButton::clicked, this, &QWidget::hide);
    connect(&context_.theme, &views::ThemeSource::changed, this, &MessageBar::applyTheme);
    hide();
}

void MessageBar::show(Kind kind, const QString& text, const QString& action,
                      std::function<void()> run) {
    text_->setText(text);
    action_->setText(action);
    action_->setVisible(!action.isEmpty());
    close_->setVisible(kind != Kind::Progress);
    run_ = std::move(run);
    kind_ = kind;
    applyTheme();
    QFrame::show();
}

void MessageBar::applyTheme() {
    const views::Theme& theme = context_.theme.current();
    setStyleSheet(
        QStringLiteral("#messageBar { background: %1; border-bottom: 2px solid %2; }")
            .arg(theme.raised.name(), (kind_ == Kind::Error ? theme.bad : theme.accent).name()));
}

} // namespace tilescope::gui
