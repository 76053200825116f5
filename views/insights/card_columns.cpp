#include "views/insights/card_columns.h"

#include <QHBoxLayout>

#include "views/widgets/parts.h"

namespace tilescope::views {
namespace {

QVBoxLayout* columnIn(QWidget* widget) {
    auto* column = new QVBoxLayout(widget);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(CardColumns::spacing);
    widget->setMaximumWidth(readableWidth);
    return column;
}

} // namespace

CardColumns::CardColumns(QWidget* parent)
    : QWidget(parent)
    , right_(new QWidget) {
    auto* left = new QWidget;
    leftColumn_ = columnIn(left);
    rightColumn_ = columnIn(right_);
    right_->hide();
    auto* row = new QHBoxLayout(this);
    row->setContentsMargins(16, 14, 16, 16);
    row->setSpacing(16);
    row->addWidget(left);
    row->addWidget(right_);
    row->addStretch(1);
    setShares(1, 1);
}

void CardColumns::setShares(int left, int right) {
    constexpr int most = 1000; // columns get all the room up to their widest
    auto* row = static_cast<QHBoxLayout*>(layout());
    row->setStretch(0, most * left);
    row->setStretch(1, most * right);
}

void CardColumns::clear() {
    for (const Part& part : parts_)
        delete part.widget;
    parts_.clear();
}

void CardColumns::add(QWidget* part, Side side) {
    parts_.push_back({part, side});
    arrange();
}

void CardColumns::setLast(QWidget* part, Side side) {
    last_ = {part, side};
    arrange();
}

std::vector<QWidget*> CardColumns::parts() const {
    std::vector<QWidget*> widgets;
    for (const Part& part : parts_)
        widgets.push_back(part.widget);
    return widgets;
}

void CardColumns::arrange() {
    for (QVBoxLayout* column : {leftColumn_, rightColumn_})
        while (QLayoutItem* item = column->takeAt(0))
            delete item; // not its widget
    const auto place = [this](const Part& part) {
        if (part.widget != nullptr)
            (two_ && part.side == Side::Right ? rightColumn_ : leftColumn_)->addWidget(part.widget);
    };
    for (const Part& part : parts_)
        place(part);
    place(last_);
    // Parts keep their heights where the other column is longer.
    leftColumn_->addStretch(1);
    rightColumn_->addStretch(1);
}

void CardColumns::resizeEvent(QResizeEvent* event) {
    QWidget::resizeEvent(event);
    const bool two = width() >= leastForTwo;
    if (two == two_)
        return;
    two_ = two;
    right_->setVisible(two);
    arrange();
}

} // namespace tilescope::views
