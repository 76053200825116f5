// The widgets of the run dialog around its options, and the list of built-in models.
#include <QApplication>
#include <QClipboard>
#include <QComboBox>
#include <QFileDialog>
#include <QFontDatabase>
#include <QGridLayout>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QLabel>
#include <QLineEdit>
#include <QPlainTextEdit>
#include <QProgressBar>
#include <QPushButton>
#include <QVBoxLayout>

#include "app/gui/run/run_dialog.h"

namespace tilescope::gui {
namespace {

QHBoxLayout* withButton(QWidget* field, QPushButton* button) {
    auto* line = new QHBoxLayout;
    line->setSpacing(8);
    line->addWidget(field, 1);
    line->addWidget(button);
    return line;
}

} // namespace

RunRequest runAgain(const ProfileView& profile, const std::string& key, const std::string& value,
                    const std::map<std::string, std::string>& with) {
    const ProfileInfo& info = profile.info();
    RunRequest request;
    const auto file = info.options.find("modelFile");
    request.model = QString::fromStdString(file == info.options.end() ? info.model : file->second);
    request.options = changedOptions(info.options);
    if (!key.empty() && !value.empty())
        request.options[key] = value;
    for (const auto& [other, needed] : with)
        request.options[other] = needed;
    request.focusOption = key;
    request.compareWith = QString::fromStdString(profile.file().string());
    return request;
}

QWidget* RunDialog::makeHead() {
    auto* head = new QWidget;
    auto* rows = new QGridLayout(head);
    rows->setContentsMargins(0, 0, 0, 0);
    rows->setColumnStretch(1, 1);
    model_->setEditable(true);
    model_->setInsertPolicy(QComboBox::NoInsert);
    model_->setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    model_->setMinimumContentsLength(20);
    model_->setAccessibleName(tr("Model"));
    model_->lineEdit()->setAccessibleName(tr("Model"));
    model_->lineEdit()->setPlaceholderText(
        tr("a built-in model, an .onnx file, a Keras .json or a job .json"));
    folder_->setAccessibleName(tr("Output folder"));
    auto* browseModel = new QPushButton(tr("Browse…"));
    browseModel->setAccessibleName(tr("Browse for a model"));
    auto* browseFolder = new QPushButton(tr("Browse…"));
    browseFolder->setAccessibleName(tr("Browse for a folder"));
    const auto addRow = [rows](const QString& title, QWidget* field, QWidget* button) {
        auto* label = new QLabel(title);
        label->setBuddy(field);
        const int row = rows->rowCount();
        rows->addWidget(label, row, 0);
        rows->addWidget(field, row, 1);
        rows->addWidget(button, row, 2);
    };
    addRow(tr("&Model"), model_, browseModel);
    addRow(tr("Output &folder"), folder_, browseFolder);
    connect(browseModel, &QPushButton::clicked, this, [this] {
        const QString file = QFileDialog::getOpenFileName(
            this, tr("Model"), {}, tr("Models and jobs (*.onnx *.json);;All files (*)"));
        if (!file.isEmpty())
            setModel(file);
    });
    connect(browseFolder, &QPushButton::clicked, this, [this] {
        const QString folder = QFileDialog::getExistingDirectory(this, tr("Output folder"));
        if (!folder.isEmpty())
            setFolder(folder);
    });
    return head;
}

QWidget* RunDialog::makeFoot() {
    auto* foot = new QWidget;
    auto* layout = new QVBoxLayout(foot);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(8);
    auto* title = new QLabel(tr("The same on the command line"));
    title->setObjectName(QStringLiteral("muted"));
    command_->setReadOnly(true);
    command_->setAccessibleName(title->text());
    command_->setFont(QFontDatabase::systemFont(QFontDatabase::FixedFont));
    command_->setFixedHeight(command_->fontMetrics().height() * 2 + 16);
    command_->setTabChangesFocus(true);
    copy_->setAccessibleName(tr("Copy the command line"));
    connect(copy_, &QPushButton::clicked, this,
            [this] { QApplication::clipboard()->setText(commandLine()); });
    layout->addWidget(title);
    layout->addLayout(withButton(command_, copy_));
    error_->setTextFormat(Qt::PlainText); // output of another program is not markup
    error_->hide();
    layout->addWidget(error_);
    log_->setReadOnly(true);
    log_->setAccessibleName(tr("Log"));
    log_->setMaximumBlockCount(2000);
    log_->setFixedHeight(log_->fontMetrics().height() * 4 + 12);
    log_->setTabChangesFocus(true);
    log_->hide();
    layout->addWidget(log_);
    return foot;
}

void RunDialog::makeButtons() {
    then_->addItems({tr("Open the result"), tr("Compare the result with the open profile"),
                     tr("Leave the result in its folder")});
    then_->setAccessibleName(tr("When it is done"));
    bar_->setTextVisible(false);
    bar_->setFixedSize(160, 6);
    bar_->setAccessibleName(tr("Progress"));
    bar_->hide();
    phase_->hide();
    runButton_->setDefault(true);
    cancel_->setAutoDefault(false);
    copy_->setAutoDefault(false);
    auto* line = new QHBoxLayout;
    line->addWidget(then_);
    line->addSpacing(10);
    line->addWidget(bar_);
    line->addWidget(phase_, 1);
    line->addStretch();
    line->addWidget(cancel_);
    line->addWidget(runButton_);
    static_cast<QVBoxLayout*>(layout())->addLayout(line);
    connect(runButton_, &QPushButton::clicked, this, &RunDialog::run);
    connect(cancel_, &QPushButton::clicked, this, &RunDialog::reject);
}

// The window contains no simulator, so the command line lists the models.
void RunDialog::loadModels() {
    if (!run_.available())
        return;
    auto* list = new QProcess(this);
    connect(list, &QProcess::finished, this, [this, list](int status) {
        if (status == 0)
            takeModels(list->readAllStandardOutput());
        list->deleteLater();
    });
    list->start(run_.program(), {QStringLiteral("models"), QStringLiteral("--json")});
}

void RunDialog::takeModels(const QByteArray& json) {
    // The arriving list must not change what the user has typed.
    const QString typed = model_->currentText();
    const QSignalBlocker quiet(model_);
    for (const QJsonValue value : QJsonDocument::fromJson(json).array()) {
        const QJsonObject model = value.toObject();
        const QString name = model.value(QStringLiteral("name")).toString();
        model_->addItem(name);
        model_->setItemData(model_->count() - 1,
                            model.value(QStringLiteral("description")).toString(), Qt::ToolTipRole);
        modelOptions_[name] = model.value(QStringLiteral("options")).toString();
    }
    model_->setCurrentText(typed);
    modelChanged();
}

} // namespace tilescope::gui
