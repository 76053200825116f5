#include "app/gui/candidates/candidates_panel.h"

#include <QCheckBox>
#include <QFileInfo>
#include <QMainWindow>
#include <QPushButton>
#include <QTableView>
#include <QVBoxLayout>
#include <algorithm>
#include <utility>

#include "core/analysis/accounting/accounting.h"
#include "core/base/error.h"
#include "views/widgets/parts.h"

namespace tilescope::gui {
namespace {

/// What reports of two runs begin with, which the view keeps.
void readParts(const ProfileView& view, const std::stop_token& stop) {
    static_cast<void>(view.operations(stop));
    static_cast<void>(view.programs(stop));
    static_cast<void>(view.steps(stop));
    static_cast<void>(view.computeSets(stop));
    static_cast<void>(view.exchanges(stop));
    static_cast<void>(view.tileMemory(stop));
    static_cast<void>(view.notAlwaysLive(stop));
    static_cast<void>(accountingOf(view, stop));
    if (!view.info().hasExecution)
        return;
    static_cast<void>(view.trace(stop));
    static_cast<void>(view.executions(stop));
}

/// And what two runs are compared by.
void readMatches(const ProfilePair& pair, const std::stop_token& stop) {
    if (!pair.comparing())
        return;
    static_cast<void>(pair.matching->operations(stop));
    static_cast<void>(pair.matching->programs(stop));
    static_cast<void>(pair.matching->steps(stop));
    static_cast<void>(pair.matching->computeSets(stop));
    static_cast<void>(pair.matching->exchanges(stop));
}

QString fileOf(const ProfileViewPtr& profile) {
    // As recent files are named.
    return profile ? QFileInfo(QString::fromStdString(profile->file().string())).absoluteFilePath()
                   : QString();
}

} // namespace

CandidatesPanel::CandidatesPanel(views::ViewContext& context, std::function<QStringList()> recent,
                                 QWidget* parent)
    : QDockWidget(tr("Candidates"), parent)
    , context_(context)
    , recent_(std::move(recent))
    , table_(new views::TablePanel(context, tr("Filter runs"), views::About::Other))
    , pin_(new QPushButton(tr("Pin as source")))
    , sweep_(new QPushButton(tr("Sweep…")))
    , keep_(new QCheckBox(tr("Keep target")))
    , query_(context.workers, views::About::Other)
    , aheadQuery_(context.workers, views::About::Other) {
    setFeatures(DockWidgetClosable);
    setObjectName(QStringLiteral("candidates"));
    pin_->setToolTip(tr("The chosen run becomes the source, with which the others are compared"));
    constexpr int narrowestName = 100; // pixels; its end is the value that differs, in sight
    table_->setNarrowestName(narrowestName);
    table_->setAccessibleName(tr("Candidates"));
    table_->view().setAccessibleName(tr("Runs of this model"));
    auto* content = new QWidget;
    auto* column = new QVBoxLayout(content);
    column->setContentsMargins(0, 0, 0, 8);
    column->addWidget(table_, 1);
    auto* row = new QHBoxLayout;
    row->setContentsMargins(12, 0, 12, 0);
    row->addWidget(pin_);
    row->addWidget(sweep_);
    row->addStretch();
    row->addWidget(keep_);
    column->addLayout(row);
    setWidget(content);
    constexpr int narrowest = 280; // pixels
    content->setMinimumWidth(narrowest);
    keep_->setToolTip(tr("The target stays, and arrow keys go through sources: any two runs can be "
                         "compared"));
    sweep_->setToolTip(tr("Runs the source again with several values of one option"));
    connect(sweep_, &QPushButton::clicked, this, &CandidatesPanel::sweepWanted);
    connect(pin_, &QPushButton::clicked, this, &CandidatesPanel::pin);
    connect(table_, &views::TablePanel::chosen, this, &CandidatesPanel::flipTo);
    connect(&context_.reports, &views::ReportPair::changed, this, &CandidatesPanel::recentChanged);
    connect(&context_.workers, &views::Workers::becameIdle, this, &CandidatesPanel::readAhead,
            Qt::QueuedConnection);
}

void CandidatesPanel::recentChanged() {
    if (isVisible())
        read();
}

void CandidatesPanel::showEvent(QShowEvent* event) {
    QDockWidget::showEvent(event);
    constexpr int wide = 660;   // pixels: all columns, and a difference of an option or two
    constexpr int small = 1400; // a window whose reports need nearly all of it
    auto* window = qobject_cast<QMainWindow*>(parentWidget());
    const double shareOfWindow = window != nullptr && window->width() < small ? 0.31 : 0.35;
    if (window != nullptr && std::exchange(isNew_, false))
        window->resizeDocks({this}, {std::min(wide, qRound(shareOfWindow * window->width()))},
                            Qt::Horizontal);
    read();
}

void CandidatesPanel::read() {
    const ProfileViewPtr source = context_.reports.source();
    if (!source)
        return list({});
    QStringList files = recent_() + added_;
    files.removeDuplicates();
    for (const ProfileViewPtr& open : {source, context_.reports.target()})
        if (open && !files.contains(fileOf(open)))
            files << fileOf(open);
    if (candidates_.empty())
        table_->showHint(tr("Reading the runs of this model…"));
    query_.start([this, files, source, known = candidates_](const std::stop_token& stop) {
        return [this, found = readCandidates(files, source->info(), known, stop)]() mutable {
            list(std::move(found));
        };
    });
}

void CandidatesPanel::list(std::vector<Candidate> candidates) {
    candidates_ = std::move(candidates);
    fillTable();
    updateControls();
}

Columns CandidatesPanel::columns() const {
    constexpr int leastForAll = 500; // pixels
    return width() < leastForAll ? Columns::Few : Columns::All;
}

void CandidatesPanel::fillTable() {
    const ProfileViewPtr source = context_.reports.source();
    shown_ = columns();
    table_->setTable(candidateTable(candidates_, fileOf(source),
                                    source ? source->info() : ProfileInfo(), shown_));
    const ProfileViewPtr flipped = keep_->isChecked() ? source : context_.reports.target();
    if (const int place = placeOf(flipped); place >= 0)
        table_->selectId(place);
}

void CandidatesPanel::resizeEvent(QResizeEvent* event) {
    QDockWidget::resizeEvent(event);
    if (columns() != shown_)
        fillTable();
}

int CandidatesPanel::placeOf(const ProfileViewPtr& profile) const {
    for (std::size_t i = 0; i < candidates_.size(); ++i)
        if (profile && candidates_[i].file == fileOf(profile))
            return static_cast<int>(i);
    return -1;
}

void CandidatesPanel::updateControls() {
    pin_->setEnabled(context_.reports.target() != nullptr);
    keep_->setEnabled(context_.reports.target() != nullptr);
    const ProfileViewPtr source = context_.reports.source();
    sweep_->setEnabled(source && source->info().has(ProfilePart::Options));
}

void CandidatesPanel::flipTo(std::int32_t id) {
    if (id < 0 || static_cast<std::size_t>(id) >= candidates_.size())
        return;
    const QString& file = candidates_[static_cast<std::size_t>(id)].file;
    const ProfileViewPtr source = context_.reports.source();
    const ProfileViewPtr target = context_.reports.target();
    const bool ofSource = keep_->isChecked() && target;
    const ProfileViewPtr& kept = ofSource ? target : source;
    if (file == fileOf(ofSource ? source : target) || !kept)
        return;
    if (file == fileOf(kept))
        return ofSource ? void() : context_.reports.closeTarget();
    if (aheadQuery_.running()) { // the report comes first
        aheadQuery_.cancel();
        aheadFor_.clear();
    }
    if (const auto ready = ahead_.find(file); ready != ahead_.end()) {
        const ProfilePair& pair = ready->second;
        const ProfileViewPtr chosen = fileOf(pair.source) == file ? pair.source : pair.target;
        const bool isAsRead = (ofSource ? pair.target : pair.source) == kept;
        return context_.reports.show(isAsRead ? ProfilePair(pair) : besideKept(chosen));
    }
    const std::filesystem::path wanted(file.toStdString());
    ofSource ? context_.reports.open(wanted, kept->file())
             : context_.reports.open(kept->file(), wanted);
}

ProfilePair CandidatesPanel::besideKept(const ProfileViewPtr& chosen) const {
    return keep_->isChecked() && context_.reports.target()
               ? ProfilePair(chosen, context_.reports.target())
               : ProfilePair(context_.reports.source(), chosen);
}

// The rows above and below what is chosen, in the order that the user sees.
void CandidatesPanel::readAhead() {
    if (!isVisible() || !context_.workers.idle() || !context_.reports.source())
        return;
    const int row = table_->view().currentIndex().row();
    QStringList files;
    for (const int beside : {row + 1, row - 1}) {
        if (row < 0 || beside < 0 || beside >= table_->model().rowCount())
            continue;
        const std::int32_t id = table_->model().idAt(beside);
        if (id >= 0 && static_cast<std::size_t>(id) < candidates_.size())
            files << candidates_[static_cast<std::size_t>(id)].file;
    }
    const ProfilePair open = context_.reports.profiles();
    // What is open has been read.
    std::erase_if(ahead_, [&](const auto& each) { return !files.contains(each.first); });
    for (const auto& [file, pair] : ahead_)
        files.removeAll(file);
    files.removeAll(fileOf(open.source));
    files.removeAll(fileOf(open.target));
    if (files.isEmpty() || files == aheadFor_)
        return;
    aheadFor_ = files;
    aheadQuery_.start([this, files, beside = besideKept({})](const std::stop_token& stop) {
        std::map<QString, ProfilePair> pairs;
        for (const QString& file : files) {
            if (stop.stop_requested())
                throw Cancelled();
            try {
                const auto view = std::make_shared<const ProfileView>(file.toStdString());
                readParts(*view, stop);
                const ProfilePair pair = beside.source ? ProfilePair(beside.source, view)
                                                       : ProfilePair(view, beside.target);
                readMatches(pair, stop);
                pairs[file] = pair;
            } catch (const UserError&) {
                continue; // said when it is chosen
            }
        }
        return [this, pairs = std::move(pairs)] { ahead_.insert(pairs.begin(), pairs.end()); };
    });
}

void CandidatesPanel::add(const QStringList& files) {
    added_ << files;
    added_.removeDuplicates();
    recentChanged();
}

void CandidatesPanel::pin() {
    if (const ProfileViewPtr target = context_.reports.target())
        context_.reports.show(target, context_.reports.source());
}

} // namespace tilescope::gui
