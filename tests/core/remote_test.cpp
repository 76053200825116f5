// Files of other machines, with a server on this one.
#include <QFile>
#include <QStandardPaths>
#include <QTemporaryDir>
#include <QTest>
#include <cstring>
#include <fstream>
#include <optional>
#include <sys/resource.h>
#include <utility>

#include "core/base/atomic_file.h"
#include "core/remote/profile_place.h"
#include "core/remote/remote_capture.h"
#include "core/remote/remote_copy.h"
#include "core/store/profile_reader.h"
#include "core/store/profile_writer.h"
#include "tests/support/loopback_sshd.h"
#include "tests/support/qt_text.h"
#include "tests/support/sample_profile.h"
#include "tests/support/test_main.h"

namespace remote_test {
using namespace tilescope;
using namespace tilescope::test;
namespace fs = std::filesystem;

namespace {

QByteArray contents(const fs::path& file) {
    QFile in(QString::fromStdString(file.string()));
    return in.open(QIODevice::ReadOnly) ? in.readAll() : QByteArray();
}

} // namespace

class RemoteTest : public QObject {
    Q_OBJECT
private:
    QTemporaryDir folder_;
    std::optional<LoopbackSshd> server_;
    std::string problem_; ///< why there is none
    SshProgram ssh_;

    [[nodiscard]] fs::path file(const char* name) const {
        return folder_.filePath(QString::fromUtf8(name)).toStdString();
    }
    [[nodiscard]] RemoteAddress at(const fs::path& path, const char* host = "pod") const {
        return {"", host, 0, path.string()};
    }
    /// Bytes that differ everywhere.
    fs::path large(const char* name) const {
        std::string bytes(std::size_t{8} << 20, '\0');
        std::uint32_t state = 1;
        for (std::size_t i = 0; i < bytes.size(); i += 4) {
            state = state * 1'664'525U + 1'013'904'223U;
            std::memcpy(&bytes[i], &state, 4);
        }
        writeFileAtomically(file(name), bytes);
        return file(name);
    }

private slots:
    void initTestCase() {
        // Sockets and the cache are the test's own.
        qputenv("XDG_RUNTIME_DIR", folder_.path().toLocal8Bit());
        qputenv("XDG_CACHE_HOME", folder_.filePath(QStringLiteral("cache")).toLocal8Bit());
        problem_ = LoopbackSshd::missing();
        if (!problem_.empty())
            return;
        fs::create_directory(file("server"));
        server_.emplace(file("server"));
        ssh_.program = server_->client();
        problem_ = server_->problem();
    }
    void init() {
        const QByteArray name = QTest::currentTestFunction();
        if (!problem_.empty() && !name.startsWith("address"))
            QSKIP(problem_.c_str());
    }

    void addressesAreReadAndWritten_data() {
        QTest::addColumn<QString>("text");
        QTest::addColumn<QString>("error");
        for (const char* good : {"ssh://pod/a/b.pop", "ssh://me@pod:2222/a", "ssh://[::1]:22/a b",
                                 "ssh://pod/~/x", "ssh://[fe80::1%eth0]/x",
                                 "ssh://DOMAIN\\me@a.b-c.de/x", "ssh://pod", "ssh://pod/%20"})
            QTest::addRow("%s", good) << QString::fromUtf8(good) << QString();
        const auto bad = [](const char* text, const char* error) {
            QTest::addRow("%s", text) << QString::fromUtf8(text) << QString::fromUtf8(error);
        };
        bad("ssh://-oProxyCommand=x/a", "is no host");
        bad("ssh://me@-x/a", "is no host");
        bad("ssh://-lroot@pod/a", "is no user");
        bad("ssh:///a", "is no host");
        bad("ssh://a b/c", "is no host");
        bad("ssh://[::1/c", "']' is missing");
        bad("ssh://[-1]/c", "is no host");
        bad("ssh://pod:99999/c", "is no port");
        bad("ssh://pod:x/c", "is no port");
        bad("ssh://$(x)/c", "is no host");
        bad("ssh://pod/a\nb", "control characters");
        bad("pod:/a", "does not begin with ssh://");
    }
    void addressesAreReadAndWritten() {
        QFETCH(const QString, text);
        QFETCH(const QString, error);
        if (error.isEmpty()) {
            QCOMPARE(test::text(toString(remoteAddress(text.toStdString()))), text);
            return;
        }
        const QString said = userError([&] { remoteAddress(text.toStdString()); });
        QVERIFY2(said.contains(error) && said.contains("ssh://[user@]host[:port]/path"),
                 qPrintable(said));
    }

