#include "app/gui/window/side_menu.h"

#include <QButtonGroup>
#include <QToolButton>
#include <QVBoxLayout>

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
    connect(collapse_, &QToolButton::clicked, this, [this] {
        setCollapsed(!collapsed_);
        emit collapsedChanged(collapsed_);
    });
    connect(&context_.theme, &views::ThemeSource::changed, this, &SideMenu::applyTheme);
    setCollapsed(false);
}

void SideMenu::setCurrent(Report report) {
    buttons_[static_cast<std::size_t>(report)]->setChecked(true);
}

void SideMenu::setCollapsed(bool collapsed) {
    collapsed_ = collapsed;
    const auto style = collapsed ? Qt::ToolButtonIconOnly : Qt::ToolButtonTextBesideIcon;
    for (QToolButton* button : buttons_)
        button->setToolButtonStyle(style);
    collapse_->setToolButtonStyle(style);
    collapse_->setToolTip(collapsed ? tr("Show names") : tr("Show icons only"));
    setFixedWidth(collapsed ? narrowWidth : wideWidth);
    applyTheme();
}

void SideMenu::applyTheme() {
    const views::Theme& theme = context_.theme.current();
    for (const Report report : reports)
        buttons_[static_cast<std::size_t>(report)]->setIcon(
            views::themedIcon(reportName(report), theme));
    collapse_->setIcon(views::themedIcon(
        collapsed_ ? QStringLiteral("expand") : QStringLiteral("collapse"), theme));
}

} // namespace tilescope::gui
