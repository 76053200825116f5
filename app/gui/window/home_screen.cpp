#include "app/gui/window/home_screen.h"

#include <QAction>
#include <QFileInfo>
#include <QListWidget>
#include <QPainter>
#include <QProgressBar>
#include <QPushButton>
#include <QSvgRenderer>
#include <QTabBar>
#include <QTabWidget>
#include <QToolButton>
#include <utility>

#include "app/gui/window/recent_row.h"
#include "views/widgets/parts.h"

namespace tilescope::gui {
namespace {

QPixmap logo(int size) {
    QPixmap pixmap(size * 2, size * 2);
    pixmap.fill(Qt::transparent);
    QSvgRenderer renderer(QStringLiteral(":/icons/tilescope.svg"));
    QPainter painter(&pixmap);
    renderer.render(&painter);
    pixmap.setDevicePixelRatio(2);
    return pixmap;
}

/// One of the ways to begin: what one has, what can be done with it, and the buttons for it.
QWidget* wayToBegin(const QString& title, const QString& text,
                    std::initializer_list<QPushButton*> buttons) {
    auto* card = new QFrame;
    card->setObjectName(QStringLiteral("panel"));
    auto* column = new QVBoxLayout(card);
    column->setContentsMargins(14, 10, 14, 12);
    column->setSpacing(6);
    column->addWidget(views::textLabel(title, "heading"));
    auto* about = views::wrappedLabel(text, "muted");
    about->setAlignment(Qt::AlignLeft | Qt::AlignTop);
    column->addWidget(about, 1);
    for (QPushButton* button : buttons)
        column->addWidget(button);
    return card;
}

} // namespace

HomeScreen::HomeScreen(views::ViewContext& context, RecentFiles& recent, QWidget* parent)
    : QWidget(parent)
    , context_(context)
    , recent_(recent)
    , details_(context.workers)
    , demo_(SimulationRun::findProgram(), this)
    , demoButton_(new QPushButton(tr("Open demo")))
    , demoProgress_(new QWidget)
    , demoBar_(new QProgressBar)
    , demoPhase_(new QLabel)
    , demoError_(views::wrappedLabel({}, "error"))
    , profiles_(makeList(tr("Recent profiles")))
    , comparisons_(makeList(tr("Recent comparisons")))
    , tabs_(new QTabWidget) {
    auto* column = new QWidget;
    constexpr int columnWidth = 760;
    column->setFixedWidth(columnWidth);
    auto* layout = new QVBoxLayout(column);
    layout->setSpacing(10);
    auto* title = new QHBoxLayout;
    auto* picture = new QLabel;
    picture->setPixmap(logo(56));
    auto* name = new QLabel(tr("<span style='font-size:22pt; font-weight:600'>TileScope</span><br>"
                               "Where every byte and every cycle of an IPU program goes"));
    name->setTextFormat(Qt::RichText);
    title->addWidget(picture);
    title->addSpacing(10);
    title->addWidget(name, 1);
    layout->addLayout(title);
    layout->addSpacing(14);
    auto* run = new QPushButton(tr("Run a model…"));
    run->setDefault(true);
    auto* scripts = new QPushButton(tr("From PyTorch or Keras"));
    scripts->setToolTip(tr("How scripts make profiles (the manual)"));
    auto* open = new QPushButton(tr("Open a profile…"));
    auto* compare = new QPushButton(tr("Compare two profiles…"));
    auto* ways = new QHBoxLayout;
    ways->setSpacing(12);
    ways->addWidget(wayToBegin(tr("I have a model"),
                               tr("ONNX, Keras or PyTorch: it is compiled and timed here, for the "
                                  "IPUs and options of your choice. No IPU is needed."),
                               {run, scripts}),
                    1);
    ways->addWidget(wayToBegin(tr("I have a profile"),
                               tr("A profile.pop of a run, or two to compare. They can also be "
                                  "dropped on this window."),
                               {open, compare}),
                    1);
    ways->addWidget(wayToBegin(tr("I have neither"),
                               tr("ResNeXt-50 with a batch that does not fit: what a profile says, "
                                  "and what to do about it."),
                               {demoButton_}),
                    1);
    layout->addLayout(ways);
    makeDemo(*layout);
    layout->addSpacing(14);
    tabs_->addTab(profiles_, tr("Recent profiles"));
    tabs_->addTab(comparisons_, tr("Recent comparisons"));
    constexpr int listHeight = 320;
    tabs_->setMinimumHeight(listHeight);
    // Keeps the widgets above in place when the first profile is listed.
    QSizePolicy room = tabs_->sizePolicy();
    room.setRetainSizeWhenHidden(true);
    tabs_->setSizePolicy(room);
    layout->addWidget(tabs_, 1);

    auto* outer = new QHBoxLayout(this);
    outer->addStretch();
    auto* vertical = new QVBoxLayout;
    vertical->addStretch(2);
    vertical->addWidget(column);
    vertical->addStretch(3);
    outer->addLayout(vertical);
    outer->addStretch();

    // Tab order by position, not by creation.
    QWidget* before = run;
    for (QWidget* next : std::initializer_list<QWidget*>{scripts, open, compare, demoButton_,
                                                         tabs_->tabBar(), profiles_, comparisons_})
        setTabOrder(std::exchange(before, next), next);

    connect(open, &QPushButton::clicked, this, &HomeScreen::openWanted);
    connect(compare, &QPushButton::clicked, this, &HomeScreen::compareWanted);
    connect(run, &QPushButton::clicked, this, &HomeScreen::runWanted);
    connect(scripts, &QPushButton::clicked, this, &HomeScreen::guideWanted);
    connect(&recent_, &RecentFiles::changed, this, [this] { fill(); });
    connect(&details_, &RecentDetails::changed, this, [this] { describe(); });
    fill();
}

void HomeScreen::makeDemo(QVBoxLayout& layout) {
    auto* line = new QHBoxLayout(demoProgress_);
    line->setContentsMargins(0, 4, 0, 0);
    line->setSpacing(10);
    constexpr int barWidth = 140;
    constexpr int barHeight = 6;
    demoBar_->setTextVisible(false);
    demoBar_->setFixedSize(barWidth, barHeight);
    demoBar_->setAccessibleName(tr("Progress"));
    auto* cancel = new QPushButton(tr("Cancel"));
    line->addWidget(demoBar_);
    line->addWidget(demoPhase_, 1);
    line->addWidget(cancel);
    layout.addWidget(demoProgress_);
    // Output of another program is not markup.
    demoError_->setTextFormat(Qt::PlainText);
    demoError_->hide();
    layout.addWidget(demoError_);
    connect(demoButton_, &QPushButton::clicked, this, [this] {
        demoError_->hide();
        demo_.startDemo(DemoRun::defaultFolder());
    });
    connect(cancel, &QPushButton::clicked, &demo_, &DemoRun::cancel);
    connect(&demo_, &DemoRun::started, this, &HomeScreen::updateDemo);
    connect(&demo_, &DemoRun::progressed, this, [this](double done, const QString& what) {
        demoBar_->setRange(0, 100);
        demoBar_->setValue(qRound(100 * done));
        demoPhase_->setText(tr("Simulating ResNeXt-50, batch size 32: %1").arg(what));
    });
    connect(&demo_, &DemoRun::ended, this, &HomeScreen::updateDemo);
    connect(&demo_, &DemoRun::finished, this, &HomeScreen::demoReady);
    connect(&demo_, &DemoRun::failed, this, [this](const QString& text) {
        demoError_->setText(tr("The demo could not be simulated:\n%1").arg(text));
        demoError_->show();
    });
    updateDemo();
}

void HomeScreen::updateDemo() {
    demoButton_->setEnabled(demo_.available() && !demo_.running());
    demoButton_->setToolTip(
        demo_.available()
            ? tr("Simulates ResNeXt-50 with 'tilescope run' and opens its profile")
            : tr("The program 'tilescope', which simulates the demo, is neither beside this "
                 "program nor in PATH"));
    demoProgress_->setVisible(demo_.running());
    demoBar_->setRange(0, 0); // until it reports progress
    demoPhase_->setText(tr("Simulating ResNeXt-50, batch size 32…"));
}

QListWidget* HomeScreen::makeList(const QString& name) {
    auto* list = new QListWidget;
    list->setAccessibleName(name);
    list->setFrameShape(QFrame::NoFrame);
    list->setItemDelegate(new RecentRow(context_.theme, list));
    list->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    auto* remove = new QAction(tr("Remove from the list"), list);
    remove->setShortcut(QKeySequence::Delete);
    remove->setShortcutContext(Qt::WidgetShortcut);
    list->addAction(remove);
    list->setContextMenuPolicy(Qt::ActionsContextMenu);
    connect(remove, &QAction::triggered, this, [this, list] {
        if (const QListWidgetItem* item = list->currentItem())
            recent_.remove(item->data(Qt::UserRole).toString());
    });
    const auto open = [this](const QListWidgetItem* item) {
        emit recentWanted(item->data(Qt::UserRole).toString());
    };
    connect(list, &QListWidget::itemClicked, this, open);
    connect(list, &QListWidget::itemActivated, this, open);
    return list;
}

void HomeScreen::fill() {
    fill(*profiles_, recent_.profiles());
    fill(*comparisons_, recent_.comparisons());
    tabs_->setVisible(profiles_->count() + comparisons_->count() > 0);
    tabs_->setTabEnabled(1, comparisons_->count() > 0);
    describe();
    if (isVisible())
        details_.read(recent_.entries());
}

// Reads the files again, as they may have changed while reports were in front.
void HomeScreen::showEvent(QShowEvent* event) {
    QWidget::showEvent(event);
    details_.read(recent_.entries());
}

void HomeScreen::fill(QListWidget& list, const QStringList& entries) {
    const int row = list.currentRow();
    list.clear();
    for (const QString& entry : entries) {
        auto* item = new QListWidgetItem;
        item->setData(Qt::UserRole, entry);
        list.addItem(item);
        auto* remove = new QToolButton;
        remove->setText(QStringLiteral("\u00d7"));
        remove->setAutoRaise(true);
        remove->setFocusPolicy(Qt::NoFocus); // the keyboard has Delete
        remove->setToolTip(tr("Remove from the list"));
        remove->setAccessibleName(tr("Remove %1 from the list").arg(entry));
        connect(remove, &QToolButton::clicked, this, [this, entry] { recent_.remove(entry); });
        auto* over = new QWidget;
        auto* line = new QHBoxLayout(over);
        line->setContentsMargins(0, 0, 4, 0);
        line->addStretch();
        line->addWidget(remove);
        list.setItemWidget(item, over);
    }
    // After a removal the current row stays where it was.
    list.setCurrentRow(std::min(row, list.count() - 1));
}

void HomeScreen::describe() {
    for (QListWidget* list : {profiles_, comparisons_})
        for (int row = 0; row < list->count(); ++row)
            describe(*list->item(row));
}

void HomeScreen::describe(QListWidgetItem& item) const {
    const QStringList files = RecentFiles::filesOf(item.data(Qt::UserRole).toString());
    const RecentText text = recentText(files, details_, QDateTime::currentDateTimeUtc());
    item.setData(RecentRow::TitleRole, text.title);
    item.setData(RecentRow::DetailsRole, text.details);
    item.setData(RecentRow::PlaceRole, text.place);
    item.setData(RecentRow::VerdictRole, text.verdict);
    item.setData(RecentRow::AgeRole, text.age);
    item.setData(RecentRow::GoodRole, text.good);
    item.setData(RecentRow::MissingRole, text.missing);
    // For screen readers and for search by typing.
    QStringList all{text.title, text.details, text.verdict, text.age, text.place};
    all.removeAll(QString());
    item.setText(all.join(QStringLiteral(", ")));
    item.setToolTip(views::shownLines(files.join(QLatin1Char('\n'))));
}

} // namespace tilescope::gui
