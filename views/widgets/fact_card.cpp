#include "views/widgets/fact_card.h"

#include <QGridLayout>
#include <QLabel>
#include <QVBoxLayout>

namespace tilescope::views {
namespace {

QLabel* label(const QString& text, const char* look, Qt::Alignment alignment) {
    // Long paths may break behind a slash instead of widening the card.
    constexpr qsizetype longText = 40;
    QString shown = text;
    if (text.size() > longText)
        shown.replace(QLatin1Char('/'), QStringLiteral("/\u200b"));
    auto* label = new QLabel(shown);
    label->setWordWrap(text.size() > longText);
    label->setObjectName(QLatin1String(look));
    label->setAlignment(alignment | Qt::AlignTop);
    label->setTextInteractionFlags(Qt::TextSelectableByMouse);
    return label;
}

} // namespace

Card::Card(const QString& title, QWidget* parent)
    : QFrame(parent)
    , layout_(new QVBoxLayout(this)) {
    setAccessibleName(title);
    setObjectName(QStringLiteral("panel"));
    layout_->setContentsMargins(14, 10, 14, 12);
    layout_->setSpacing(8);
    auto* heading = new QLabel(title);
    heading->setObjectName(QStringLiteral("heading"));
    layout_->addWidget(heading);
}

void Card::addWidget(QWidget* widget, int stretch) {
    layout_->addWidget(widget, stretch);
}

void Card::addStretch() {
    layout_->addStretch();
}

void Card::setFacts(const std::vector<Fact>& facts, bool comparing) {
    if (facts_ != nullptr) {
        delete facts_;
        delete layout_->takeAt(layout_->count() - 1); // the stretch below the old facts
    }
    facts_ = new QWidget;
    auto* grid = new QGridLayout(facts_);
    grid->setContentsMargins(0, 0, 0, 0);
    grid->setHorizontalSpacing(16);
    grid->setVerticalSpacing(4);
    grid->setColumnStretch(0, 1);
    int row = 0;
    if (comparing) {
        grid->addWidget(label(tr("Source"), "muted", Qt::AlignRight), row, 1);
        grid->addWidget(label(tr("Target"), "muted", Qt::AlignRight), row++, 2);
    }
    for (const Fact& fact : facts) {
        grid->addWidget(label(fact.name, "muted", Qt::AlignLeft), row, 0);
        grid->addWidget(label(fact.source, "value", Qt::AlignRight), row, 1);
        if (comparing)
            grid->addWidget(label(fact.target, "value", Qt::AlignRight), row, 2);
        ++row;
    }
    layout_->addWidget(facts_);
    layout_->addStretch();
}

} // namespace tilescope::views