    void filesAreCopied() {
        const fs::path source = file("plain");
        writeFileAtomically(source, "some bytes");
        const RemoteAddress address = at(source);
        const RemoteCopy copy = copyRemote(ssh_, address, file("copies"));
        QCOMPARE(contents(copy.file), "some bytes");
        QCOMPARE(copy.file.filename(), source.filename());
        QCOMPARE(copy.received, 10);
        QCOMPARE(copyRemote(ssh_, address, file("copies")).received, 0);
        // Another version is another copy.
        writeFileAtomically(source, "other bytes");
        const RemoteCopy other = copyRemote(ssh_, address, file("copies"));
        QCOMPARE(contents(other.file), "other bytes");
        QVERIFY(other.file != copy.file && fs::exists(copy.file));
    }

    void anyNameIsCopiedThroughAJumpHost() {
        server_->cut(); // or the connection that there is would do
        const fs::path source = file("it's a \"$(touch x)\" \\ !b *;-");
        writeFileAtomically(source, "some bytes");
        const RemoteCopy copy = copyRemote(ssh_, at(source, "jumped"), file("copies"));
        QCOMPARE(contents(copy.file), "some bytes");
        QVERIFY(!fs::exists("x"));
    }

    void aStoppedCopyContinues() {
        const RemoteAddress address = at(large("stopped"));
        std::stop_source stop;
        const auto stopLate = [&](std::int64_t done, std::int64_t bytes) {
            if (done > bytes * 6 / 10)
                stop.request_stop();
        };
        QVERIFY_EXCEPTION_THROWN(
            copyRemote(ssh_, address, file("copies"), stopLate, stop.get_token()), Cancelled);
        const RemoteCopy copy = copyRemote(ssh_, address, file("copies"));
        QVERIFY2(copy.received > 0 && copy.received < copy.version.bytes * 45 / 100,
                 qPrintable(QString::number(copy.received)));
        QCOMPARE(contents(copy.file), contents(file("stopped")));
    }

    void aCutConnectionIsMadeAgain() {
        const RemoteAddress address = at(large("cut"));
        int cuts = 0;
        const RemoteCopy copy =
            copyRemote(ssh_, address, file("copies"), [&](std::int64_t done, std::int64_t bytes) {
                if (cuts == 0 && done > bytes * 6 / 10) {
                    ++cuts;
                    server_->cut();
                }
            });
        QCOMPARE(cuts, 1);
        QCOMPARE(contents(copy.file), contents(file("cut")));
    }

    void aFileThatIsWrittenMeanwhileIsRefused() {
        const RemoteAddress address = at(file("growing"));
        writeFileAtomically(file("growing"), "some bytes");
        QVERIFY(userError([&] {
                    copyRemote(ssh_, address, file("copies"), [&](std::int64_t, std::int64_t) {
                        writeFileAtomically(file("growing"), "other bytes, and more");
                    });
                }).contains("was written while it was copied"));
        QCOMPARE(contents(copyRemote(ssh_, address, file("copies")).file), "other bytes, and more");
    }

