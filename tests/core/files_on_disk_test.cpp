// Files of the user's program compared with their recorded texts, and what must not be read.
#include <QTemporaryDir>
#include <QTest>
#include <filesystem>
#include <fstream>
#include <sys/stat.h>

#include "core/analysis/source/files_on_disk.h"
#include "core/store/profile_writer.h"
#include "tests/support/qt_text.h"
#include "tests/support/sample_source.h"
#include "tests/support/test_main.h"

namespace files_on_disk_test {
using namespace tilescope;
using namespace tilescope::test;
namespace fs = std::filesystem;

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
        for (const char* path : {"link.py", "linked/secret.py", "zero.py", "pipe.py", "folder.py"})
            QCOMPARE(stateOf(path, "a\n", root), "missing");
        QCOMPARE(stateOf("huge.py", "a\n", root), "changed");
        for (const char* path : {"../outside/secret.py", "parts/../../outside/secret.py", "."})
            QCOMPARE(stateOf(path, "a\n", root), "recorded");
        QCOMPARE(stateOf("/dev/zero", "a\n", "/"), "recorded");
        QCOMPARE(stateOf("net.py", "a\n", root / "nowhere"), "missing");
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
        const QByteArray home = qgetenv("HOME");
        for (const fs::path& path : {own, folder()}) {
            qputenv("HOME", QByteArray::fromStdString(path.string()));
            QCOMPARE(folderOf(own / "before/profile.pop", path / "net.py"), QString());
        }
        fs::create_directory_symlink(own, folder() / "home");
        qputenv("HOME", QByteArray::fromStdString((folder() / "home").string()));
        QCOMPARE(folderOf(own / "before/profile.pop", own / "net.py"), QString());
        qputenv("HOME", QByteArray::fromStdString((own / "before").string()));
        QCOMPARE(folderOf(own / "before/profile.pop", own / "net.py"), QString());
        qputenv("HOME", home);
        const Profile sample = sampleWithLines("a\n", 1);
        const auto view = ProfileView::of(sample);
        QVERIFY(folderOfSources(*view, *view->source()).empty());
    }
};

TILESCOPE_TEST(FilesOnDiskTest)

} // namespace files_on_disk_test

#include "files_on_disk_test.moc"
