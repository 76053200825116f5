#include "app/gui/run/sweep_dialog.h"

#include <QComboBox>
#include <QDirIterator>
#include <QFormLayout>
#include <QLineEdit>
#include <QProgressBar>
#include <QPushButton>
#include <algorithm>

#include "app/gui/run/simulation_run.h"
#include "core/options/option_form.h"
#include "core/options/option_table.h"
#include "views/widgets/parts.h"

namespace tilescope::gui {
namespace {

constexpr int comfortable = 560; // pixels of width

} // namespace

QStringList sweptProfiles(const QString& folder) {
    constexpr int most = 4096; // points
    QStringList files;
    QDirIterator points(folder, {QStringLiteral("profile.pop")}, QDir::Files,
                        QDirIterator::Subdirectories);
    while (points.hasNext() && files.size() < most)
        files << points.next();
    files.sort();
    return files;
}

SweepDialog::SweepDialog(QString program, RunRequest run, QWidget* parent)
    : QDialog(parent)
    , program_(std::move(program))
    , run_(std::move(run))
    , folder_(RunDialog::freshFolder(QStringLiteral("sweep")))
    , option_(new QComboBox)
    , values_(new QLineEdit)
    , command_(views::wrappedLabel({}, "muted"))
    , error_(views::wrappedLabel({}, "error"))
    , bar_(new QProgressBar)
    , start_(new QPushButton(tr("Sweep"))) {
    setWindowTitle(tr("Sweep an option"));
    setMinimumWidth(comfortable);
    for (const OptionSpec& spec : runOptionTable())
        option_->addItem(QString::fromStdString(spec.key), QString::fromStdString(spec.help));
    option_->setCurrentText(QStringLiteral("batchSize"));
    option_->setAccessibleName(tr("Option"));
    values_->setPlaceholderText(QStringLiteral("1,2,4,8"));
    values_->setToolTip(tr("Values between commas, or FROM:TO:STEP"));
    values_->setAccessibleName(tr("Values"));
    auto* fields = new QWidget;
    auto* form = new QFormLayout(fields);
    form->setContentsMargins(0, 0, 0, 0);
    form->addRow(tr("Option"), option_);
    form->addRow(tr("Values"), values_);
    auto* buttons = new QWidget;
    auto* row = new QHBoxLayout(buttons);
    row->setContentsMargins(0, 0, 0, 0);
    auto* close = new QPushButton(tr("Cancel"));
    row->addWidget(bar_, 1);
    row->addStretch();
    row->addWidget(start_);
    row->addWidget(close);
    QVBoxLayout* column = views::inColumn(
        this,
        {views::wrappedLabel(tr("Each value is a run with the other options as they are. The runs "
                                "join the candidates."),
                             "advice"),
         fields, command_, error_, buttons});
    column->setContentsMargins(16, 14, 16, 14);
    column->setSpacing(10);
    bar_->setRange(0, 0); // how long a point takes is not known
    bar_->setTextVisible(false);
    bar_->setAccessibleName(tr("Progress"));
    bar_->hide();
    error_->hide();
    start_->setDefault(true);
    connect(option_, &QComboBox::currentIndexChanged, this, &SweepDialog::update);
    connect(values_, &QLineEdit::textChanged, this, &SweepDialog::update);
    connect(start_, &QPushButton::clicked, this, &SweepDialog::start);
    connect(close, &QPushButton::clicked, this, &SweepDialog::reject);
    update();
    values_->setFocus();
}

SweepDialog::~SweepDialog() {
    if (process_ == nullptr)
        return;
    process_->disconnect(this);
    endProcess(*process_);
}

QStringList SweepDialog::arguments() const {
    std::map<std::string, std::string> others = run_.options;
    others.erase(option_->currentText().toStdString());
    QStringList list;
    for (const std::string& argument :
         runArguments(run_.model.toStdString(), others, folder_.toStdString()))
        list << QString::fromStdString(argument);
    list.first() = QStringLiteral("sweep");
    list << QStringLiteral("--vary")
         << QStringLiteral("%1=%2").arg(option_->currentText(), values_->text().trimmed())
         << QStringLiteral("--keep-profiles");
    return list;
}

void SweepDialog::update() {
    option_->setToolTip(option_->currentData().toString());
    command_->setText(QStringLiteral("tilescope ") + arguments().join(QLatin1Char(' ')));
    start_->setEnabled(process_ == nullptr && !values_->text().trimmed().isEmpty());
}

void SweepDialog::start() {
    if (process_ != nullptr)
        return;
    if (program_.isEmpty())
        return fail(tr("The program 'tilescope' is neither beside this program nor in PATH"));
    error_->hide();
    bar_->show();
    process_ = new QProcess(this);
    connect(process_, &QProcess::finished, this, &SweepDialog::programEnded);
    connect(process_, &QProcess::errorOccurred, this, [this](QProcess::ProcessError error) {
        if (error == QProcess::FailedToStart)
            programEnded();
    });
    process_->start(program_, arguments());
    update();
}

void SweepDialog::programEnded() {
    const bool failedToStart = process_->error() == QProcess::FailedToStart;
    QString problem = failedToStart ? process_->errorString()
                                    : QString::fromUtf8(process_->readAllStandardError()).trimmed();
    const QLatin1String prefix("tilescope: error: ");
    if (problem.startsWith(prefix))
        problem.remove(0, prefix.size());
    // Points that do not fit or fail are results too.
    const bool done = !failedToStart && process_->exitStatus() == QProcess::NormalExit &&
                      !sweptProfiles(folder_).isEmpty();
    process_->deleteLater();
    process_ = nullptr;
    bar_->hide();
    update();
    if (!done) {
        fail(problem.isEmpty() ? tr("The sweep wrote no profile") : problem);
        return emit ended();
    }
    emit finished(folder_);
    emit ended();
    accept();
}

void SweepDialog::fail(const QString& text) {
    error_->setText(text);
    error_->show();
}

void SweepDialog::reject() {
    if (process_ != nullptr) {
        process_->disconnect(this);
        endProcess(*process_);
        process_->deleteLater();
        process_ = nullptr;
    }
    QDialog::reject();
}

} // namespace tilescope::gui
