#include "app/gui/window/help_window.h"

#include <QEvent>
#include <QFile>
#include <QLineEdit>
#include <QListWidget>
#include <QSplitter>
#include <QTextBrowser>
#include <QTextCursor>
#include <QTextFrame>
#include <QTextTable>
#include <QVBoxLayout>

#include "app/gui/window/reports.h"

namespace tilescope::gui {
namespace {

QString fileOf(const QString& page) {
    return QStringLiteral(":/help/%1.md").arg(page);
}

// The first heading of a page.
QString titleOf(const QString& page) {
    const QString text = HelpWindow::markdown(page);
    const qsizetype end = text.indexOf(QLatin1Char('\n'));
    return text.left(end).remove(QLatin1Char('#')).trimmed();
}

} // namespace

HelpWindow::HelpWindow(QWidget* parent)
    : QDialog(parent)
    , search_(new QLineEdit)
    , contents_(new QListWidget)
    , text_(new QTextBrowser) {
    setWindowTitle(tr("TileScope help"));
    resize(900, 620);
    search_->setPlaceholderText(tr("Search the help; Enter goes to the next match"));
    search_->setAccessibleName(tr("Search the help"));
    search_->setClearButtonEnabled(true);
    contents_->setAccessibleName(tr("Contents"));
    contents_->setMinimumWidth(170);
    text_->setAccessibleName(tr("Help text"));
    text_->setOpenExternalLinks(false);
    text_->setOpenLinks(false);
    text_->setFrameShape(QFrame::NoFrame);
    auto* split = new QSplitter;
    split->addWidget(contents_);
    split->addWidget(text_);
    split->setStretchFactor(1, 1);
    auto* layout = new QVBoxLayout(this);
    layout->addWidget(search_);
    layout->addWidget(split, 1);
    for (const QString& page : pages()) {
        auto* item = new QListWidgetItem(titleOf(page));
        item->setData(Qt::UserRole, page);
        contents_->addItem(item);
    }
    connect(contents_, &QListWidget::currentRowChanged, this, &HelpWindow::load);
    connect(search_, &QLineEdit::textChanged, this, &HelpWindow::filter);
    connect(search_, &QLineEdit::returnPressed, this, &HelpWindow::findNext);
    // Links between pages are names of pages.
    connect(text_, &QTextBrowser::anchorClicked, this,
            [this](const QUrl& url) { showPage(url.path().remove(QStringLiteral(".md"))); });
    contents_->setCurrentRow(0);
}

QStringList HelpWindow::pages() {
    QStringList names{QStringLiteral("start"), QStringLiteral("run")};
    for (const Report report : reports)
        names << reportName(report);
    names << QStringLiteral("keys") << QStringLiteral("glossary");
    names.removeIf([](const QString& name) { return !QFile::exists(fileOf(name)); });
    return names;
}

QString HelpWindow::markdown(const QString& page) {
    QFile file(fileOf(page));
    return file.open(QIODevice::ReadOnly) ? QString::fromUtf8(file.readAll()) : QString();
}

void HelpWindow::showPage(const QString& name, const QString& word) {
    int wanted = 0;
    for (int row = 0; row < contents_->count(); ++row)
        if (contents_->item(row)->data(Qt::UserRole).toString() == name)
            wanted = row;
    contents_->setCurrentRow(wanted);
    text_->moveCursor(QTextCursor::Start);
    if (!word.isEmpty())
        text_->find(word);
}

void HelpWindow::load(int row) {
    if (row < 0)
        return;
    text_->setMarkdown(markdown(contents_->item(row)->data(Qt::UserRole).toString()));
    restyle();
}

void HelpWindow::restyle() {
    constexpr int margin = 18;
    QTextFrameFormat format = text_->document()->rootFrame()->frameFormat();
    format.setMargin(margin);
    text_->document()->rootFrame()->setFrameFormat(format);
    constexpr int padding = 5;
    for (QTextFrame* frame : text_->document()->rootFrame()->childFrames())
        if (auto* table = qobject_cast<QTextTable*>(frame)) {
            QTextTableFormat look = table->format();
            look.setBorder(0);
            look.setCellSpacing(0);
            look.setCellPadding(padding);
            look.setLeftMargin(-padding); // texts are in line with the paragraphs
            table->setFormat(look);
        }
}

void HelpWindow::changeEvent(QEvent* event) {
    QDialog::changeEvent(event);
    // Links take their colour from the palette when the text is read.
    if (event->type() == QEvent::PaletteChange && contents_->currentRow() >= 0)
        load(contents_->currentRow());
}

// Pages without the text are dimmed, not hidden: the contents keep their order.
void HelpWindow::filter(const QString& text) {
    for (int row = 0; row < contents_->count(); ++row) {
        QListWidgetItem* item = contents_->item(row);
        const bool has =
            text.isEmpty() ||
            markdown(item->data(Qt::UserRole).toString()).contains(text, Qt::CaseInsensitive);
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
        const QString page = contents_->item(row)->data(Qt::UserRole).toString();
        if (!markdown(page).contains(wanted, Qt::CaseInsensitive))
            continue;
        contents_->setCurrentRow(row);
        text_->moveCursor(QTextCursor::Start);
        if (text_->find(wanted))
            return;
    }
}

} // namespace tilescope::gui