    // What a real profile has; the connection is cut on the way, and nothing is kept in memory.
    void aLargeFileIsCopied() {
        constexpr std::uintmax_t bytes = 700'000'000;
        const std::string end = "the end";
        writeFileAtomically(file("huge"), "");
        fs::resize_file(file("huge"), bytes - end.size());
        std::ofstream(file("huge"), std::ios::app) << end;
        const auto residentKb = [] {
            rusage usage{};
            ::getrusage(RUSAGE_SELF, &usage);
            return usage.ru_maxrss;
        };
        const auto before = residentKb();
        bool isCut = false;
        const RemoteCopy copy = copyRemote(
            ssh_, at(file("huge")), file("copies"), [&](std::int64_t done, std::int64_t all) {
                if (done > all * 6 / 10 && !std::exchange(isCut, true))
                    server_->cut();
            });
        QVERIFY(isCut);
        QCOMPARE(copy.received, std::int64_t{bytes});
        QCOMPARE(fs::file_size(copy.file), bytes);
        std::ifstream in(copy.file);
        in.seekg(-static_cast<std::streamoff>(end.size()), std::ios::end);
        QVERIFY(std::string(std::istreambuf_iterator<char>(in), {}) == end);
        const long mostKb =
            test::hasAddressSanitizer() ? 400'000 : 20'000; // it keeps what is freed
        QVERIFY(residentKb() - before < mostKb);
        fs::remove(copy.file);
        fs::remove(file("huge"));
    }

    void foldersAreListed() {
        const fs::path folder = file("listed");
        fs::create_directories(folder / "runs");
        writeFileAtomically(folder / "a b.pop", "12345");
        writeFileAtomically(folder / "line\nbreak", "");
        fs::create_symlink("nowhere", folder / "broken");
        const RemoteFolder listed = remoteFolder(ssh_, at(folder));
        QVERIFY(listed.address == at(folder));
        QCOMPARE(listed.entries.size(), std::size_t{2});
        QCOMPARE(text(listed.entries[0].name), "runs");
        QVERIFY(listed.entries[0].folder && !listed.entries[1].folder);
        QCOMPARE(text(listed.entries[1].name), "a b.pop");
        QCOMPARE(listed.entries[1].bytes, 5);
        QVERIFY(listed.leftOut > 0);
        QVERIFY(above(inFolder(at(folder), "runs")) == at(folder));
        QVERIFY(remoteFolder(ssh_, {"", "pod", 0, ""}).address.path.starts_with('/'));
    }

    void mistakesHavePlainTexts() {
        QVERIFY(
            userError([&] { remoteEntry(ssh_, at(file("none"))); }).contains("there is no file '"));
        QVERIFY(userError([&] {
                    remoteFolder(ssh_, at(file("none")));
                }).contains("there is no file '"));
        QVERIFY(userError([&] {
                    copyRemote(ssh_, at(file("")), file("copies"));
                }).contains("/profile.pop' on 'pod'"));
        QVERIFY(userError([&] {
                    remoteEntry(ssh_, {"", "127.0.0.1", 1, "/x"});
                }).contains("cannot reach '127.0.0.1'"));
        SshProgram none = ssh_;
        none.program = "/no/ssh";
        QVERIFY(userError([&] { remoteEntry(none, at("/x")); }).contains("needs OpenSSH's client"));
    }

    void profilesAreOpenedAndSeenToChange() {
        const fs::path run = file("my_run");
        writeProfile(sampleProfile(), run / "profile.pop");
        const fs::path address = toString(at(run));
        const fs::path opened = openableProfile(address, ssh_);
        QVERIFY(!ProfileReader(opened).info().model.empty());
        QCOMPARE(opened.parent_path().filename(), fs::path("my_run"));
        QCOMPARE(openedFrom(opened), fs::path(toString(at(run / "profile.pop"))));
        QCOMPARE(openedFrom(run / "profile.pop"), run / "profile.pop");
        QVERIFY(!changedSinceCopied(opened, ssh_));
        writeProfile(sampleProfile(), run / "profile.pop");
        QVERIFY(changedSinceCopied(opened, ssh_));
        QVERIFY(!changedSinceCopied(run / "profile.pop", ssh_));
    }

