#include "app/gui/askpass.h"

#include <QApplication>
#include <QCheckBox>
#include <QDialogButtonBox>
#include <QLineEdit>
#include <QPushButton>
#include <QVBoxLayout>
#include <algorithm>
#include <cstdio>

#include "core/base/printable.h"
#include "views/theme/style.h"
#include "views/theme/theme.h"
#include "views/widgets/parts.h"

namespace tilescope::gui {
namespace {

constexpr int dialogWidth = 600; // pixels: a fingerprint fits in a line

bool asksAboutHost(const QString& question) {
    return question.contains(QLatin1String("(yes/no"));
}

/// The question in a form for a dialog, with buttons in place of words to type.
QString shownQuestion(const QString& question) {
    QString text = QString::fromStdString(printable(question.toStdString(), Lines::Keep)).trimmed();
    if (asksAboutHost(question))
        text.truncate(std::max<qsizetype>(0, text.lastIndexOf(QLatin1Char('\n'))));
    return text;
}

} // namespace

bool isAskpass() {
    return qEnvironmentVariableIsSet("TILESCOPE_ASKPASS");
}

AskpassDialog::AskpassDialog(const QString& question, bool confirms, QWidget* parent)
    : QDialog(parent)
    , confirms_(confirms) {
    setWindowTitle(tr("ssh \u2013 TileScope"));
    setWindowFlag(Qt::WindowStaysOnTopHint);
    const bool aboutHost = asksAboutHost(question);
    auto* layout = new QVBoxLayout(this);
    layout->addWidget(views::wrappedLabel(aboutHost   ? tr("Is this the right machine?")
                                          : confirms_ ? tr("ssh asks")
                                                      : tr("ssh needs a password or passphrase"),
                                          "heading"));
    auto* text = views::wrappedLabel(shownQuestion(question), "value");
    text->setTextFormat(Qt::PlainText);
    layout->addWidget(text);
    auto* buttons = new QDialogButtonBox(QDialogButtonBox::Cancel);
    QPushButton* accept = buttons->addButton(
        aboutHost || confirms_ ? tr("Connect") : tr("Continue"), QDialogButtonBox::AcceptRole);
    if (aboutHost) {
        layout->addWidget(views::wrappedLabel(
            tr("Ask who runs the machine for the fingerprint of its key. Once you connect, ssh "
               "knows the key, and refuses another one."),
            "muted"));
        accept->setAutoDefault(false);
        buttons->button(QDialogButtonBox::Cancel)->setDefault(true);
        buttons->button(QDialogButtonBox::Cancel)->setFocus();
    } else if (!confirms_) {
        secret_ = new QLineEdit;
        secret_->setEchoMode(QLineEdit::Password);
        secret_->setAccessibleName(tr("Answer"));
        auto* shows = new QCheckBox(tr("Show what is typed"));
        connect(shows, &QCheckBox::toggled, this, [this](bool on) {
            secret_->setEchoMode(on ? QLineEdit::Normal : QLineEdit::Password);
        });
        layout->addWidget(secret_);
        layout->addWidget(shows);
        accept->setDefault(true);
    }
    connect(buttons, &QDialogButtonBox::accepted, this, &QDialog::accept);
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    layout->addStretch(1);
    layout->addWidget(buttons);
    setMinimumWidth(dialogWidth);
    resize(dialogWidth, layout->totalHeightForWidth(dialogWidth));
}

std::optional<QString> AskpassDialog::answer() const {
    if (result() != QDialog::Accepted)
        return std::nullopt;
    return secret_ != nullptr ? secret_->text() : QStringLiteral("yes");
}

int runAskpass(int argc, char** argv) {
    QApplication app(argc, argv);
    QApplication::setApplicationName(QStringLiteral("TileScope"));
    QApplication::setDesktopFileName(QStringLiteral("tilescope"));
    QApplication::setStyle(new views::WindowStyle); // which the application owns
    // NOLINTNEXTLINE(clang-analyzer-cplusplus.NewDeleteLeaks)
    const bool dark = QApplication::palette().color(QPalette::Window).lightness() < 128;
    const views::Theme theme = dark ? views::darkTheme() : views::lightTheme();
    QApplication::setPalette(theme.palette());
    AskpassDialog dialog(QString::fromLocal8Bit(argc > 1 ? argv[1] : ""),
                         qEnvironmentVariable("SSH_ASKPASS_PROMPT") == QLatin1String("confirm"));
    dialog.setStyleSheet(theme.styleSheet());
    dialog.exec();
    const std::optional<QString> answer = dialog.answer();
    if (!answer)
        return 1;
    std::fprintf(stdout, "%s\n", answer->toUtf8().constData());
    return 0;
}

} // namespace tilescope::gui
