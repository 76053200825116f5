#include "app/gui/window/message_bar.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>

namespace tilescope::gui {

MessageBar::MessageBar(views::ViewContext& context, QWidget* parent)
    : QFrame(parent)
    , context_(context)
    , text_(new QLabel)
    , action_(new QPushButton)
    , close_(new QPushButton(tr("Dismiss"))) {
    setObjectName(QStringLiteral("messageBar"));
    text_->setWordWrap(true);
    text_->setTextInteractionFlags(Qt::TextSelectableByMouse);
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

void MessageBar::showError(const QString& text, const QString& action, std::function<void()> run) {
    show(text, action, std::move(run), true);
}

void MessageBar::showProgress(const QString& text, std::function<void()> cancel) {
    show(text, tr("Cancel"), std::move(cancel), false);
}

QString MessageBar::text() const {
    return text_->text();
}

void MessageBar::show(const QString& text, const QString& action, std::function<void()> run,
                      bool error) {
    text_->setText(text);
    action_->setText(action);
    action_->setVisible(!action.isEmpty());
    close_->setVisible(error);
    run_ = std::move(run);
    error_ = error;
    applyTheme();
    QFrame::show();
}

void MessageBar::applyTheme() {
    const views::Theme& theme = context_.theme.current();
    setStyleSheet(QStringLiteral("#messageBar { background: %1; border-bottom: 2px solid %2; }")
                      .arg(theme.raised.name(), (error_ ? theme.bad : theme.accent).name()));
}

} // namespace tilescope::gui
