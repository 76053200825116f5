#include "app/gui/profiles/profiles_page.h"

#include <QKeyEvent>
#include <QLabel>
#include <QPushButton>
#include <QTableView>
#include <QVBoxLayout>

#include "views/widgets/parts.h"

namespace tilescope::gui {

ProfilesPage::ProfilesPage(views::ViewContext& context, QWidget* parent)
    : QWidget(parent)
    , heading_(views::textLabel({}, "heading"))
    , problems_(views::wrappedLabel({}, "error"))
    , table_(new views::TablePanel(context, tr("Filter profiles"), views::About::Other))
    , query_(context.workers, views::About::Other) {
    setObjectName(QStringLiteral("tabPage"));
    setAttribute(Qt::WA_StyledBackground);
    heading_->setContentsMargins(14, 12, 14, 2);
    auto* hint = views::wrappedLabel(
        tr("Any two can be compared: choose a row and press S to make it the source, T to make it "
           "the target, Enter to compare them."),
        "muted");
    hint->setContentsMargins(14, 0, 14, 4);
    problems_->setContentsMargins(14, 0, 14, 4);
    problems_->hide();
    table_->setAccessibleName(tr("Profiles"));
    table_->view().setAccessibleName(tr("Profiles that can be compared"));
    table_->view().installEventFilter(this);
    views::inColumn(this, {heading_, hint, problems_, table_, makeButtons()}, table_);
    connect(table_, &views::TablePanel::chosen, this, &ProfilesPage::updateButtons);
    connect(table_, &views::TablePanel::activated, this, &ProfilesPage::compare);
    connect(&query_, &views::BackgroundQuery::failed, this, [this](const QString& text) {
        problems_->setText(text);
        problems_->show();
    });
}

QWidget* ProfilesPage::makeButtons() {
    auto* buttons = new QWidget;
    auto* row = new QHBoxLayout(buttons);
    row->setContentsMargins(14, 6, 14, 10);
    const auto add = [row](const QString& text, const QString& toolTip) {
        auto* button = new QPushButton(text);
        button->setToolTip(toolTip);
        row->addWidget(button);
        return button;
    };
    source_ =
        add(tr("Make source"), tr("The chosen profile is what the other is compared with (S)"));
    target_ = add(tr("Make target"), tr("The chosen profile is compared with the source (T)"));
    row->addStretch();
    compare_ = add(tr("Compare"), tr("Opens source and target (Enter)"));
    compare_->setDefault(true);
    connect(source_, &QPushButton::clicked, this, [this] { setSource(chosen()); });
    connect(target_, &QPushButton::clicked, this, [this] { setTarget(chosen()); });
    connect(compare_, &QPushButton::clicked, this, &ProfilesPage::compare);
    return buttons;
}

void ProfilesPage::open(const QStringList& files) {
    files_ = files;
    files_.removeDuplicates();
    sourceRow_ = 0;
    targetRow_ = 1;
    read();
}

void ProfilesPage::read() {
    query_.start([this, files = files_](const std::stop_token& stop) {
        return [this, read = readProfiles(files, stop)]() mutable { show(std::move(read)); };
    });
}

void ProfilesPage::show(ReadProfiles read) {
    profiles_ = std::move(read.profiles);
    problems_->setText(read.problems.join(QLatin1Char('\n')));
    problems_->setVisible(!read.problems.isEmpty());
    heading_->setText(tr("%1 profiles").arg(profiles_.size()));
    list();
}

void ProfilesPage::list() {
    table_->setTable(profilesTable(profiles_, sourceRow_, targetRow_));
    updateButtons();
}

bool ProfilesPage::has(std::int32_t row) const {
    return row >= 0 && static_cast<std::size_t>(row) < profiles_.size();
}

std::int32_t ProfilesPage::chosen() const {
    const std::vector<std::int32_t> rows = table_->chosenIds();
    return rows.empty() ? -1 : rows.front();
}

void ProfilesPage::updateButtons() {
    const std::int32_t row = chosen();
    source_->setEnabled(has(row) && row != sourceRow_);
    target_->setEnabled(has(row) && row != targetRow_);
    compare_->setEnabled(has(sourceRow_) && has(targetRow_) && sourceRow_ != targetRow_);
}

// What was the source becomes the target if that is to be the source, and the other way round.
void ProfilesPage::setSource(std::int32_t row) {
    if (!has(row))
        return;
    if (row == targetRow_)
        targetRow_ = sourceRow_;
    sourceRow_ = row;
    list();
    table_->selectId(row);
}

void ProfilesPage::setTarget(std::int32_t row) {
    if (!has(row))
        return;
    if (row == sourceRow_)
        sourceRow_ = targetRow_;
    targetRow_ = row;
    list();
    table_->selectId(row);
}

void ProfilesPage::compare() {
    if (!has(sourceRow_) || !has(targetRow_) || sourceRow_ == targetRow_)
        return;
    emit profilesWanted({profiles_[static_cast<std::size_t>(sourceRow_)].file,
                         profiles_[static_cast<std::size_t>(targetRow_)].file});
}

bool ProfilesPage::eventFilter(QObject* watched, QEvent* event) {
    if (watched != &table_->view() || event->type() != QEvent::KeyPress)
        return QWidget::eventFilter(watched, event);
    const auto& key = *static_cast<QKeyEvent*>(event);
    if (key.modifiers() != Qt::NoModifier || (key.key() != Qt::Key_S && key.key() != Qt::Key_T))
        return false;
    key.key() == Qt::Key_S ? setSource(chosen()) : setTarget(chosen());
    return true;
}

} // namespace tilescope::gui