    void questionsAreAskedByAProgram() {
        writeFileAtomically(file("asks"), "#!/bin/sh\necho \"$1\" > '" + file("question").string() +
                                              "'\n" + "test -n \"$TILESCOPE_ASKPASS\" && cat '" +
                                              file("answer").string() + "'\n");
        fs::permissions(file("asks"), fs::perms::owner_all);
        server_->cut();
        SshProgram asking = ssh_;
        asking.askpass = file("asks");
        writeFileAtomically(file("answer"), "no\n");
        QVERIFY(userError([&] {
                    remoteEntry(asking, at(file(""), "asked"));
                }).contains("was not accepted"));
        QVERIFY(contents(file("question")).contains("authenticity of host"));
        writeFileAtomically(file("answer"), "yes\n");
        QVERIFY(remoteEntry(asking, at(file(""), "asked")).folder);
    }

    // The enable script makes another python3 be found, as the SDK's does.
    void aProfileIsCapturedWhereItIs() {
        const fs::path sdk = file("sdk's");
        const fs::path run = file("real_run");
        writeFileAtomically(run / "profile.pop", "Poplar's");
        writeFileAtomically(
            sdk / "bin/python3",
            "#!/bin/sh\n[ \"$1\" = - ] && grep -q the.script && cp \"$2\" \"$4\" && "
            "exit 1\necho broken pva >&2; exit 2\n");
        fs::permissions(sdk / "bin/python3", fs::perms::owner_all);
        writeFileAtomically(sdk / "enable.sh",
                            "export PATH=\"" + (sdk / "bin").string() + ":$PATH\"\n");
        RemoteCaptureRequest request{at(run), sdk / "enable.sh", "the script"};
        const fs::path capture = captureRemote(ssh_, request, file("copies"));
        QCOMPARE(contents(capture), "Poplar's");
        QCOMPARE(capture.filename(), fs::path("real_run.capture"));
        request.script = "another";
        QVERIFY(userError([&] {
                    captureRemote(ssh_, request, file("copies"));
                }).contains("broken pva"));
        request.enable = "enable.sh";
        QVERIFY(userError([&] {
                    captureRemote(ssh_, request, file("copies"));
                }).contains("no absolute path"));
    }

    // Startup files of shells print on some machines.
    void aGreetingIsNotInTheCopy() {
        writeFileAtomically(file("greeted"), "some bytes");
        writeFileAtomically(file("chatty"),
                            "#!/bin/sh\nfor last; do :; done\necho welcome; eval \"$last\"\n");
        fs::permissions(file("chatty"), fs::perms::owner_all);
        SshProgram chatty = ssh_;
        chatty.program = file("chatty");
        QCOMPARE(contents(copyRemote(chatty, at(file("greeted")), file("copies")).file),
                 "some bytes");
    }

    // The one who used a shared connection that is about to end hears nothing.
    void aSharedConnectionThatEndsIsMadeAgain() {
        writeFileAtomically(file("dying"), "#!/bin/sh\n[ -e '" + file("died").string() +
                                               "' ] || { : > '" + file("died").string() +
                                               "'; exit 255; }\nfor last; do :; done\n"
                                               "eval \"$last\"\n");
        fs::permissions(file("dying"), fs::perms::owner_all);
        SshProgram dying = ssh_;
        dying.program = file("dying");
        QVERIFY(remoteEntry(dying, at(file(""))).folder);
        fs::remove(file("died"));
        writeFileAtomically(file("dead"), "#!/bin/sh\nexit 255\n");
        fs::permissions(file("dead"), fs::perms::owner_all);
        dying.program = file("dead");
        QVERIFY(userError([&] { remoteEntry(dying, at("/x")); }).contains("cannot reach 'pod'"));
    }

    // The last: the host is another one after it.
    void zAChangedKeyIsRefused() {
        QVERIFY(remoteEntry(ssh_, at(file(""))).folder);
        server_->changeKey();
        const QString said = userError([&] { remoteEntry(ssh_, at(file(""))); });
        QVERIFY2(said.contains("is not the one that ssh knows") && said.contains("ssh-keygen -R"),
                 qPrintable(said));
    }
};

TILESCOPE_TEST(RemoteTest)

} // namespace remote_test

#include "remote_test.moc"
