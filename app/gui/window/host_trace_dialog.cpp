#include "app/gui/window/host_trace_dialog.h"

#include <QDialogButtonBox>
#include <QDoubleSpinBox>
#include <QFileDialog>
#include <QFileInfo>
#include <QGridLayout>
#include <QLabel>
#include <QLineEdit>
#include <QPointer>
#include <QProgressBar>
#include <QPushButton>
#include <QRadioButton>
#include <QVBoxLayout>
#include <utility>

#include "app/gui/window/given_files.h"
#include "views/theme/text.h"
#include "views/widgets/parts.h"

namespace tilescope::gui {
namespace {

constexpr int roomyWidth = 620;
constexpr double mostSeconds = 1e6; // 11 days
constexpr int microsecondDigits = 6;

std::vector<std::filesystem::path> pathsOf(const QStringList& files) {
    std::vector<std::filesystem::path> paths;
    for (const QString& file : files)
        paths.emplace_back(file.toStdString());
    return paths;
}

/// What was added and what was not, in one text.
QString textOfAll(const AddedHostTraces& added) {
    QString text = QString::fromStdString(textOf(added));
    for (const std::string& note : notesOf(added))
        text += QStringLiteral("; ") + QString::fromStdString(note);
    return text;
}

} // namespace

HostTraceDialog::HostTraceDialog(views::ViewContext& context, ProfileViewPtr profile,
                                 QStringList traces, QWidget* parent)
    : QDialog(parent)
    , profile_(std::move(profile))
    , traces_(std::move(traces))
    , first_(new QRadioButton(tr("The first event begins with the first run")))
    , byOffset_(new QRadioButton(tr("The first event is after the beginning of the first run by")))
    , byEvent_(new QRadioButton(tr("The first run begins with the event named")))
    , offset_(new QDoubleSpinBox)
    , event_(new QLineEdit)
    , output_(new QLineEdit)
    , choose_(new QPushButton(tr("Choose…")))
    , bar_(new QProgressBar)
    , problem_(views::wrappedLabel({}, "error"))
    , add_(new QPushButton(tr("Add")))
    , query_(context.workers, views::About::Other) {
    setWindowTitle(tr("Add a trace of the host"));
    makeParts();
    setOutput(nameBeside(views::openedName(*profile_), QStringLiteral("-host")));
    connect(&query_, &views::BackgroundQuery::failed, this, &HostTraceDialog::fail);
    connect(this, &QDialog::finished, this, [this] { query_.cancel(); });
}

QWidget* HostTraceDialog::makeChoices() {
    offset_->setRange(-mostSeconds, mostSeconds);
    offset_->setDecimals(microsecondDigits);
    offset_->setSuffix(tr(" s"));
    offset_->setAccessibleName(tr("Seconds from the first run to the first event"));
    event_->setAccessibleName(tr("Event with which the first run begins"));
    event_->setPlaceholderText(tr("ProfilerStep#1"));
    first_->setChecked(true);
    auto* choices = new QWidget;
    auto* grid = new QGridLayout(choices);
    grid->setContentsMargins(0, 0, 0, 0);
    grid->addWidget(first_, 0, 0, 1, 2);
    grid->addWidget(byOffset_, 1, 0);
    grid->addWidget(offset_, 1, 1);
    grid->addWidget(byEvent_, 2, 0);
    grid->addWidget(event_, 2, 1);
    grid->setColumnStretch(1, 1);
    // What is filled in is meant.
    connect(offset_, &QDoubleSpinBox::valueChanged, byOffset_,
            [this] { byOffset_->setChecked(true); });
    connect(event_, &QLineEdit::textEdited, byEvent_, [this] { byEvent_->setChecked(true); });
    return choices;
}

void HostTraceDialog::makeParts() {
    QStringList names;
    for (const QString& trace : traces_)
        names << views::shownName(QFileInfo(trace).fileName().toStdString());
    auto* what = views::wrappedLabel(
        tr("%1 is shown beside the IPUs, in a copy of the profile.").arg(names.join(tr(", "))), "");
    what->setTextFormat(Qt::PlainText);
    problem_->setTextFormat(Qt::PlainText); // it repeats names
    problem_->hide();
    auto* where = new QWidget;
    auto* row = new QHBoxLayout(where);
    row->setContentsMargins(0, 0, 0, 0);
    row->addWidget(new QLabel(tr("Copy")));
    row->addWidget(output_, 1);
    row->addWidget(choose_);
    output_->setAccessibleName(tr("File of the copy"));
    bar_->setRange(0, 100);
    bar_->setAccessibleName(tr("Progress"));
    bar_->setTextVisible(false);
    bar_->hide();
    auto* buttons = new QDialogButtonBox(QDialogButtonBox::Cancel);
    buttons->addButton(add_, QDialogButtonBox::AcceptRole);
    add_->setDefault(true);
    choose_->setAutoDefault(false);
    QVBoxLayout* column =
        views::inColumn(this, {what, makeChoices(), where, problem_, bar_, buttons});
    column->setContentsMargins(16, 14, 16, 14);
    column->setSpacing(12);
    resize(roomyWidth, sizeHint().height());
    connect(choose_, &QPushButton::clicked, this, &HostTraceDialog::chooseOutput);
    connect(add_, &QPushButton::clicked, this, &HostTraceDialog::start);
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
}

HostTraceClock HostTraceDialog::clock() const {
    HostTraceClock clock;
    if (byOffset_->isChecked())
        clock.offset = offset_->value();
    else if (byEvent_->isChecked())
        clock.zero = event_->text().toStdString();
    return clock;
}

void HostTraceDialog::setOffset(double seconds) {
    offset_->setValue(seconds);
    byOffset_->setChecked(true);
}

void HostTraceDialog::setZero(const QString& event) {
    event_->setText(event);
    byEvent_->setChecked(true);
}

QString HostTraceDialog::output() const {
    return output_->text();
}

void HostTraceDialog::setOutput(const QString& file) {
    output_->setText(file);
}

void HostTraceDialog::chooseOutput() {
    const QString file = QFileDialog::getSaveFileName(this, tr("Profile with the host's events"),
                                                      output(), tr("Profiles (*.pop)"));
    if (file.isEmpty())
        return;
    replaced_ = file; // the system's dialog has asked
    setOutput(file);
}

void HostTraceDialog::start() {
    if (running())
        return;
    const QString output = QFileInfo(this->output().trimmed()).absoluteFilePath();
    if (this->output().trimmed().isEmpty())
        return fail(tr("Name a file for the copy."));
    if (QFileInfo::exists(output) && output != replaced_)
        return fail(tr("%1 exists: choose another name.").arg(output));
    if (byEvent_->isChecked() && event_->text().isEmpty())
        return fail(tr("Name the event with which the first run begins."));
    showRunning();
    query_.start(
        [this, profile = profile_, traces = pathsOf(traces_), clock = clock(), output,
         progress = progress()](const std::stop_token& stop) -> views::BackgroundQuery::Deliver {
            const AddedHostTraces result =
                addHostTraces(profile->file(), traces, clock, output.toStdString(), progress, stop);
            return [this, output, text = textOfAll(result)] {
                emit added(output, text);
                accept();
            };
        });
}

// A worker may still read when this dialog is gone, so it reports to the application.
ImportProgress HostTraceDialog::progress() {
    return [bar = QPointer<QProgressBar>(bar_), last = -1](double done, std::string_view) mutable {
        const int percent = static_cast<int>(100 * done);
        if (std::exchange(last, percent) == percent)
            return;
        QMetaObject::invokeMethod(
            QCoreApplication::instance(),
            [bar, percent] {
                if (bar)
                    bar->setValue(percent);
            },
            Qt::QueuedConnection);
    };
}

void HostTraceDialog::showRunning() {
    problem_->hide();
    bar_->setValue(0);
    bar_->show();
    add_->setEnabled(false);
}

void HostTraceDialog::fail(const QString& text) {
    bar_->hide();
    add_->setEnabled(true);
    problem_->setText(text);
    problem_->show();
}

} // namespace tilescope::gui
