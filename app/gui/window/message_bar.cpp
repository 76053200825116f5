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
    show(text, action, std::move(run), Kind::Error);
}

void MessageBar::showNotice(const QString& text, const QString& action, std::function<void()> run) {
    show(text, action, std::move(run), Kind::Notice);
}

void MessageBar::showProgress(const QString& text, std::function<void()> cancel) {
    show(text, tr("Cancel"), std::move(cancel), Kind::Progress);
}

QString MessageBar::text() const {
    return text_->text();
}

void MessageBar::show(const QString& text, const QString& action, std::function<void()> run,
                      Kind kind) {
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
