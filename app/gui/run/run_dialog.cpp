#include "app/gui/run/run_dialog.h"

#include <QComboBox>
#include <QDir>
#include <QFileInfo>
#include <QLineEdit>
#include <QMessageBox>
#include <QPlainTextEdit>
#include <QProgressBar>
#include <QPushButton>
#include <QStandardItemModel>
#include <QStandardPaths>

#include "core/base/error.h"
#include "core/options/job.h"
#include "core/options/option_table.h"
#include "views/widgets/parts.h"

namespace tilescope::gui {
namespace {

enum Then { Open, Compare, Nothing };

} // namespace

RunDialog::RunDialog(QString program, QWidget* parent)
    : QDialog(parent)
    , confirm([this](const QString& text) {
        return QMessageBox::question(this, tr("Replace a profile"), text) == QMessageBox::Yes;
    })
    , run_(std::move(program), this)
    , model_(new QComboBox)
    , folder_(new QLineEdit)
    , form_(new OptionForm)
    , command_(new QPlainTextEdit)
    , copy_(new QPushButton(tr("Copy")))
    , then_(new QComboBox)
    , bar_(new QProgressBar)
    , phase_(views::textLabel({}, "muted"))
    , error_(views::wrappedLabel({}, "error"))
    , log_(new QPlainTextEdit)
    , runButton_(new QPushButton(tr("Run")))
    , cancel_(new QPushButton(tr("Close"))) {
    setWindowTitle(tr("Run a model"));
    // On a small screen the form scrolls.
    constexpr QSize roomy(940, 720);
    constexpr double shareOfScreen = 0.9;
    resize(roomy.boundedTo(screen()->availableSize() * shareOfScreen));
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(16, 14, 16, 14);
    layout->setSpacing(10);
    layout->addWidget(makeHead());
    layout->addWidget(form_, 1);
    layout->addWidget(makeFoot());
    makeButtons();
    connect(form_, &OptionForm::edited, this, &RunDialog::update);
    connect(model_, &QComboBox::currentTextChanged, this, &RunDialog::modelChanged);
    connect(folder_, &QLineEdit::textChanged, this, &RunDialog::update);
    connect(&run_, &SimulationRun::started, this, &RunDialog::runStarted);
    connect(&run_, &SimulationRun::ended, this, &RunDialog::runEnded);
    connect(&run_, &SimulationRun::failed, this, &RunDialog::runFailed);
    connect(&run_, &SimulationRun::logged, log_, &QPlainTextEdit::appendPlainText);
    connect(&run_, &SimulationRun::logged, this, [this] { log_->show(); });
    connect(&run_, &SimulationRun::progressed, this, [this](double done, const QString& what) {
        bar_->setRange(0, 100);
        bar_->setValue(qRound(100 * done));
        phase_->setText(what);
    });
    connect(&run_, &SimulationRun::finished, this, [this](const QString& profile) {
        const int then = then_->currentIndex();
        accept();
        if (then != Nothing)
            emit resultReady(profile, then == Compare ? compareWith_ : QString());
    });
    updateCompare();
    loadModels();
    modelChanged();
}

// The process that lists the models may still be running.
RunDialog::~RunDialog() {
    for (QProcess* process : findChildren<QProcess*>(Qt::FindDirectChildrenOnly)) {
        process->disconnect(this);
        process->kill();
        process->waitForFinished();
    }
}

void RunDialog::setRequest(const RunRequest& request) {
    compareWith_ = request.compareWith;
    if (compareWith_.isEmpty() && !openProfiles_.isEmpty())
        compareWith_ = openProfiles_.front();
    updateCompare();
    then_->setCurrentIndex(request.compareWith.isEmpty() ? Open : Compare);
    setModel(request.model);
    form_->setValues(request.options);
    if (request.focusOption.empty() || request.focusOption == "model")
        form_->forgetFocus();
    if (request.focusOption == "model") {
        model_->setFocus();
        model_->lineEdit()->selectAll();
    } else if (!request.focusOption.empty()) {
        form_->focusOption(request.focusOption);
    }
}

// Disables the choice if there is nothing to compare with.
void RunDialog::updateCompare() {
    auto* items = qobject_cast<QStandardItemModel*>(then_->model());
    items->item(Compare)->setEnabled(!compareWith_.isEmpty());
    items->item(Compare)->setToolTip(compareWith_);
}

void RunDialog::setModel(const QString& model) {
    model_->setCurrentText(model);
}

void RunDialog::setFolder(const QString& folder) {
    folder_->setText(folder);
}

QString RunDialog::folder() const {
    return folder_->text().trimmed();
}

QString RunDialog::commandLine() const {
    return command_->toPlainText();
}

QStringList RunDialog::arguments() const {
    QStringList list;
    const QString model = model_->currentText().trimmed();
    for (const std::string& argument :
         runArguments(model.isEmpty() ? "MODEL" : model.toStdString(), form_->changedValues(),
                      folder().toStdString(), jobOptions_))
        list << QString::fromStdString(argument);
    return list;
}

// A new model gets a new folder, unless the user has chosen one.
void RunDialog::modelChanged() {
    const QString model = model_->currentText().trimmed();
    if (folder_->text() == suggestedFolder_) {
        suggestedFolder_ = freshFolder(model);
        folder_->setText(suggestedFolder_);
    }
    if (OptionEditor* options = form_->editor("modelOptions")) {
        const auto known = modelOptions_.find(model);
        options->setPlaceholder(known == modelOptions_.end() || known->second.isEmpty()
                                    ? tr("not set")
                                    : known->second);
    }
    takeJobOptions(model);
    update();
}

// Puts the options of a job file into the form, in place of those of the previous job file.
void RunDialog::takeJobOptions(const QString& model) {
    std::map<std::string, std::string> options;
    if (model.endsWith(QStringLiteral(".json")) && QFileInfo(model).isFile())
        try {
            options = readJob(model.toStdString()).options;
        } catch (const UserError&) { // the run will report the error
        }
    if (options == jobOptions_)
        return;
    std::map<std::string, std::string> values = form_->changedValues();
    std::erase_if(values, [this](const auto& value) {
        const auto set = jobOptions_.find(value.first);
        return set != jobOptions_.end() && set->second == value.second;
    });
    jobOptions_ = options;
    values.merge(options);
    form_->setValues(values);
}

// The command line can set a flag but cannot clear it.
bool RunDialog::marksFlagsOfTheJob() {
    bool any = false;
    for (const auto& [key, value] : jobOptions_) {
        OptionEditor* editor = form_->editor(key);
        if (editor == nullptr || editor->spec().type != OptionSpec::Type::Flag || value != "on" ||
            editor->value() == "on")
            continue;
        editor->setProblem(tr("The job file sets this option: remove it there"));
        any = true;
    }
    return any;
}

void RunDialog::update() {
    const bool good = !marksFlagsOfTheJob() && form_->good();
    std::vector<std::string> words;
    for (const QString& argument : arguments())
        words.push_back(argument.toStdString());
    command_->setPlainText(QString::fromStdString(shellLine("tilescope", words)));
    const bool named = !model_->currentText().trimmed().isEmpty();
    const QString missing = !run_.available() ? tr("The program 'tilescope' is neither beside this "
                                                   "program nor in PATH")
                            : !named          ? tr("Choose a model first")
                            : folder().isEmpty() ? tr("Choose a folder for the result")
                            : !good              ? tr("An option above has an error")
                                                 : QString();
    runButton_->setEnabled(missing.isEmpty() && !run_.running());
    runButton_->setToolTip(missing);
    if (run_.running())
        return;
    // Also shown as text, as the tool tip of a disabled button is easily missed.
    phase_->setText(missing);
    phase_->setVisible(!missing.isEmpty());
}

bool RunDialog::mayWrite() {
    const QString profile = profileIn(folder());
    if (!QFileInfo::exists(profile))
        return true;
    const QString real = QFileInfo(profile).canonicalFilePath();
    for (const QString& open : openProfiles_)
        if (QFileInfo(open).canonicalFilePath() == real)
            return confirm(tr("%1 is open in a window. Replace it?").arg(profile));
    return confirm(tr("%1 exists. Replace it?").arg(profile));
}

void RunDialog::run() {
    error_->hide();
    log_->clear();
    if (!mayWrite())
        return;
    run_.start(arguments() << QStringLiteral("--progress"), folder());
}

void RunDialog::runStarted() {
    form_->setEnabled(false);
    bar_->setRange(0, 0); // until it reports progress
    bar_->show();
    phase_->setText(tr("Starting…"));
    phase_->show();
    cancel_->setText(tr("Cancel"));
    update();
}

void RunDialog::runEnded() {
    form_->setEnabled(true);
    bar_->hide();
    cancel_->setText(tr("Close"));
    update();
}

void RunDialog::runFailed(const QString& text, const QString& option) {
    error_->setText(text);
    error_->setVisible(!form_->showError(text, option.toStdString()));
    if (log_->toPlainText().trimmed() == text)
        log_->hide(); // it adds nothing to the error
}

void RunDialog::reject() {
    if (run_.running())
        run_.cancel();
    else
        QDialog::reject();
}

QString RunDialog::freshFolder(const QString& model) {
    const QDir runs(QDir(QStandardPaths::writableLocation(QStandardPaths::AppLocalDataLocation))
                        .filePath(QStringLiteral("runs")));
    const QString name = model.isEmpty() ? QStringLiteral("run") : QFileInfo(model).baseName();
    for (int n = 1;; ++n) {
        const QString folder = runs.filePath(QStringLiteral("%1-%2").arg(name).arg(n));
        if (!QFileInfo::exists(folder))
            return folder;
    }
}

} // namespace tilescope::gui
