#include "views/theme/style.h"

#include <QAbstractItemView>
#include <QLabel>
#include <QStyleOptionHeader>
#include <array>

#include "views/theme/theme.h"

namespace tilescope::views {

WindowStyle::WindowStyle()
    : QProxyStyle(QStringLiteral("Fusion")) {}

int WindowStyle::pixelMetric(PixelMetric metric, const QStyleOption* option,
                             const QWidget* widget) const {
    constexpr int textMargin = 7;
    if (metric == PM_FocusFrameHMargin && qobject_cast<const QAbstractItemView*>(widget) != nullptr)
        return textMargin;
    return QProxyStyle::pixelMetric(metric, option, widget);
}

int WindowStyle::styleHint(StyleHint hint, const QStyleOption* option, const QWidget* widget,
                           QStyleHintReturn* returned) const {
    if (hint == SH_DialogButtonBox_ButtonsHaveIcons || hint == SH_EtchDisabledText)
        return 0;
    return QProxyStyle::styleHint(hint, option, widget, returned);
}

// The arrow is drawn at the right end, over a title that ends there.
void WindowStyle::drawControl(ControlElement element, const QStyleOption* option, QPainter* painter,
                              const QWidget* widget) const {
    const auto* header =
        element == CE_HeaderLabel ? qstyleoption_cast<const QStyleOptionHeader*>(option) : nullptr;
    if (header == nullptr || header->sortIndicator == QStyleOptionHeader::None ||
        !header->textAlignment.testFlag(Qt::AlignRight))
        return QProxyStyle::drawControl(element, option, painter, widget);
    QStyleOptionHeader beside(*header);
    beside.version = QStyleOptionHeader::Version; // only the members of this version were copied
    beside.rect.setRight(beside.rect.right() - header->fontMetrics.height());
    QProxyStyle::drawControl(element, &beside, painter, widget);
}

QPalette Theme::palette() const {
    QPalette p;
    using Roles = std::initializer_list<QPalette::ColorRole>;
    const auto set = [&p](const QColor& colour, Roles roles) {
        for (const QPalette::ColorRole role : roles)
            p.setColor(role, colour);
    };
    using Q = QPalette;
    set(window, {Q::Window});
    set(surface, {Q::Base});
    set(text, {Q::WindowText, Q::Text, Q::ButtonText, Q::HighlightedText, Q::ToolTipText});
    set(raised, {Q::AlternateBase, Q::Button, Q::ToolTipBase, Q::Light});
    set(mutedText, {Q::PlaceholderText});
    set(bad, {Q::BrightText});
    set(selected, {Q::Highlight});
    set(accent, {Q::Link, Q::LinkVisited});
    set(border, {Q::Midlight, Q::Mid, Q::Dark, Q::Shadow});
    for (const auto role :
         {QPalette::WindowText, QPalette::Text, QPalette::ButtonText, QPalette::PlaceholderText})
        p.setColor(QPalette::Disabled, role, mixed(mutedText, window, 0.35));
    return p;
}

QString Theme::styleSheet() const {
    QString sheet = QStringLiteral(R"(
QMainWindow, QDialog { background: @window; }
QToolTip { background: @raised; color: @text; border: 1px solid @border; padding: 4px; }
QMenuBar { background: @raised; border-bottom: 1px solid @border; }
QMenuBar::item { padding: 4px 9px; background: transparent; }
QMenuBar::item:selected { background: @selected; }
QStatusBar { background: @raised; border-top: 1px solid @border; color: @muted; }
QStatusBar::item { border: none; }
QTabWidget::pane { border: none; border-top: 1px solid @border; }
QTabBar { background: transparent; }
QTabBar::tab { padding: 6px 12px; background: transparent; color: @muted;
               border: none; border-bottom: 2px solid transparent; }
QTabBar::tab:selected { color: @accent; border-bottom: 2px solid @accent; }
QTabBar::tab:hover:!selected { color: @text; }
#innerTabs QTabBar::tab { padding: 4px 10px; }
QHeaderView { background: @surface; }
QHeaderView::section { background: @surface; color: @muted; border: none;
                       border-bottom: 1px solid @border; padding: 4px 8px; }
QTableView, QTreeView, QListView { background: @surface; border: none; outline: none;
    selection-background-color: @selected; selection-color: @text; alternate-background-color: @raised; }
QTreeView::item { padding: 2px 0; }
QListWidget::item { padding: 5px 0; }
QLineEdit, QSpinBox { background: @surface; border: 1px solid @border; border-radius: 4px;
    padding: 4px 7px; selection-background-color: @selected; selection-color: @text; }
QLineEdit:focus { border-color: @accent; }
QAbstractItemView QLineEdit { padding: 0 4px; border-radius: 0; }
QComboBox { background: @surface; border: 1px solid @border; border-radius: 4px; padding: 4px 2px 4px 8px; }
QComboBox:hover, QToolButton:hover, QPushButton:hover { border-color: @muted; }
QComboBox::drop-down { border: none; width: 22px; }
QComboBox::down-arrow { image: url(:/icons/@arrow.svg); width: 10px; height: 10px; }
QComboBox QAbstractItemView { background: @surface; border: 1px solid @border; }
QPushButton { background: @surface; border: 1px solid @border; border-radius: 4px; padding: 6px 14px; }
QPushButton:flat { background: transparent; border: 1px solid transparent; padding: 2px 4px;
    text-align: left; color: @accent; }
QPushButton:pressed { background: @selected; }
QPushButton:default { border-color: @accent; color: @accent; }
QPushButton:default:disabled { border-color: @border; color: @muted; }
QRadioButton::indicator { width: 12px; height: 12px; border: 1px solid @muted; border-radius: 7px;
    background: @surface; }
QRadioButton::indicator:hover { border-color: @text; }
QRadioButton::indicator:checked { width: 6px; height: 6px; border: 4px solid @accent; }
QRadioButton::indicator:disabled { border-color: @border; }
QCheckBox::indicator { width: 12px; height: 12px; border: 1px solid @muted; border-radius: 3px;
    background: @surface; }
QCheckBox::indicator:hover { border-color: @text; }
QCheckBox::indicator:checked { background: @accent; border-color: @accent; image: url(:/icons/@check.svg); }
QCheckBox::indicator:disabled { border-color: @border; }
QSplitter::handle { background: @window; }
QSplitter::handle:hover { background: @selected; }
QScrollBar:vertical { background: transparent; width: 11px; margin: 0; }
QScrollBar:horizontal { background: transparent; height: 11px; margin: 0; }
QScrollBar::handle { background: @border; border-radius: 4px; margin: 2px; min-width: 24px; min-height: 24px; }
QScrollBar::handle:hover { background: @muted; }
QScrollBar::add-line, QScrollBar::sub-line { width: 0; height: 0; }
QScrollBar::add-page, QScrollBar::sub-page { background: transparent; }
QAbstractScrollArea::corner { background: transparent; border: none; }
#sideMenu { background: @raised; border-right: 1px solid @border; }
#sideMenu QToolButton { border: none; border-left: 3px solid transparent; border-radius: 0;
    padding: 7px 10px; text-align: left; color: @text; background: transparent; }
#sideMenu QToolButton:hover { background: @selected; }
#sideMenu QToolButton:checked { border-left: 3px solid @accent; color: @accent; background: @surface; }
#sideMenu QToolButton:disabled { color: @muted; }
#tabPage { background: @surface; }
#panel { background: @surface; border: 1px solid @border; border-radius: 6px; }
#muted { color: @muted; }
#error { color: @bad; }
#good { color: @good; }
#headerStrip { background: @surface; border: none; border-bottom: 1px solid @border; }
QProgressBar { background: @border; border: none; border-radius: 3px; }
QProgressBar::chunk { background: @accent; border-radius: 3px; }
#heading { font-weight: 600; }
#cardHeading { border: none; padding: 0; background: transparent; }
#cardHeading:hover { color: @accent; }
#toolMenu { background: @raised; border: 1px solid @border; }
#toolBar QToolButton { background: @surface; border: 1px solid @border; border-radius: 4px; padding: 4px 8px; }
#toolBar QToolButton:checked { border-color: @accent; color: @accent; background: @selected; }
#toolBar QToolButton::menu-indicator { image: none; }
)");
    sheet.replace(QLatin1String("@arrow"),
                  dark ? QStringLiteral("arrow-dark") : QStringLiteral("arrow-light"));
    sheet.replace(QLatin1String("@check"),
                  dark ? QStringLiteral("check-dark") : QStringLiteral("check-light"));
    const auto names = std::to_array<std::pair<const char*, QColor>>({{"@window", window},
                                                                      {"@surface", surface},
                                                                      {"@raised", raised},
                                                                      {"@border", border},
                                                                      {"@text", text},
                                                                      {"@muted", mutedText},
                                                                      {"@accent", accent},
                                                                      {"@selected", selected},
                                                                      {"@bad", bad},
                                                                      {"@good", good}});
    for (const auto& [name, colour] : names)
        sheet.replace(QLatin1String(name), colour.name());
    return sheet;
}

void WindowStyle::polish(QWidget* widget) {
    QProxyStyle::polish(widget);
    // Before the text is laid out; a tool tip is a label too.
    auto* label = qobject_cast<QLabel*>(widget);
    if (label && label->textFormat() == Qt::AutoText)
        label->setTextFormat(Qt::PlainText);
}

} // namespace tilescope::views
