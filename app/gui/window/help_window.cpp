#include "app/gui/window/help_window.h"

#include <QEvent>
#include <QLineEdit>
#include <QListWidget>
#include <QSplitter>
#include <QTextCursor>
#include <QUrl>
#include <QVBoxLayout>

#include "app/gui/help/help_pages.h"
#include "app/gui/help/help_text.h"
#include "app/gui/window/reports.h"

namespace tilescope::gui {
namespace {

// The first heading of a page.
QString titleOf(const QString& page) {
    const QString text = helpMarkdown(page);
    const qsizetype end = text.indexOf(QLatin1Char('\n'));
    return text.left(end).remove(QLatin1Char('#')).trimmed();
}

} // namespace

HelpWindow::HelpWindow(QWidget* parent)
    : QDialog(parent)
    , search_(new QLineEdit)
    , contents_(new QListWidget)
    , text_(new HelpText) {
    setWindowTitle(tr("TileScope help"));
    resize(1020, 680);
    search_->setPlaceholderText(tr("Search the help; Enter goes to the next match"));
    search_->setAccessibleName(tr("Search the help"));
    search_->setClearButtonEnabled(true);
    contents_->setAccessibleName(tr("Contents"));
    contents_->setMinimumWidth(230);
    text_->setAccessibleName(tr("Help text"));
    auto* split = new QSplitter;
    split->addWidget(contents_);
    split->addWidget(text_);
    split->setStretchFactor(1, 1);
    auto* layout = new QVBoxLayout(this);
    layout->addWidget(search_);
    layout->addWidget(split, 1);
    for (const QString& page : pages())
        addPage(page);
    connect(contents_, &QListWidget::currentRowChanged, this, &HelpWindow::load);
    connect(search_, &QLineEdit::textChanged, this, &HelpWindow::filter);
    connect(search_, &QLineEdit::returnPressed, this, &HelpWindow::findNext);
    connect(text_, &QTextBrowser::anchorClicked, this, [this](const QUrl& link) {
        showPage(linkedHelpPage(pageAt(contents_->currentRow()), link));
    });
    contents_->setCurrentRow(0);
}

// The manual has a heading, which is not a page.
void HelpWindow::addPage(const QString& name) {
    if (name == manualPages().first()) {
        auto* heading = new QListWidgetItem(tr("Manual"), contents_);
        heading->setFlags(Qt::NoItemFlags);
    }
    auto* item = new QListWidgetItem(titleOf(name), contents_);
    item->setData(Qt::UserRole, name);
}

QString HelpWindow::pageAt(int row) const {
    const QListWidgetItem* item = contents_->item(row);
    return item == nullptr ? QString() : item->data(Qt::UserRole).toString();
}

QStringList HelpWindow::pages() {
    QStringList names{QStringLiteral("start"), QStringLiteral("run")};
    for (const Report report : reports)
        names << reportName(report);
    names << QStringLiteral("keys") << QStringLiteral("glossary") << manualPages();
    names.removeIf([](const QString& name) { return helpMarkdown(name).isEmpty(); });
    return names;
}

void HelpWindow::showPage(const QString& name, const QString& word) {
    int wanted = 0;
    for (int row = 0; row < contents_->count(); ++row)
        if (pageAt(row) == name)
            wanted = row;
    contents_->setCurrentRow(wanted);
    text_->moveCursor(QTextCursor::Start);
    if (!word.isEmpty())
        text_->find(word);
}

void HelpWindow::load(int row) {
    if (row < 0)
        return;
    text_->showMarkdown(helpMarkdown(pageAt(row)));
}

void HelpWindow::changeEvent(QEvent* event) {
    QDialog::changeEvent(event);
    // Links take their colour from the palette when the text is loaded.
    if (event->type() == QEvent::PaletteChange && contents_->currentRow() >= 0)
        load(contents_->currentRow());
}

// Pages without the text are dimmed, not hidden: the contents keep their order.
void HelpWindow::filter(const QString& text) {
    for (int row = 0; row < contents_->count(); ++row) {
        const QString page = pageAt(row);
        if (page.isEmpty())
            continue;
        QListWidgetItem* item = contents_->item(row);
        const bool has = text.isEmpty() || helpMarkdown(page).contains(text, Qt::CaseInsensitive);
        item->setForeground(
            palette().brush(has ? QPalette::Active : QPalette::Disabled, QPalette::Text));
        QFont font = contents_->font();
        font.setBold(has && !text.isEmpty());
        item->setFont(font);
    }
    text_->moveCursor(QTextCursor::Start);
    if (!text.isEmpty())
        text_->find(text);
}

void HelpWindow::findNext() {
    const QString wanted = search_->text();
    if (wanted.isEmpty() || text_->find(wanted))
        return;
    // From the next page on, around to this one.
    for (int i = 1; i <= contents_->count(); ++i) {
        const int row = (contents_->currentRow() + i) % contents_->count();
        if (!helpMarkdown(pageAt(row)).contains(wanted, Qt::CaseInsensitive))
            continue;
        contents_->setCurrentRow(row);
        text_->moveCursor(QTextCursor::Start);
        if (text_->find(wanted))
            return;
    }
}

} // namespace tilescope::gui
