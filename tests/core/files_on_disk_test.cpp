// Files of the user's program compared with their recorded texts, and what must not be read.
#include <QTemporaryDir>
#include <QTest>
#include <filesystem>
#include <fstream>
#include <optional>
#include <sys/fsuid.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/analysis/source/files_on_disk.h"
#include "core/store/profile_writer.h"
#include "tests/support/qt_text.h"
#include "tests/support/sample_source.h"
#include "tests/support/test_main.h"

namespace files_on_disk_test {
using namespace tilescope;
using namespace tilescope::test;
namespace fs = std::filesystem;

/// Sets HOME, and puts back what it was.
class OtherHome {
public:
    explicit OtherHome(const fs::path& path) { qputenv("HOME", path.string().c_str()); }
    ~OtherHome() {
        if (before_)
            qputenv("HOME", *before_);
        else
            qunsetenv("HOME");
    }
    OtherHome(const OtherHome&) = delete;
    OtherHome& operator=(const OtherHome&) = delete;

private:
    std::optional<QByteArray> before_ =
        qEnvironmentVariableIsSet("HOME") ? std::optional(qgetenv("HOME")) : std::nullopt;
};

/// Root opens files as a user who owns none of them; anybody else as before.
class WithoutRights {
public:
    WithoutRights() { ::setfsuid(nobody); }
    ~WithoutRights() { ::setfsuid(::geteuid()); }
    WithoutRights(const WithoutRights&) = delete;
    WithoutRights& operator=(const WithoutRights&) = delete;

private:
    static constexpr uid_t nobody = 65534;
};

class FilesOnDiskTest : public QObject {
    Q_OBJECT
    QTemporaryDir folder_;

    fs::path folder() const { return folder_.path().toStdString(); }

    void write(const fs::path& name, const std::string& text) {
        fs::create_directories((folder() / name).parent_path());
        std::ofstream(folder() / name, std::ios::binary) << text;
    }

    /// Of one file with a text, at this path below the folder of all files.
    QString stateOf(const std::string& path, const std::string& text, const fs::path& root) {
        Profile profile = sampleProfile();
        // Another file keeps the shared folder where it is.
        profile.source.files.add({"/code/other.py", {}, {}});
        profile.source.files.add({"/code/" + path, {}, text});
        const auto view = ProfileView::of(profile);
        return test::text(
            tilescope::toString(statesOnDisk(SourceNames(*view), root)[SourceFileId(1)]));
    }

private slots:
    void filesAreCompared() {
        write("net.py", "a\nb\n");
        QCOMPARE(stateOf("net.py", "a\nb\n", folder()), "same");
        QCOMPARE(stateOf("net.py", "a\nc\n", folder()), "changed");
        QCOMPARE(stateOf("net.py", "a\n", folder()), "changed");
        QCOMPARE(stateOf("none.py", "a\n", folder()), "missing");
        QCOMPARE(stateOf("net.py", "", folder()), "notRecorded");
        QCOMPARE(stateOf("net.py", "a\nb\n", {}), "recorded");
        write("parts/deep/net.py", "a\n");
        QCOMPARE(stateOf("parts/deep/net.py", "a\n", folder()), "same");
    }

    // Python reads lines whatever they end in.
    void linesMayEndInAnything() {
        write("net.py", "a\r\nb\r\n");
        QCOMPARE(stateOf("net.py", "a\nb\n", folder()), "same");
        write("net.py", "a\rb");
        QCOMPARE(stateOf("net.py", "a\nb\n", folder()), "same");
        write("net.py", "\xef\xbb\xbf"
                        "a\nb\n");
        QCOMPARE(stateOf("net.py", "a\nb\n", folder()), "same");
        write("net.py", "# coding: latin-1\nx = '\xfc'\n");
        QCOMPARE(stateOf("net.py", "# coding: latin-1\nx = '\u00fc'\n", folder()), "recorded");
    }

    // PEP 263. A file that declares what is Python's default anyway is compared like any other.
    void onlyOtherEncodingsAreNotCompared_data() {
        QTest::addColumn<QString>("head");
        QTest::addColumn<QString>("state");
        for (const char* same : {"# -*- coding: utf-8 -*-", "# coding=UTF8", "# coding: Utf_8",
                                 "#!/usr/bin/python3\n# vim: set fileencoding=utf-8-unix :",
                                 "# of a decoding step", "# encoding: ", "coding = latin1",
                                 "x = 1\n# coding: latin-1", "\n\n# coding: latin-1"})
            QTest::newRow(same) << same << "changed";
        for (const char* other :
             {"# -*- coding: latin-1 -*-", "\n  # coding:cp1252", "# coding: utf-16",
              "# coding: latin-1, coding: utf-8", "# decoding, coding: iso8859_15"})
            QTest::newRow(other) << other << "recorded";
    }
    void onlyOtherEncodingsAreNotCompared() {
        QFETCH(const QString, head);
        const std::string begin = head.toStdString() + "\n";
        write("net.py", begin + "x = '\u00fc'\n");
        QCOMPARE(stateOf("net.py", begin + "x = '\u00fc'\n", folder()), "same");
        QTEST(stateOf("net.py", begin + "x = '\u00e4'\n", folder()), "state");
    }

