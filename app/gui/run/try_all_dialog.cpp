#include "app/gui/run/try_all_dialog.h"

#include <QHBoxLayout>
#include <QProgressBar>
#include <QPushButton>
#include <QTableView>
#include <algorithm>

#include "core/base/units.h"
#include "core/sweep/trials.h"
#include "views/tables/table_panel.h"
#include "views/widgets/parts.h"

namespace tilescope::gui {
namespace {

constexpr QSize roomy(860, 460);

QString cellString(const Table& table, const Row& row, std::string_view key) {
    const auto* text = std::get_if<std::string>(&row.cells.at(table.columnOf(key)));
    return text == nullptr ? QString() : QString::fromStdString(*text);
}

/// Hides a column without any values: gains of a model that did not run, messages of runs without
/// any.
void leaveOutIfEmpty(Table& table, std::string_view key) {
    const std::size_t at = table.columnOf(key);
    if (std::all_of(table.rows.begin(), table.rows.end(), [&](const Row& row) {
            return std::holds_alternative<std::monostate>(row.cells.at(at));
        }))
        table.columns[at].shown = Shown::Data;
}

/// The outcome in a sentence.
QString verdictOf(const Table& trials) {
    if (trials.rows.empty())
        return TryAllDialog::tr("No option helps against these losses.");
    const Row& best = trials.rows.front();
    const std::optional<TrialVerdict> verdict =
        fromName<TrialVerdict>(cellString(trials, best, "verdict").toStdString());
    const QString change = cellString(trials, best, "change");
    if (verdict == TrialVerdict::Fits) {
        const auto fitting =
            std::count_if(trials.rows.begin(), trials.rows.end(), [&](const Row& row) {
                return cellString(trials, row, "verdict") == QLatin1String("fits");
            });
        return fitting == 1
                   ? TryAllDialog::tr("It fits with %1.").arg(change)
                   : TryAllDialog::tr("It fits with each of %1 suggestions; fastest with %2.")
                         .arg(fitting)
                         .arg(change);
    }
    const std::optional<double> gained = numberOf(best.cells.at(trials.columnOf("gained")));
    if (!gained || *gained <= 0)
        return TryAllDialog::tr("No single suggestion helps.");
    return TryAllDialog::tr("%1 helps most: a sample takes %2 less time.")
        .arg(change, QString::fromStdString(formatPercent(*gained, 1)));
}

} // namespace

TryAllDialog::TryAllDialog(views::ViewContext& context, QString program, QString profile,
                           QWidget* parent)
    : QDialog(parent)
    , run_(std::move(program))
    , profile_(std::move(profile))
    , verdict_(views::wrappedLabel(tr("Each suggestion is simulated separately."), "heading"))
    , error_(views::wrappedLabel({}, "error"))
    , bar_(new QProgressBar)
    , phase_(views::textLabel(tr("Starting…"), "muted"))
    , table_(new views::TablePanel(context, tr("Filter trials"), views::About::Other))
    , compare_(new QPushButton(tr("Compare")))
    , close_(new QPushButton(tr("Cancel"))) {
    setWindowTitle(tr("Try all suggestions"));
    resize(roomy);
    auto* buttons = new QWidget;
    auto* row = new QHBoxLayout(buttons);
    row->setContentsMargins(0, 0, 0, 0);
    row->addWidget(bar_);
    row->addWidget(phase_);
    row->addStretch();
    row->addWidget(compare_);
    row->addWidget(close_);
    QVBoxLayout* column = views::inColumn(this, {verdict_, error_, table_, buttons}, table_);
    column->setContentsMargins(16, 14, 16, 14);
    column->setSpacing(10);
    error_->hide();
    compare_->setEnabled(false);
    compare_->setToolTip(tr("Opens this run beside the trial of the selected row"));
    bar_->setRange(0, 100);
    bar_->setTextVisible(false);     // the label beside it is more informative
    constexpr QSize barSize(160, 6); // as in the dialog of one run
    bar_->setFixedSize(barSize);
    bar_->setAccessibleName(tr("Progress"));
    connect(&run_, &TrialRun::progressed, this, [this](double done, const QString& what) {
        bar_->setValue(qRound(100 * done));
        phase_->setText(what);
    });
    connect(&run_, &TrialRun::finished, this, &TryAllDialog::showTrials);
    connect(&run_, &TrialRun::failed, this, &TryAllDialog::fail);
    connect(table_, &views::TablePanel::activated, this, &TryAllDialog::openTrial);
    connect(table_, &views::TablePanel::chosen, this, &TryAllDialog::updateCompare);
    connect(compare_, &QPushButton::clicked, this, [this] {
        if (const std::vector<std::int32_t> ids = table_->chosenIds(); !ids.empty())
            openTrial(ids.front());
    });
    connect(close_, &QPushButton::clicked, this, &TryAllDialog::reject);
}

void TryAllDialog::start(const QString& folder) {
    if (!run_.available())
        return fail(tr("The program 'tilescope' is neither beside this program nor in PATH"));
    run_.start(profile_, folder);
}

void TryAllDialog::reject() {
    run_.cancel();
    QDialog::reject();
}

void TryAllDialog::showTrials(const Table& trials) {
    bar_->hide();
    phase_->hide();
    close_->setText(tr("Close"));
    verdict_->setText(verdictOf(trials));
    profiles_.clear();
    Table shown = trials;
    const std::size_t outcome = shown.columnOf("outcome");
    for (Row& row : shown.rows) {
        profiles_ << cellString(shown, row, "profile");
        const auto verdict =
            fromName<TrialVerdict>(cellString(shown, row, "verdict").toStdString());
        if (verdict)
            row.cells[outcome] = std::string(displayName(*verdict));
    }
    for (const char* key : {"predicted", "gained", "message"})
        leaveOutIfEmpty(shown, key);
    table_->setTable(shownIn(Shown::Window, std::move(shown)));
    // The best can be compared at once.
    if (!profiles_.isEmpty()) {
        table_->selectId(0);
        updateCompare(0);
        table_->view().setFocus();
    }
    QStringList kept = profiles_;
    kept.removeAll(QString());
    emit tried(kept);
    emit ended();
}

void TryAllDialog::fail(const QString& text) {
    bar_->hide();
    phase_->hide();
    close_->setText(tr("Close"));
    error_->setText(text);
    error_->show();
    emit ended();
}

void TryAllDialog::updateCompare(std::int32_t row) {
    compare_->setEnabled(row >= 0 && row < profiles_.size() && !profiles_.at(row).isEmpty());
}

void TryAllDialog::openTrial(std::int32_t row) {
    if (row < 0 || row >= profiles_.size() || profiles_.at(row).isEmpty())
        return;
    emit comparisonWanted({profile_, profiles_.at(row)});
    accept();
}

} // namespace tilescope::gui
