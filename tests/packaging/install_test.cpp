// What is installed, in a directory of the test: the files, what a desktop reads, and the manual
// pages.
#include <QDir>
#include <QDirIterator>
#include <QMimeDatabase>
#include <QProcess>
#include <QRegularExpression>
#include <QStandardPaths>
#include <QTemporaryDir>
#include <QTest>

#include "core/store/profile_writer.h"
#include "tests/support/sample_profile.h"
#include "tests/support/test_main.h"

namespace install_test {
using namespace tilescope;
using namespace tilescope::test;

namespace {

struct Result {
    int status = -1;
    QByteArray out;
    QByteArray err;
};

Result call(const QString& program, const QStringList& arguments) {
    QProcess process;
    process.start(program, arguments);
    process.waitForFinished(-1);
    return {process.exitStatus() == QProcess::NormalExit ? process.exitCode() : -1,
            process.readAllStandardOutput(), process.readAllStandardError()};
}

QStringList filesBelow(const QString& folder, const QString& under = {}) {
    QStringList files;
    QDirIterator it(folder + under, QDir::Files | QDir::Hidden, QDirIterator::Subdirectories);
    while (it.hasNext())
        files << QDir(folder).relativeFilePath(it.next());
    files.sort();
    return files;
}

QByteArray contentOf(const QString& file) {
    QFile opened(file);
    return opened.open(QIODevice::ReadOnly) ? opened.readAll() : QByteArray();
}

/// The first group of each match.
QStringList matchesIn(const QString& text, const QString& pattern) {
    QStringList found;
    auto it = QRegularExpression(pattern, QRegularExpression::MultilineOption).globalMatch(text);
    while (it.hasNext())
        found << it.next().captured(1);
    return found;
}

} // namespace

class InstallTest : public QObject {
    Q_OBJECT

    QTemporaryDir directory_;

    QString installed(const QString& file = {}) const {
        return directory_.filePath(QStringLiteral("usr/")) + file;
    }
    static QString helpOf(const QStringList& words) {
        const auto printed = [&](const QString& option) {
            return QString::fromUtf8(
                call(test::programPath(words.first()), words.mid(1) << option).out);
        };
        const QString help = printed("--help");
        return help.contains("--help-all") ? printed("--help-all") : help;
    }
    QString textOfPage(const QStringList& words) const {
        const QString file = installed("share/man/man1/" + words.join('-') + ".1.gz");
        QString text = QString::fromUtf8(call("gzip", {"-dc", file}).out);
        return text.replace("\\-", "-");
    }

    static QStringList pythonFiles() {
        QStringList files{"bin/poprun", "share/doc/python3-tilescope/changelog.gz",
                          "share/doc/python3-tilescope/copyright"};
        const QString packages = QStringLiteral("lib/python3/dist-packages/");
        for (const QString& module : QStringLiteral(TILESCOPE_PYTHON_MODULE).split(','))
            files << packages + "tilescope/" + module;
        const QString sources = QStringLiteral(TILESCOPE_SOURCE_DIR "/app/python/");
        for (const QString& package : QDir(sources).entryList(QDir::Dirs | QDir::NoDotAndDotDot))
            if (QFile::exists(sources + package + "/__init__.py"))
                for (const QString& file : filesBelow(sources, package))
                    if (!file.contains("__pycache__"))
                        files << packages + file;
        const QString app = QStringLiteral(TILESCOPE_SOURCE_DIR "/app/");
        for (const QString& file : filesBelow(app, QStringLiteral("frameworks")))
            if (!file.contains("__pycache__"))
                files << "lib/tilescope/" + file;
        return files;
    }

    /// A page for these words, with all that their help names, and so on for their commands.
    void checkPage(const QStringList& words, QStringList& pages) const {
        pages << "share/man/man1/" + words.join('-') + ".1.gz";
        const QString help = helpOf(words);
        const QString page = textOfPage(words);
        QVERIFY2(help.contains("--help"), qPrintable(words.join(' ')));
        QVERIFY2(page.startsWith(".\\\"") && page.contains("SEE ALSO"),
                 qPrintable(words.join(' ')));
        for (const QString& option : matchesIn(help, QStringLiteral("(--[a-z][a-z0-9-]*)")))
            QVERIFY2(page.contains(option), qPrintable(words.join(' ') + ' ' + option));
        const QString commands = help.section("\nSubcommands:\n", 1);
        for (const QString& command : matchesIn(commands, QStringLiteral("^  ([a-z][\\w-]*)"))) {
            QVERIFY2(page.contains(command), qPrintable(words.join(' ') + ' ' + command));
            checkPage(words + QStringList{command}, pages);
        }
    }

private slots:
    /// With nothing on the path that could install or build.
    void scriptsSayHowTheyAreUsed() {
        for (const QString name : {"start.sh", "test.sh", "build.sh", "deb.sh"}) {
            const QString script = QStringLiteral(TILESCOPE_SOURCE_DIR "/packaging/") + name;
            const Result help = call("/usr/bin/timeout", {"20", "/bin/bash", script, "--help"});
            QCOMPARE(help.status, 0);
            QVERIFY2(help.out.contains("usage: " + name.toUtf8()), help.out.constData());
            QVERIFY2(!help.out.contains("=="), "it does something");
            QCOMPARE(call("/usr/bin/timeout", {"20", "/bin/bash", script, "--unknown"}).status, 2);
        }
    }

