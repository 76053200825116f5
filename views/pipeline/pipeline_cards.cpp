// The cards of the pipeline report: its schedule, its losses, a better split.
#include <QClipboard>
#include <QGuiApplication>
#include <QPushButton>

#include "views/pipeline/pipeline_view.h"
#include "views/widgets/parts.h"

namespace tilescope::views {

QWidget* PipelineView::makeCards() {
    auto* cards = new QWidget;
    cards->setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Maximum);
    auto* row = new QHBoxLayout(cards);
    row->setContentsMargins(12, 10, 12, 4);
    row->setSpacing(10);
    facts_ = new Card(tr("Schedule"));
    auto* time = new Card(tr("Time of the IPUs"));
    for (Side& side : sides_) {
        side.shares = new ShareBar(context());
        time->addWidget(side.shares);
    }
    time->addStretch();
    row->addWidget(facts_, 4);
    row->addWidget(time, 4);
    row->addWidget(makeSplitCard(), 4);
    return cards;
}

Card* PipelineView::makeSplitCard() {
    auto* card = new Card(tr("Balance of the stages"));
    for (std::size_t i = 0; i < sides_.size(); ++i) {
        Side& side = sides_[i];
        side.split = new QWidget;
        auto* column = new QVBoxLayout(side.split);
        column->setContentsMargins(0, 0, 0, 0);
        side.splitText = wrappedLabel({}, "advice");
        side.splitOption = wrappedLabel({}, "heading");
        side.actions = makeSplitActions(i);
        column->addWidget(side.splitText);
        column->addWidget(side.splitOption);
        column->addWidget(side.actions);
        card->addWidget(side.split);
    }
    card->addStretch();
    return card;
}

QWidget* PipelineView::makeSplitActions(std::size_t side) {
    auto* actions = new QWidget;
    auto* row = new QHBoxLayout(actions);
    row->setContentsMargins(0, 0, 0, 0);
    auto* again = new QPushButton(tr("Run again with it …"));
    again->setToolTip(tr("Opens the options of this run with this split; the result is compared"));
    auto* copy = new QPushButton(tr("Copy option"));
    copy->setToolTip(tr("Copies the option for the command line"));
    row->addWidget(again);
    row->addWidget(copy);
    row->addStretch();
    connect(again, &QPushButton::clicked, this, [this, side] { runWithSplit(side); });
    connect(copy, &QPushButton::clicked, this, [this, label = sides_[side].splitOption] {
        const QString option = label->property("option").toString();
        QGuiApplication::clipboard()->setText(option);
        emit status(tr("Copied %1").arg(option));
    });
    return actions;
}

void PipelineView::runWithSplit(std::size_t side) {
    const ProfileViewPtr& profile = side == 0 ? profiles().source : profiles().target;
    const std::optional<PipelineSide>& shown = side == 0 ? source_ : target_;
    if (profile && shown)
        emit runAgainWanted(profile, "split", splitValue(shown->report).toStdString(), {});
}

} // namespace tilescope::views
