#include "views/widgets/parts.h"

#include "views/theme/text.h"

namespace tilescope::views {

QVBoxLayout* inColumn(QWidget* parent, std::initializer_list<QWidget*> widgets, QWidget* growing) {
    auto* layout = new QVBoxLayout(parent);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    for (QWidget* widget : widgets)
        layout->addWidget(widget,
                          widget == (growing != nullptr ? growing : *(widgets.end() - 1)) ? 1 : 0);
    return layout;
}

QSplitter* splitOf(Qt::Orientation orientation, QWidget* first, QWidget* second, int firstShare,
                   int secondShare) {
    auto* splitter = new QSplitter(orientation);
    splitter->addWidget(first);
    splitter->addWidget(second);
    splitter->setStretchFactor(0, firstShare);
    splitter->setStretchFactor(1, secondShare);
    splitter->setChildrenCollapsible(false);
    return splitter;
}

QScrollArea* scrolled(QWidget* content) {
    auto* area = new QScrollArea;
    area->setFrameShape(QFrame::NoFrame);
    area->setWidgetResizable(true);
    area->setWidget(content);
    return area;
}

QWidget* readable(QWidget* content, int widest) {
    auto* around = new QWidget;
    auto* row = new QHBoxLayout(around);
    row->setContentsMargins(0, 0, 0, 0);
    content->setMaximumWidth(widest);
    constexpr int most = 1000; // content gets all the room up to its maximum
    row->addWidget(content, most);
    row->addStretch(1);
    return around;
}

QWidget* tabPage() {
    auto* page = new QWidget;
    page->setObjectName(QStringLiteral("tabPage"));
    page->setAttribute(Qt::WA_StyledBackground);
    return page;
}

QLabel* textLabel(const QString& text, const char* look) {
    auto* label = new QLabel(text);
    label->setObjectName(QLatin1String(look));
    return label;
}

WrappedLabel* wrappedLabel(const QString& text, const char* look) {
    auto* label = new WrappedLabel(shownText(text, mostOfParagraph));
    label->setObjectName(QLatin1String(look));
    label->setTextInteractionFlags(Qt::TextSelectableByMouse);
    return label;
}

QToolButton* foldingHeading(const QString& text, const QString& toolTip) {
    auto* button = new QToolButton;
    button->setObjectName(QStringLiteral("cardHeading"));
    button->setText(text);
    button->setToolTip(toolTip);
    button->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    button->setAutoRaise(true);
    return button;
}

} // namespace tilescope::views
