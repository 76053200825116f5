#include "app/gui/window/home_screen.h"

#include <QAction>
#include <QDir>
#include <QFileInfo>
#include <QIcon>
#include <QLabel>
#include <QListWidget>
#include <QPainter>
#include <QProgressBar>
#include <QPushButton>
#include <QSvgRenderer>
#include <QVBoxLayout>

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

QString shortName(const QString& file) {
    const QFileInfo info(file);
    // Every run writes a profile.pop: its folder tells them apart.
    return info.dir().dirName() + QLatin1Char('/') + info.fileName();
}

} // namespace

HomeScreen::HomeScreen(RecentFiles& recent, QWidget* parent)
    : QWidget(parent)
    , recent_(recent)
    , demo_(DemoRun::findProgram(), this)
    , demoButton_(new QPushButton(tr("Open demo")))
    , demoProgress_(new QWidget)
    , demoError_(new QLabel)
    , list_(new QListWidget)
    , listTitle_(new QLabel(tr("Recent profiles"))) {
    auto* column = new QWidget;
    column->setFixedWidth(640);
    auto* layout = new QVBoxLayout(column);
    layout->setSpacing(10);
    auto* title = new QHBoxLayout;
    auto* picture = new QLabel;
    picture->setPixmap(logo(56));
    auto* name = new QLabel(tr("<span style='font-size:22pt; font-weight:600'>TileScope</span><br>"
                               "Where every byte and every cycle of an IPU program goes"));
    title->addWidget(picture);
    title->addSpacing(10);
    title->addWidget(name, 1);
    layout->addLayout(title);
    layout->addSpacing(14);
    auto* buttons = new QHBoxLayout;
    auto* open = new QPushButton(tr("Open a profile…"));
    open->setDefault(true);
    auto* compare = new QPushButton(tr("Compare two profiles…"));
    buttons->addWidget(open);
    buttons->addWidget(compare);
    buttons->addWidget(demoButton_);
    buttons->addStretch();
    layout->addLayout(buttons);
    auto* hint = new QLabel(tr("or drop one or two profile.pop files on this window"));
    hint->setObjectName(QStringLiteral("muted"));
    layout->addWidget(hint);
    makeDemo(*layout);
    layout->addSpacing(14);
    listTitle_->setObjectName(QStringLiteral("heading"));
    layout->addWidget(listTitle_);
    list_->setMinimumHeight(260);
    list_->setTextElideMode(Qt::ElideMiddle);
    list_->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    layout->addWidget(list_, 1);

    auto* outer = new QHBoxLayout(this);
    outer->addStretch();
    auto* vertical = new QVBoxLayout;
    vertical->addStretch(2);
    vertical->addWidget(column);
    vertical->addStretch(3);
    outer->addLayout(vertical);
    outer->addStretch();

    auto* remove = new QAction(tr("Remove from the list"), list_);
    remove->setShortcut(QKeySequence::Delete);
    remove->setShortcutContext(Qt::WidgetShortcut);
    list_->addAction(remove);
    list_->setContextMenuPolicy(Qt::ActionsContextMenu);
    connect(remove, &QAction::triggered, this, [this] {
        if (const QListWidgetItem* item = list_->currentItem())
            recent_.remove(item->data(Qt::UserRole).toString());
    });
    connect(open, &QPushButton::clicked, this, &HomeScreen::openWanted);
    connect(compare, &QPushButton::clicked, this, &HomeScreen::compareWanted);
    connect(list_, &QListWidget::itemActivated, this, [this](const QListWidgetItem* item) {
        emit recentWanted(item->data(Qt::UserRole).toString());
    });
    connect(&recent_, &RecentFiles::changed, this, &HomeScreen::fill);
    fill();
}

void HomeScreen::makeDemo(QVBoxLayout& layout) {
    auto* line = new QHBoxLayout(demoProgress_);
    line->setContentsMargins(0, 4, 0, 0);
    line->setSpacing(10);
    auto* bar = new QProgressBar;
    bar->setRange(0, 0); // the program does not say how far it is
    bar->setTextVisible(false);
    bar->setFixedSize(140, 6);
    auto* cancel = new QPushButton(tr("Cancel"));
    line->addWidget(bar);
    line->addWidget(new QLabel(tr("Simulating ResNeXt-50, batch size 32…")), 1);
    line->addWidget(cancel);
    layout.addWidget(demoProgress_);
    demoError_->setObjectName(QStringLiteral("error"));
    // What another program says is no markup.
    demoError_->setTextFormat(Qt::PlainText);
    demoError_->setWordWrap(true);
    demoError_->setTextInteractionFlags(Qt::TextSelectableByMouse);
    demoError_->hide();
    layout.addWidget(demoError_);
    connect(demoButton_, &QPushButton::clicked, this, [this] {
        demoError_->hide();
        demo_.start(DemoRun::defaultFolder());
    });
    connect(cancel, &QPushButton::clicked, &demo_, &DemoRun::cancel);
    connect(&demo_, &DemoRun::started, this, &HomeScreen::updateDemo);
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
}

void HomeScreen::fill() {
    list_->clear();
    for (const QString& entry : recent_.entries()) {
        const QStringList files = RecentFiles::filesOf(entry);
        QStringList names;
        for (const QString& file : files)
            names.append(shortName(file));
        auto* item =
            new QListWidgetItem(names.join(tr("  compared with  ")) + QStringLiteral("    ") +
                                QFileInfo(files.front()).absolutePath());
        item->setData(Qt::UserRole, entry);
        item->setToolTip(files.join(QLatin1Char('\n')));
        list_->addItem(item);
    }
    list_->setVisible(list_->count() > 0);
    listTitle_->setVisible(list_->count() > 0);
}

} // namespace tilescope::gui
