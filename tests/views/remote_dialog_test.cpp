// Profiles that are not opened as they are: remote ones, and captures.
#include <QComboBox>
#include <QDialogButtonBox>
#include <QLineEdit>
#include <QPushButton>
#include <QSettings>
#include <QTreeWidget>
#include <QtTest>
#include <optional>

#include "app/gui/askpass.h"
#include "app/gui/window/remote_dialog.h"
#include "core/base/atomic_file.h"
#include "tests/support/loopback_sshd.h"
#include "tests/support/sample_capture.h"
#include "tests/support/test_main.h"
#include "tests/support/window_steps.h"
#include "tests/views/sample_files.h"
#include "tests/views/shown_window.h"

namespace remote_dialog_test {
using namespace tilescope;
using namespace tilescope::gui;

class RemoteDialogTest : public QObject {
    Q_OBJECT
    test::SampleFiles files_;
    QTemporaryDir settings_;
    std::optional<test::LoopbackSshd> server_;
    std::string problem_; ///< why there is none

    [[nodiscard]] QString address(const QString& file) const {
        return QStringLiteral("ssh://pod") + file;
    }
    // A machine with much to do takes seconds for a connection.
    static constexpr int patienceMs = 60'000;
    static void open(MainWindow& window, const QString& file) {
        QSignalSpy changed(&window.context().reports, &views::ReportPair::changed);
        window.openProfiles({file});
        QTRY_COMPARE_WITH_TIMEOUT(changed.count(), 1, patienceMs);
        test::waitUntilIdle(window);
    }

private slots:
    // Captures, mistakes and questions need no server.
    void init() const {
        const QByteArray name = QTest::currentTestFunction();
        if (!problem_.empty() && (name.startsWith("aRemote") || name.startsWith("folders")))
            QSKIP(problem_.c_str());
    }

    void buttonsHaveWordsAlone() {
        const QDialogButtonBox buttons(QDialogButtonBox::Cancel | QDialogButtonBox::Ok);
        for (const QAbstractButton* button : buttons.buttons())
            QVERIFY(button->icon().isNull() && !button->text().isEmpty());
    }

    void initTestCase() {
        test::prepareWindows();
        QCoreApplication::setOrganizationName(QStringLiteral("TileScopeTest"));
        QSettings::setPath(QSettings::NativeFormat, QSettings::UserScope, settings_.path());
        qputenv("XDG_RUNTIME_DIR", settings_.path().toLocal8Bit());
        qputenv("XDG_CACHE_HOME", settings_.filePath(QStringLiteral("cache")).toLocal8Bit());
        problem_ = test::LoopbackSshd::missing();
        if (!problem_.empty())
            return;
        const QString folder = settings_.filePath(QStringLiteral("server"));
        QDir().mkpath(folder);
        server_.emplace(folder.toStdString());
        qputenv("TILESCOPE_SSH", server_->client().c_str());
        problem_ = server_->problem();
    }

    // It stays known by its own name, and is imported again when it is written again.
    void aCaptureIsOpened() {
        const QString file = files_.path(QStringLiteral("my_model.capture"));
        test::writeSampleCapture(file.toStdString());
        const auto window = test::shownWindow({}, Memory::Persistent);
        open(*window, file);
        const ProfileView& opened = *window->context().reports.source();
        QCOMPARE(QString::fromStdString(opened.info().model), QStringLiteral("my_model"));
        QVERIFY(opened.info().origin.kind == OriginKind::Measured);
        QCOMPARE(window->session().files(), QStringList{file});
        QCOMPARE(window->recent().profiles().first(), file);
        QVERIFY(test::shownMessage(*window).isEmpty());
        for (const Report report : reports) {
            window->showReport(report);
            test::waitUntilIdle(*window);
        }
        QSignalSpy changed(&window->context().reports, &views::ReportPair::changed);
        test::writeSampleCapture(file.toStdString(), "UPDATE tiles SET always_live = 1");
        QTRY_COMPARE_WITH_TIMEOUT(changed.count(), 1, patienceMs);
    }

    void aRemoteProfileIsOpenedAndReadAgain() {
        const QString file = files_.write(QStringLiteral("remote.pop"));
        const auto window = test::shownWindow({}, Memory::Persistent);
        open(*window, address(file));
        QCOMPARE(window->session().files(), QStringList{address(file)});
        QCOMPARE(window->recent().profiles().first(), address(file));
        QCOMPARE(window->recent().hosts(), QStringList{QStringLiteral("pod")});
        QCOMPARE(window->session().link().files, QStringList{address(file)});
        QSignalSpy changed(&window->context().reports, &views::ReportPair::changed);
        files_.write(QStringLiteral("remote.pop"), {.changed = true});
        window->session().remoteWatch().look();
        QTRY_COMPARE_WITH_TIMEOUT(changed.count(), 1, patienceMs);
        QCOMPARE(window->session().files(), QStringList{address(file)});
    }

    void aRemoteFileThatIsMissingIsSaid() {
        const auto window = test::shownWindow();
        window->openProfiles({address(QStringLiteral("/no/such.pop"))});
        QTRY_VERIFY_WITH_TIMEOUT(
            test::shownMessage(*window).contains(QLatin1String("there is no file")), patienceMs);
    }