    void onlyRegularFilesBelowTheFolderAreRead() {
        write("outside/secret.py", "a\n");
        write("root/net.py", "a\n");
        const fs::path root = folder() / "root";
        fs::create_symlink("../outside/secret.py", root / "link.py");
        fs::create_symlink("../outside", root / "linked");
        fs::create_symlink("/dev/zero", root / "zero.py");
        QVERIFY(::mkfifo((root / "pipe.py").c_str(), S_IRUSR | S_IWUSR) == 0);
        fs::create_directory(root / "folder.py");
        write("root/huge.py", "a\n");
        fs::resize_file(root / "huge.py", std::uintmax_t{1} << 30);
        QCOMPARE(stateOf("net.py", "a\n", root), "same");
        for (const char* path : {"pipe.py", "folder.py", "folder.py/net.py", "net.py/net.py"})
            QCOMPARE(stateOf(path, "a\n", root), "missing");
        // A link is there, and is not followed, whatever it leads to.
        fs::create_symlink("nowhere", root / "dangling.py");
        for (const char* path :
             {"link.py", "linked/secret.py", "zero.py", "dangling.py", "dangling.py/net.py"})
            QCOMPARE(stateOf(path, "a\n", root), "recorded");
        QCOMPARE(stateOf("huge.py", "a\n", root), "changed");
        for (const char* path : {"../outside/secret.py", "parts/../../outside/secret.py", "."})
            QCOMPARE(stateOf(path, "a\n", root), "recorded");
        QCOMPARE(stateOf("/dev/zero", "a\n", "/"), "recorded");
        QCOMPARE(stateOf("net.py", "a\n", root / "nowhere"), "missing");
    }

    // Nobody can say that it is missing, or what is in it.
    void whatMayNotBeReadIsNotCompared() {
        write("closed/net.py", "a\n");
        write("closed.py", "a\n");
        fs::permissions(folder(), fs::perms::all);
        fs::permissions(folder() / "closed", fs::perms::none);
        fs::permissions(folder() / "closed.py", fs::perms::none);
        QString file;
        QString inFolder;
        {
            const WithoutRights other; // root may read anything
            file = stateOf("closed.py", "b\n", folder());
            inFolder = stateOf("closed/none.py", "b\n", folder());
        }
        fs::permissions(folder() / "closed", fs::perms::all);
        QCOMPARE(file, "recorded");
        QCOMPARE(inFolder, "recorded");
    }

    void theFolderIsTheProfilesOwn() {
        fs::create_directories(folder() / "work/before");
        const auto folderOf = [&](const fs::path& profile, const std::string& code) {
            Profile sample = sampleProfile();
            sample.source.files.add({code, {}, "a\n"});
            writeProfile(sample, profile);
            const ProfileView view(profile);
            return text(folderOfSources(view, *view.source()).string());
        };
        const fs::path own = folder() / "work";
        const QString found = text((own / "").string());
        QCOMPARE(folderOf(own / "before/profile.pop", own / "net.py"), found);
        QCOMPARE(folderOf(own / "profile.pop", own / "net.py"), found);
        QCOMPARE(folderOf(own / "profile.pop", own / "before/../net.py"), found);
        QCOMPARE(folderOf(own / "profile.pop", own / "before/net.py"), QString());
        QCOMPARE(folderOf(own / "profile.pop", "net.py"), QString());
        QCOMPARE(folderOf(own / "profile.pop", "/net.py"), QString());
        QCOMPARE(folderOf(own / "profile.pop", "/etc/passwd"), QString());
        // A profile in the home folder could name everything there.
        for (const fs::path& path : {own, folder()}) {
            const OtherHome home(path);
            QCOMPARE(folderOf(own / "before/profile.pop", path / "net.py"), QString());
        }
        fs::create_directory_symlink(own, folder() / "home");
        for (const fs::path& path : {folder() / "home", own / "before"}) {
            const OtherHome home(path);
            QCOMPARE(folderOf(own / "before/profile.pop", own / "net.py"), QString());
        }
        const Profile sample = sampleWithLines("a\n", 1);
        const auto view = ProfileView::of(sample);
        QVERIFY(folderOfSources(*view, *view->source()).empty());
    }
};

TILESCOPE_TEST(FilesOnDiskTest)

} // namespace files_on_disk_test

#include "files_on_disk_test.moc"
