#include "app/gui/window/remote_dialog.h"

#include <QComboBox>
#include <QDateTime>
#include <QDialogButtonBox>
#include <QDir>
#include <QFile>
#include <QGridLayout>
#include <QHeaderView>
#include <QLineEdit>
#include <QPointer>
#include <QPushButton>
#include <QStyle>
#include <QTreeWidget>
#include <QVBoxLayout>
#include <algorithm>
#include <utility>

#include "core/base/units.h"
#include "core/remote/capture_script.h"
#include "core/remote/profile_place.h"
#include "core/remote/remote_capture.h"
#include "views/theme/text.h"
#include "views/widgets/parts.h"

namespace tilescope::gui {
namespace {

constexpr QSize roomy(720, 520);
constexpr int sizeWidth = 110; // pixels
constexpr int timeWidth = 150;
constexpr qint64 nanosecondsInMs = 1'000'000;
constexpr int atRole = Qt::UserRole; ///< the index of an entry
constexpr qint64 longestConfiguration = qint64{1} << 20;

QTreeWidgetItem* itemOf(const RemoteEntry& entry, std::size_t at, const QStyle& style) {
    auto* item = new QTreeWidgetItem;
    item->setText(0, views::shownName(entry.name));
    item->setIcon(0, style.standardIcon(entry.folder ? QStyle::SP_DirIcon : QStyle::SP_FileIcon));
    if (!entry.folder)
        item->setText(1, QString::fromStdString(formatBytes(entry.bytes)));
    item->setTextAlignment(1, Qt::AlignRight | Qt::AlignVCenter);
    item->setText(2, QDateTime::fromMSecsSinceEpoch(entry.modified / nanosecondsInMs)
                         .toString(QStringLiteral("yyyy-MM-dd hh:mm")));
    item->setData(0, atRole, static_cast<qulonglong>(at));
    return item;
}

} // namespace

QStringList hostAliases() {
    QFile file(QDir::home().filePath(QStringLiteral(".ssh/config")));
    QStringList aliases;
    if (!file.open(QIODevice::ReadOnly))
        return aliases;
    for (const QString& line :
         QString::fromUtf8(file.read(longestConfiguration)).split(QLatin1Char('\n'))) {
        QStringList words = line.simplified().split(QLatin1Char(' '));
        if (words.takeFirst().compare(QLatin1String("Host"), Qt::CaseInsensitive) != 0)
            continue;
        words.removeIf([](const QString& word) {
            return word.contains(QLatin1Char('*')) || word.contains(QLatin1Char('?')) ||
                   word.startsWith(QLatin1Char('!'));
        });
        aliases += words;
    }
    return aliases;
}

RemoteDialog::RemoteDialog(views::ViewContext& context, const QStringList& hosts, QWidget* parent)
    : QDialog(parent)
    , context_(context)
    , query_(context.workers, views::About::Other)
    , host_(new QComboBox)
    , connect_(new QPushButton(tr("Connect")))
    , above_(new QPushButton(tr("Up")))
    , path_(new QLineEdit)
    , list_(new QTreeWidget)
    , enable_(new QLineEdit)
    , state_(views::wrappedLabel({}, "muted"))
    , open_(new QPushButton(tr("Open"))) {
    setWindowTitle(tr("Open on another machine"));
    resize(roomy);
    makeParts(hosts);
    connectParts();
    tell(tr("Hosts and keys are those of ssh: an alias of its configuration, or user@host:port."),
         false);
    updateButtons();
}

void RemoteDialog::makeParts(const QStringList& hosts) {
    // It repeats what hosts say.
    state_->setTextFormat(Qt::PlainText);
    host_->setEditable(true);
    host_->setInsertPolicy(QComboBox::NoInsert);
    QStringList once = hosts;
    once.removeDuplicates();
    host_->addItems(once);
    host_->setAccessibleName(tr("Host"));
    path_->setAccessibleName(tr("Folder"));
    list_->setAccessibleName(tr("Files"));
    list_->setHeaderLabels({tr("Name"), tr("Size"), tr("Written")});
    list_->headerItem()->setTextAlignment(1, Qt::AlignRight | Qt::AlignVCenter);
    list_->setRootIsDecorated(false);
    list_->setUniformRowHeights(true);
    list_->header()->setStretchLastSection(false);
    list_->header()->setSectionResizeMode(0, QHeaderView::Stretch);
    list_->header()->resizeSection(1, sizeWidth);
    list_->header()->resizeSection(2, timeWidth);
    auto* grid = new QGridLayout;
    grid->addWidget(new QLabel(tr("Host")), 0, 0);
    grid->addWidget(host_, 0, 1);
    grid->addWidget(connect_, 0, 2);
    grid->addWidget(new QLabel(tr("Folder")), 1, 0);
    grid->addWidget(path_, 1, 1);
    grid->addWidget(above_, 1, 2);
    grid->setColumnStretch(1, 1);
    auto* buttons = new QDialogButtonBox(QDialogButtonBox::Cancel);
    buttons->addButton(open_, QDialogButtonBox::ActionRole);
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    auto* capture = new QHBoxLayout;
    capture->addWidget(new QLabel(tr("Poplar's enable script")));
    capture->addWidget(enable_, 1);
    enable_->setAccessibleName(tr("Poplar's enable script"));
    enable_->setPlaceholderText(tr("such as /opt/poplar/enable.sh, to capture Poplar's profile"));
    enable_->setToolTip(tr("Poplar's own profile is captured on its machine, in a shell that has "
                           "sourced this script. Leave it empty for other files."));
    auto* layout = new QVBoxLayout(this);
    layout->addLayout(grid);
    layout->addWidget(list_, 1);
    layout->addLayout(capture);
    layout->addWidget(state_);
    layout->addWidget(buttons);
    // Return belongs to the text that is being typed.
    for (QPushButton* button : {connect_, above_, open_})
        button->setAutoDefault(false);
    buttons->button(QDialogButtonBox::Cancel)->setAutoDefault(false);
}

void RemoteDialog::connectParts() {
    connect(connect_, &QPushButton::clicked, this, &RemoteDialog::connectToHost);
    connect(host_->lineEdit(), &QLineEdit::returnPressed, this, &RemoteDialog::connectToHost);
    connect(host_, &QComboBox::textActivated, this, &RemoteDialog::connectToHost);
    connect(host_, &QComboBox::editTextChanged, this, &RemoteDialog::updateButtons);
    connect(path_, &QLineEdit::returnPressed, this, [this] {
        if (!folder_)
            return;
        RemoteAddress address = folder_->address;
        address.path = path_->text().toStdString();
        list(address);
    });
    connect(above_, &QPushButton::clicked, this, [this] { list(above(folder_->address)); });
    connect(list_, &QTreeWidget::itemActivated, this, &RemoteDialog::enter);
    connect(list_, &QTreeWidget::itemSelectionChanged, this, &RemoteDialog::updateButtons);
    connect(open_, &QPushButton::clicked, this, &RemoteDialog::openSelected);
    connect(enable_, &QLineEdit::textChanged, this, &RemoteDialog::updateButtons);
    connect(&query_, &views::BackgroundQuery::failed, this, [this](const QString& text) {
        tell(text, true);
        updateButtons();
    });
    connect(this, &QDialog::finished, this, [this] { query_.cancel(); });
}

void RemoteDialog::goTo(const QString& text) {
    host_->setEditText(text);
    connectToHost();
}

void RemoteDialog::connectToHost() {
    QString text = host_->currentText().trimmed();
    if (text.isEmpty())
        return;
    if (!isRemote(text.toStdString()))
        text.prepend(QLatin1String("ssh://"));
    try {
        list(remoteAddress(text.toStdString()));
    } catch (const UserError& error) {
        tell(QString::fromUtf8(error.what()), true);
    }
}

void RemoteDialog::list(const RemoteAddress& address) {
    tell(tr("Asking %1…").arg(views::shownName(address.host)), false);
    query_.start([this, address, ssh = context_.reports.ssh()](const std::stop_token& stop) {
        remoteAddress(toString(address)); // a typed folder may be anything
        RemoteFolder folder;
        std::optional<RemoteAddress> file;
        // The path of a file may be typed as well.
        if (!address.path.empty() && !remoteEntry(ssh, address, stop).folder)
            file = address;
        else
            folder = remoteFolder(ssh, address, stop);
        return [this, folder = std::move(folder), file] {
            if (!file)
                return showFolder(folder);
            choose(*file);
        };
    });
    updateButtons();
}

void RemoteDialog::showFolder(const RemoteFolder& folder) {
    folder_ = folder;
    RemoteAddress host = folder.address;
    host.path.clear();
    host_->setEditText(QString::fromStdString(toString(host)).section(QLatin1Char('/'), 2));
    path_->setText(QString::fromStdString(folder.address.path));
    list_->clear();
    QList<QTreeWidgetItem*> items;
    for (std::size_t i = 0; i < folder.entries.size(); ++i)
        items << itemOf(folder.entries[i], i, *style());
    list_->addTopLevelItems(items);
    if (folder.leftOut > 0)
        tell(tr("%1 more names are not shown.").arg(folder.leftOut), false);
    else
        tell(items.isEmpty() ? tr("This folder is empty.")
                             : tr("A profile, a capture, or a folder with a profile.pop can be "
                                  "opened; Poplar's own with its enable script."),
             false);
    list_->setFocus();
    updateButtons();
}

QTreeWidgetItem* RemoteDialog::selected() const {
    const QList<QTreeWidgetItem*> items = list_->selectedItems();
    return items.isEmpty() ? nullptr : items.front();
}

void RemoteDialog::enter(QTreeWidgetItem* item) {
    const RemoteEntry& entry = folder_->entries.at(item->data(0, atRole).toULongLong());
    const RemoteAddress address = inFolder(folder_->address, entry.name);
    if (entry.folder)
        return list(address);
    choose(address);
}

// A folder stands for the profile in it.
void RemoteDialog::openSelected() {
    const QTreeWidgetItem* item = selected();
    if (item == nullptr)
        return;
    const RemoteEntry& entry = folder_->entries.at(item->data(0, atRole).toULongLong());
    choose(inFolder(folder_->address, entry.name));
}

void RemoteDialog::setEnableScript(const QString& path) {
    enable_->setText(path);
}

QString RemoteDialog::enableScript() const {
    return enable_->text().trimmed();
}

void RemoteDialog::choose(const RemoteAddress& address) {
    if (!enableScript().isEmpty())
        return capture(address);
    emit chosen(QString::fromStdString(toString(address)));
    accept();
}

void RemoteDialog::capture(const RemoteAddress& address) {
    tell(tr("Capturing %1 on %2…")
             .arg(views::shownName(address.path), views::shownName(address.host)),
         false);
    query_.start(
        [this, ssh = context_.reports.ssh(),
         request = RemoteCaptureRequest{address, enableScript().toStdString(), captureScriptText()},
         progress =
             copyProgress()](const std::stop_token& stop) -> views::BackgroundQuery::Deliver {
            const std::filesystem::path file =
                captureRemote(ssh, request, remoteCopies(), progress, stop);
            return [this, file] {
                emit chosen(QString::fromStdString(file.string()));
                accept();
            };
        });
    updateButtons();
}

// A worker may still copy when this dialog is gone, so it reports to the application.
CopyProgress RemoteDialog::copyProgress() {
    return [state = QPointer<RemoteDialog>(this), last = -1](std::int64_t done,
                                                             std::int64_t bytes) mutable {
        const int percent = static_cast<int>(100 * static_cast<double>(done) /
                                             static_cast<double>(std::max<std::int64_t>(1, bytes)));
        if (std::exchange(last, percent) == percent)
            return;
        QMetaObject::invokeMethod(
            QCoreApplication::instance(),
            [state, percent] {
                if (state && state->query_.running())
                    state->tell(tr("Copying the capture… %1 %").arg(percent), false);
            },
            Qt::QueuedConnection);
    };
}

void RemoteDialog::updateButtons() {
    connect_->setEnabled(!host_->currentText().trimmed().isEmpty());
    above_->setEnabled(folder_ && folder_->address.path != "/");
    path_->setEnabled(folder_.has_value());
    list_->setEnabled(folder_.has_value());
    open_->setEnabled(selected() != nullptr);
    open_->setText(enableScript().isEmpty() ? tr("Open") : tr("Capture and open"));
}

void RemoteDialog::tell(const QString& text, bool isError) {
    state_->setText(text);
    state_->setObjectName(QLatin1String(isError ? "error" : "muted"));
    style()->unpolish(state_);
    style()->polish(state_);
}

} // namespace tilescope::gui
