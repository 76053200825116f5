// Where output goes: the target of the name is kept, or replaced as a whole.
#include <QTemporaryDir>
#include <QTest>
#include <array>
#include <fcntl.h>
#include <future>
#include <ostream>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "core/base/atomic_file.h"
#include "core/base/error.h"
#include "tests/support/qt_text.h"
#include "tests/support/test_main.h"

namespace output_test {
using namespace tilescope;
using tilescope::test::text;
using tilescope::test::userError;
namespace fs = std::filesystem;

mode_t kindOf(const fs::path& file) {
    struct stat status {};
    return ::lstat(file.c_str(), &status) == 0 ? status.st_mode & S_IFMT : 0;
}

class OutputTest : public QObject {
    Q_OBJECT

    QTemporaryDir directory_;
    fs::path folder_;

private slots:
    void init() {
        folder_ = fs::path(directory_.path().toStdString()) / QTest::currentTestFunction();
        fs::create_directory(folder_);
    }

    void aLinkStaysAndItsFileIsReplaced() {
        fs::create_directory(folder_ / "elsewhere");
        writeFileAtomically(folder_ / "elsewhere" / "file.txt", "former");
        fs::create_symlink("elsewhere/file.txt", folder_ / "link.txt");
        fs::create_symlink(folder_ / "link.txt", folder_ / "link of a link.txt");
        writeFileAtomically(folder_ / "link of a link.txt", "new");
        QCOMPARE(text(readFile(folder_ / "elsewhere" / "file.txt")), "new");
        QVERIFY(fs::is_symlink(folder_ / "link.txt"));
        QVERIFY(fs::is_symlink(folder_ / "link of a link.txt"));
        fs::create_symlink("elsewhere/new.txt", folder_ / "to nothing.txt");
        writeFileAtomically(folder_ / "to nothing.txt", "made");
        QCOMPARE(text(readFile(folder_ / "elsewhere" / "new.txt")), "made");
        QCOMPARE(std::distance(fs::directory_iterator(folder_ / "elsewhere"), {}), 2);
    }

    void aLoopOfLinksIsAnError() {
        fs::create_symlink("b", folder_ / "a");
        fs::create_symlink("a", folder_ / "b");
        QCOMPARE(userError([&] { writeFileAtomically(folder_ / "a", "x"); }),
                 text("cannot write '" + (folder_ / "a").string() +
                      "': Too many levels of symbolic links"));
    }

    void aPipeIsWrittenInto() {
        const fs::path pipe = folder_ / "pipe";
        QCOMPARE(::mkfifo(pipe.c_str(), 0600), 0);
        auto read = std::async(std::launch::async, [&] { return readFile(pipe); });
        writeFileAtomically(pipe, "through");
        QCOMPARE(text(read.get()), "through");
        QCOMPARE(kindOf(pipe), mode_t{S_IFIFO});
        QCOMPARE(std::distance(fs::directory_iterator(folder_), {}), 1);
        QVERIFY(userError([&] {
                    const AtomicFile profile(pipe);
                }).endsWith("it is a device, a pipe or a socket, and this needs a regular file"));
    }

    /// Nobody reads from it: opening it would wait forever.
    void whatIsCheckedIsCheckedBeforeAnythingIsOpened() {
        const fs::path pipe = folder_ / "pipe";
        QCOMPARE(::mkfifo(pipe.c_str(), 0600), 0);
        checkWritable(pipe);
        QCOMPARE(userError([&] {
                     writeFileAtomically(pipe, [](std::ostream& out) {
                         out << "begun";
                         throw UserError("refused");
                     });
                 }),
                 "refused");
    }

    /// What /dev/stdout leads to, or a shell's >(...).
    void anOpenDescriptorIsWrittenInto() {
        std::array<int, 2> pipe{};
        QCOMPARE(::pipe(pipe.data()), 0);
        writeFileAtomically("/dev/fd/" + std::to_string(pipe[1]), "one ");
        writeFileAtomically("/proc/self/fd/" + std::to_string(pipe[1]), "two");
        ::close(pipe[1]);
        std::array<char, 16> got{};
        QCOMPARE(::read(pipe[0], got.data(), got.size()), ssize_t{7});
        QCOMPARE(text(got.data()), "one two");
        // Like a shell's >>: existing contents stay.
        const fs::path file = folder_ / "log.txt";
        const int log = ::open(file.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
        for (const char* line : {"first\n", "second\n"})
            writeFileAtomically("/dev/fd/" + std::to_string(log), line);
        ::close(log);
        QCOMPARE(text(readFile(file)), "first\nsecond\n");
        QCOMPARE(
            userError([&] { writeFileAtomically("/dev/fd/" + std::to_string(pipe[0]), "x"); }),
            text("cannot write '/dev/fd/" + std::to_string(pipe[0]) + "': Bad file descriptor"));
        ::close(pipe[0]);
    }

    /// Root could replace it.
    void aDeviceIsNeverReplaced() {
        const fs::path device = folder_ / "null";
        if (::mknod(device.c_str(), S_IFCHR | 0600, ::makedev(1, 3)) != 0)
            QSKIP("only root can make a device");
        writeFileAtomically(device, "x");
        checkWritable(device);
        QCOMPARE(kindOf(device), mode_t{S_IFCHR});
        fs::create_symlink("null", folder_ / "link");
        writeFileAtomically(folder_ / "link", "x");
        QCOMPARE(kindOf(device), mode_t{S_IFCHR});
        QCOMPARE(kindOf(folder_ / "link"), mode_t{S_IFLNK});
    }

    void aFullDeviceIsAnError() {
        QCOMPARE(userError([] { writeFileAtomically("/dev/full", "x"); }),
                 "cannot write '/dev/full': No space left on device");
    }

    void aReplacedFileKeepsItsMode() {
        const fs::path file = folder_ / "file.txt";
        writeFileAtomically(file, "x");
        ::chmod(file.c_str(), 0600);
        writeFileAtomically(file, "y");
        QCOMPARE(fs::status(file).permissions(), fs::perms{0600});
    }

    void aProtectedFileIsNotReplaced() {
        if (::geteuid() == 0)
            QSKIP("root may write it");
        const fs::path file = folder_ / "file.txt";
        writeFileAtomically(file, "former");
        ::chmod(file.c_str(), 0400);
        QCOMPARE(userError([&] { writeFileAtomically(file, "y"); }),
                 text("cannot write '" + file.string() + "': Permission denied"));
        QCOMPARE(text(readFile(file)), "former");
    }

    void namesOfDirectoriesAreErrors() {
        QCOMPARE(userError([&] { writeFileAtomically(folder_, "x"); }),
                 text("cannot write '" + folder_.string() + "': it is a directory"));
        QCOMPARE(
            userError([&] { writeFileAtomically(folder_ / "new" / "", "x"); }),
            text("cannot write '" + (folder_ / "new" / "").string() + "': it names a directory"));
    }
};

TILESCOPE_TEST(OutputTest)

} // namespace output_test

#include "output_test.moc"
