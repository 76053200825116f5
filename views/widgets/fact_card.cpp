#include "views/widgets/fact_card.h"

#include <QGridLayout>
#include <algorithm>

#include "views/theme/text.h"
#include "views/widgets/parts.h"

namespace tilescope::views {
namespace {

// Long paths may break after a slash instead of widening the card.
constexpr qsizetype longText = 40;

bool isLong(const Card::Fact& fact) {
    return std::max(fact.source.size(), fact.target.size()) > longText;
}

QLabel* label(const QString& text, const char* look, Qt::Alignment alignment) {
    QString shown = shownText(text);
    if (text.size() > longText)
        shown.replace(QLatin1Char('/'), QStringLiteral("/\u200b"));
    auto* label = new QLabel(shown);
    label->setWordWrap(text.size() > longText);
    label->setObjectName(QLatin1String(look));
    label->setAlignment(alignment | Qt::AlignTop);
    label->setTextInteractionFlags(Qt::TextSelectableByMouse);
    return label;
}

QLabel* targetLabel(const Card::Fact& fact, Qt::Alignment alignment) {
    QLabel* value = label(fact.target, fact.targetIsBad ? "error" : "value", alignment);
    if (fact.source != fact.target) {
        QFont font = value->font();
        font.setBold(true);
        value->setFont(font);
        value->setAccessibleDescription(Card::tr("differs"));
    }
    return value;
}

} // namespace

Card::Card(const QString& title, QWidget* parent)
    : QFrame(parent)
    , heading_(new QLabel(title))
    , body_(new QWidget)
    , layout_(new QVBoxLayout(body_)) {
    setAccessibleName(title);
    setObjectName(QStringLiteral("panel"));
    heading_->setObjectName(QStringLiteral("heading"));
    layout_->setContentsMargins(0, 0, 0, 0);
    layout_->setSpacing(8);
    auto* outer = new QVBoxLayout(this);
    outer->setContentsMargins(14, 10, 14, 12);
    outer->setSpacing(8);
    outer->addWidget(heading_);
    outer->addWidget(body_, 1);
}

void Card::setCollapsible() {
    if (toggle_ != nullptr)
        return;
    toggle_ = foldingHeading(heading_->text(), tr("Hides or shows this block"));
    toggle_->setArrowType(Qt::DownArrow);
    QFont font = toggle_->font();
    font.setWeight(QFont::DemiBold);
    toggle_->setFont(font);
    delete layout()->replaceWidget(heading_, toggle_);
    layout()->setAlignment(toggle_, Qt::AlignLeft);
    delete heading_;
    heading_ = nullptr;
    connect(toggle_, &QToolButton::clicked, this, [this] { setCollapsed(!collapsed_); });
}

void Card::setCollapsed(bool collapsed) {
    if (toggle_ == nullptr || collapsed == collapsed_)
        return;
    collapsed_ = collapsed;
    body_->setVisible(!collapsed);
    toggle_->setArrowType(collapsed ? Qt::RightArrow : Qt::DownArrow);
    emit collapsedChanged(collapsed);
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
    grid->setHorizontalSpacing(14);
    grid->setVerticalSpacing(4);
    // Values are beside their names, however wide the card; paths take the full width.
    const bool paths = std::any_of(facts.begin(), facts.end(), isLong);
    const Qt::Alignment alignment = paths ? Qt::AlignLeft : Qt::AlignRight;
    constexpr int afterValues = 3;
    grid->setColumnStretch(paths ? 1 : afterValues, 1);
    if (paths && comparing)
        grid->setColumnStretch(2, 1);
    int row = 0;
    if (comparing) {
        grid->addWidget(label(tr("Source"), "muted", alignment), row, 1);
        grid->addWidget(label(tr("Target"), "muted", alignment), row++, 2);
    }
    for (const Fact& fact : facts) {
        grid->addWidget(label(fact.name, "muted", Qt::AlignLeft), row, 0);
        grid->addWidget(label(fact.source, fact.sourceIsBad ? "error" : "value", alignment), row,
                        1);
        if (comparing)
            grid->addWidget(targetLabel(fact, alignment), row, 2);
        ++row;
    }
    layout_->addWidget(facts_);
    layout_->addStretch();
    // Whoever asks for the card's width has that of the fonts it is going to have.
    for (QLabel* each : facts_->findChildren<QLabel*>())
        each->ensurePolished();
    for (QLayout* each : {static_cast<QLayout*>(grid), static_cast<QLayout*>(layout_), layout()})
        each->activate();
}

} // namespace tilescope::views