    void initTestCase() {
        const Result result =
            call(QStringLiteral(TILESCOPE_CMAKE),
                 {"--install", TILESCOPE_BUILD_DIR, "--prefix", installed(), "--strip"});
        QVERIFY2(result.status == 0, result.err.constData());
        // Before anything asks for a type: what stands here is read once. All other types are Qt's
        // own; those of the system are in a cache that a single directory's priorities do not
        // reach.
        qputenv("XDG_DATA_DIRS", QFile::encodeName(installed("share")));
        qputenv("XDG_DATA_HOME", QFile::encodeName(directory_.filePath("home")));
    }

    void installsTheseFilesAndNoOthers() {
        QStringList expected{"bin/tilescope",
                             "bin/tilescope-gui",
                             "share/applications/tilescope.desktop",
                             "share/doc/tilescope/README.md",
                             "share/doc/tilescope/changelog.gz",
                             "share/doc/tilescope/copyright",
                             "share/icons/hicolor/scalable/apps/tilescope.svg",
                             "share/mime/packages/tilescope.xml"};
        if (TILESCOPE_HAS_BITMAP_ICONS)
            expected << "share/icons/hicolor/256x256/apps/tilescope.png"
                     << "share/icons/hicolor/48x48/apps/tilescope.png";
        if (const QString module = QStringLiteral(TILESCOPE_MPI_MODULE); !module.isEmpty())
            expected << "lib/tilescope/" + module;
        const QString resources = QStringLiteral(TILESCOPE_SOURCE_DIR "/resources/");
        for (const QString& job : filesBelow(resources, "jobs"))
            expected << "share/tilescope/" + job;
        for (const QString folder : {"capture", "manual", "help", "pictures"})
            for (const QString& file : filesBelow(resources, folder))
                expected << "share/doc/tilescope/resources/" + file;
        if (!QStringLiteral(TILESCOPE_PYTHON_MODULE).isEmpty())
            expected << pythonFiles();
        expected.sort();
        QStringList found = filesBelow(installed());
        found.removeIf([](const QString& file) { return file.startsWith("share/man/"); });
        QCOMPARE(found, expected);
    }

    void manualPagesNameEveryCommandAndOption() {
        if (!TILESCOPE_HAS_MAN_PAGES)
            QSKIP("built without help2man");
        QStringList pages;
        checkPage({"tilescope"}, pages);
        checkPage({"tilescope-gui"}, pages);
        QVERIFY(pages.contains("share/man/man1/tilescope-zoo-export.1.gz"));
        pages.sort();
        QCOMPARE(filesBelow(installed(), "share/man"), pages);
    }

    void desktopEntryIsValid() {
        if (QStandardPaths::findExecutable("desktop-file-validate").isEmpty())
            QSKIP("desktop-file-validate (desktop-file-utils) is not installed");
        const Result result =
            call("desktop-file-validate", {installed("share/applications/tilescope.desktop")});
        QCOMPARE(result.out, QByteArray());
        QCOMPARE(result.status, 0);
    }

    void mimeTypesAreWellFormed() {
        if (QStandardPaths::findExecutable("xmllint").isEmpty())
            QSKIP("xmllint (libxml2-utils) is not installed");
        const Result result =
            call("xmllint", {"--noout", installed("share/mime/packages/tilescope.xml")});
        QVERIFY2(result.status == 0, result.err.constData());
    }

    void profilesAreKnownByNameAndByContent() {
        const QString profile = directory_.filePath("profile.pop");
        writeProfile(sampleProfile(), std::filesystem::path(profile.toStdString()));
        const QString unnamed = directory_.filePath("unnamed");
        QVERIFY(QFile::copy(profile, unnamed));
        const QString type = QStringLiteral("application/x-tilescope-profile");
        const QMimeDatabase types;
        QCOMPARE(types.mimeTypeForFile(profile).name(), type);
        QCOMPARE(types.mimeTypeForFile(profile, QMimeDatabase::MatchExtension).name(), type);
        QCOMPARE(types.mimeTypeForFile(unnamed).name(), type);
        QVERIFY(types.mimeTypeForName(type).inherits("application/vnd.sqlite3"));
        const QString entry =
            QString::fromUtf8(contentOf(installed("share/applications/tilescope.desktop")));
        QVERIFY(matchesIn(entry, "^MimeType=(.*)$").value(0).split(';').contains(type));
    }

    void changelogBeginsWithTheVersion() {
        const QString log = QString::fromUtf8(
            call("gzip", {"-dc", installed("share/doc/tilescope/changelog.gz")}).out);
        const QString version = matchesIn(log, "^tilescope \\((.*)\\)").value(0);
        QCOMPARE(QString::fromUtf8(call(installed("bin/tilescope"), {"--version"}).out),
                 "TileScope " + version + "\n");
    }

    void programsDoNotNameTheFolderTheyWereBuiltIn() {
        if (QStringLiteral(TILESCOPE_BUILD_TYPE) != "Release")
            QSKIP("debugging needs the paths");
        for (const QString& program :
             {installed("bin/tilescope"), installed("bin/tilescope-gui")}) {
            const QByteArray content = contentOf(program);
            QVERIFY(content.startsWith("\x7f"
                                       "ELF"));
            QVERIFY(!content.contains(TILESCOPE_SOURCE_DIR));
        }
    }
};

TILESCOPE_TEST(InstallTest, QCoreApplication)

} // namespace install_test

#include "install_test.moc"
