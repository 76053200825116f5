#include "app/gui/window/side_menu.h"

#include <QButtonGroup>
#include <QToolButton>
#include <QVBoxLayout>
#include <utility>

#include "views/theme/icons.h"

namespace tilescope::gui {
namespace {
constexpr int wideWidth = 172;
constexpr int narrowWidth = 46;
} // namespace

SideMenu::SideMenu(views::ViewContext& context, QWidget* parent)
    : QWidget(parent)
    , context_(context)
    , collapse_(new QToolButton) {
    setObjectName(QStringLiteral("sideMenu"));
    setAttribute(Qt::WA_StyledBackground);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 8, 0, 8);
    layout->setSpacing(2);
    auto* group = new QButtonGroup(this);
    for (const Report report : reports) {
        auto* button = new QToolButton;
        button->setText(reportTitle(report));
        button->setToolTip(QStringLiteral("%1 (%2)").arg(reportTitle(report), reportKeys(report)));
        button->setCheckable(true);
        button->setIconSize(QSize(20, 20));
        button->setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
        button->setFocusPolicy(Qt::TabFocus);
        group->addButton(button);
        layout->addWidget(button);
        connect(button, &QToolButton::clicked, this, [this, report] { emit chosen(report); });
        buttons_[static_cast<std::size_t>(report)] = button;
    }
    layout->addStretch();
    collapse_->setText(tr("Hide names"));
    collapse_->setIconSize(QSize(20, 20));
    collapse_->setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    layout->addWidget(collapse_);
    connect(collapse_, &QToolButton::clicked, this, &SideMenu::toggle);
    connect(&context_.theme, &views::ThemeSource::changed, this, &SideMenu::applyTheme);
    applyTheme();
    setCollapsed(false);
}

void SideMenu::setCurrent(Report report) {
    buttons_[static_cast<std::size_t>(report)]->setChecked(true);
}

void SideMenu::setCollapsed(bool collapsed) {
    collapsed_ = collapsed;
    showNames();
}

void SideMenu::setNarrow(bool narrow) {
    if (std::exchange(narrow_, narrow) == narrow)
        return;
    namesWhileNarrow_ = false;
    showNames();
}

void SideMenu::toggle() {
    const bool wanted = !showsNames();
    if (narrow_)
        namesWhileNarrow_ = wanted;
    else
        collapsed_ = !wanted;
    showNames();
}

void SideMenu::showNames() {
    const bool names = showsNames();
    const auto style = names ? Qt::ToolButtonTextBesideIcon : Qt::ToolButtonIconOnly;
    for (QToolButton* button : buttons_)
        button->setToolButtonStyle(style);
    collapse_->setToolButtonStyle(style);
    collapse_->setToolTip(names ? tr("Show icons only") : tr("Show names"));
    setFixedWidth(names ? wideWidth : narrowWidth);
    showWhatCollapses();
}

void SideMenu::applyTheme() {
    const views::Theme& theme = context_.theme.current();
    for (const Report report : reports)
        buttons_[static_cast<std::size_t>(report)]->setIcon(
            views::themedIcon(reportName(report), theme));
    showWhatCollapses();
}

void SideMenu::showWhatCollapses() {
    collapse_->setIcon(
        views::themedIcon(showsNames() ? QStringLiteral("collapse") : QStringLiteral("expand"),
                          context_.theme.current()));
}

} // namespace tilescope::gui