    void foldersAreBrowsed() {
        const QString file = files_.write(QStringLiteral("browsed/profile.pop"));
        views::ViewContext context;
        SshProgram ssh;
        ssh.program = server_->client();
        context.reports.setSsh(ssh);
        RemoteDialog dialog(context, {});
        dialog.show();
        QSignalSpy chosen(&dialog, &RemoteDialog::chosen);
        dialog.goTo(QStringLiteral("pod"));
        QTRY_VERIFY_WITH_TIMEOUT(dialog.list().isEnabled(), patienceMs);
        dialog.goTo(address(QFileInfo(file).absolutePath()));
        QTRY_COMPARE_WITH_TIMEOUT(dialog.list().topLevelItemCount(), 1, patienceMs);
        QCOMPARE(test::child<QComboBox>(dialog).currentText(), QStringLiteral("pod"));
        QVERIFY(!test::button<QPushButton>(dialog, QStringLiteral("Open")).isEnabled());
        test::button<QPushButton>(dialog, QStringLiteral("Up")).click();
        QTRY_VERIFY_WITH_TIMEOUT(
            dialog.list().findItems(QStringLiteral("browsed"), Qt::MatchExactly).size() == 1,
            patienceMs);
        QTreeWidgetItem* folder =
            dialog.list().findItems(QStringLiteral("browsed"), Qt::MatchExactly).front();
        folder->setSelected(true);
        test::button<QPushButton>(dialog, QStringLiteral("Open")).click();
        QCOMPARE(chosen.count(), 1);
        QCOMPARE(chosen.front().front().toString(), address(QFileInfo(file).absolutePath()));
        QVERIFY(!dialog.isVisible());
    }

    // The enable script stands in for Poplar's: with it, "python3" makes a capture.
    void aRemoteProfileIsCaptured() {
        QDir().mkpath(files_.path(QStringLiteral("poplar")));
        const QString profile = files_.writeBytes(QStringLiteral("poplar/profile.pop"), "closed");
        const QString ready = files_.path(QStringLiteral("ready.capture"));
        test::writeSampleCapture(ready.toStdString());
        const QString enable = files_.writeBytes(
            QStringLiteral("enable.sh"),
            QStringLiteral("python3() { cat >/dev/null; cp '%1' \"$4\"; }\n").arg(ready).toUtf8());
        const auto window = test::shownWindow();
        window->dialogs().openRemote();
        auto& dialog = test::child<RemoteDialog>(*window);
        QVERIFY(test::button<QPushButton>(dialog, QStringLiteral("Open")).isVisible());
        dialog.setEnableScript(QStringLiteral("enable.sh"));
        QCOMPARE(test::button<QPushButton>(dialog, QStringLiteral("Capture")).text(),
                 QStringLiteral("Capture and open"));
        dialog.goTo(address(profile));
        QTRY_VERIFY_WITH_TIMEOUT(dialog.state().text().contains(QLatin1String("no absolute path")),
                                 patienceMs);
        QSignalSpy changed(&window->context().reports, &views::ReportPair::changed);
        dialog.setEnableScript(enable);
        dialog.goTo(address(profile));
        QTRY_COMPARE_WITH_TIMEOUT(changed.count(), 1, patienceMs);
        test::waitUntilIdle(*window);
        const ProfileInfo& info = window->context().reports.source()->info();
        QCOMPARE(QString::fromStdString(info.model), QStringLiteral("poplar"));
        QVERIFY(info.origin.kind == OriginKind::Measured);
    }

    void mistakesAreSaidInTheDialog() {
        views::ViewContext context;
        RemoteDialog dialog(context, {});
        dialog.goTo(QStringLiteral("-oProxyCommand=touch x"));
        QVERIFY(dialog.state().text().contains(QLatin1String("is no host")));
        QCOMPARE(dialog.state().textFormat(), Qt::PlainText);
    }

    void questionsAreAnswered() {
        AskpassDialog password(QStringLiteral("<b>me</b>@pod's password: "), false);
        auto& secret = test::child<QLineEdit>(password);
        QCOMPARE(secret.echoMode(), QLineEdit::Password);
        secret.setText(QStringLiteral("a b"));
        QVERIFY(!password.answer());
        password.accept();
        QCOMPARE(password.answer(), QStringLiteral("a b"));
        AskpassDialog host(QStringLiteral("The authenticity of host 'pod' can't be established.\n"
                                          "Are you sure (yes/no/[fingerprint])? "),
                           false);
        QVERIFY(host.findChild<QLineEdit*>() == nullptr);
        QVERIFY(test::button<QPushButton>(host, QStringLiteral("Cancel")).isDefault());
        host.reject();
        QVERIFY(!host.answer());
        host.accept();
        QCOMPARE(host.answer(), QStringLiteral("yes"));
    }
};

TILESCOPE_TEST(RemoteDialogTest, QApplication)

} // namespace remote_dialog_test

#include "remote_dialog_test.moc"
