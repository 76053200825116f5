#include "views/widgets/loading_panel.h"

#include <QProgressBar>
#include <QPushButton>

#include "views/widgets/parts.h"

namespace tilescope::views {

LoadingPanel::LoadingPanel(Workers& workers, About about)
    : query_(workers, about)
    , progressPage_(makeProgressPage())
    , messagePage_(makeMessagePage()) {
    addWidget(progressPage_);
    addWidget(messagePage_);
    // Nothing has been asked for yet: an empty page, not a progress bar.
    blank_ = new QWidget;
    addWidget(blank_);
    setCurrentWidget(blank_);
    connect(&query_, &BackgroundQuery::slow, this, &LoadingPanel::showProgress);
    connect(&query_, &BackgroundQuery::failed, this,
            [this](const QString& text) { showFailure(tr("This report cannot be shown"), text); });
    connect(&query_, &BackgroundQuery::cancelled, this,
            [this] { showFailure(tr("Loading was cancelled"), {}); });
    connect(&query_, &BackgroundQuery::delivered, this, [this] {
        if (!messageWanted_)
            showContent();
    });
    if (about == About::OpenProfiles)
        connect(&workers, &Workers::profilesLeft, this, &LoadingPanel::leaveProfiles);
}

// The content is of profiles that are no longer open: it must not be used, nor the query retried.
void LoadingPanel::leaveProfiles() {
    lastWork_ = {};
    if (content_ == nullptr || currentWidget() != content_)
        return;
    QWidget* const focused = window()->focusWidget();
    keyboard_ = focused != nullptr && content_->isAncestorOf(focused) ? focused : nullptr;
    setCurrentWidget(blank_);
    if (keyboard_)
        blank_->setFocus();
}

// The keyboard focus waits for the content that had it.
void LoadingPanel::bring(QWidget& page) {
    const bool waits = keyboard_ && currentWidget()->hasFocus();
    setCurrentWidget(&page);
    if (!waits)
        return;
    if (&page != content_)
        return page.setFocus();
    if (keyboard_)
        keyboard_->setFocus();
    keyboard_.clear();
}

void LoadingPanel::setContent(QWidget* content) {
    content_ = content;
    addWidget(content);
}

void LoadingPanel::load(BackgroundQuery::Work work) {
    lastWork_ = std::move(work);
    messageWanted_ = false;
    query_.start(lastWork_);
}

void LoadingPanel::showContent() {
    if (content_ != nullptr)
        bring(*content_);
}

void LoadingPanel::showMessage(const QString& title, const QString& text) {
    query_.cancel();
    messageWanted_ = true;
    failure_.clear();
    title_->setText(title);
    text_->setText(text);
    text_->setVisible(!text.isEmpty());
    retry_->hide();
    bring(*messagePage_);
}

void LoadingPanel::showProgress() {
    bring(*progressPage_);
}

void LoadingPanel::showFailure(const QString& title, const QString& text) {
    showMessage(title, text);
    failure_ = text;
    retry_->setVisible(static_cast<bool>(lastWork_));
}

QWidget* LoadingPanel::makeProgressPage() {
    auto* page = new QWidget;
    auto* layout = new QVBoxLayout(page);
    auto* bar = new QProgressBar;
    bar->setRange(0, 0);
    bar->setTextVisible(false);
    bar->setFixedSize(220, 6);
    auto* cancel = new QPushButton(tr("Cancel"));
    connect(cancel, &QPushButton::clicked, &query_, &BackgroundQuery::cancel);
    layout->addStretch();
    layout->addWidget(new QLabel(tr("Loading…")), 0, Qt::AlignHCenter);
    layout->addWidget(bar, 0, Qt::AlignHCenter);
    layout->addSpacing(6);
    layout->addWidget(cancel, 0, Qt::AlignHCenter);
    layout->addStretch();
    return page;
}

QWidget* LoadingPanel::makeMessagePage() {
    auto* page = new QWidget;
    auto* layout = new QVBoxLayout(page);
    title_ = textLabel({}, "heading");
    title_->setAlignment(Qt::AlignCenter);
    text_ = wrappedLabel({}, "muted");
    text_->setAlignment(Qt::AlignCenter);
    text_->setMinimumWidth(260);
    text_->setMaximumWidth(640);
    retry_ = new QPushButton(tr("Try again"));
    connect(retry_, &QPushButton::clicked, this, [this] {
        // A copy: load() assigns to the member that it would be given.
        const BackgroundQuery::Work again = lastWork_;
        load(again);
    });
    layout->addStretch();
    layout->addWidget(title_, 0, Qt::AlignHCenter);
    // An aligned label would get the height of its hint, not that of its text at this width.
    constexpr int nearlyAll = 100;
    auto* line = new QHBoxLayout;
    line->addStretch(1);
    line->addWidget(text_, nearlyAll);
    line->addStretch(1);
    layout->addLayout(line);
    layout->addWidget(retry_, 0, Qt::AlignHCenter);
    layout->addStretch();
    return page;
}

} // namespace tilescope::views
