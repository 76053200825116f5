// Programs of the manual, run over the simulator by the window's own program.
#pragma once

#include <QDir>
#include <QFile>
#include <QProcess>
#include <QRegularExpression>
#include <QTemporaryDir>
#include <QtTest>

#include "tests/views/shown_window.h"

namespace tilescope::test {

/// A folder of Python files and of the runs that they write.
class Scripts {
public:
    /// The blocks of Python code of a page of the manual, in their order.
    static QStringList codeOf(const QString& page) {
        QFile file(QStringLiteral(TILESCOPE_SOURCE_DIR "/resources/manual/") + page);
        [&] { QVERIFY(file.open(QIODevice::ReadOnly)); }();
        static const QRegularExpression block(QStringLiteral("^ *```python\\n(.*?)^ *```"),
                                              QRegularExpression::MultilineOption |
                                                  QRegularExpression::DotMatchesEverythingOption);
        QStringList blocks;
        auto matches = block.globalMatch(QString::fromUtf8(file.readAll()));
        while (matches.hasNext())
            blocks << matches.next().captured(1);
        return blocks;
    }
    void write(const QString& name, const QString& text) const {
        QFile file(folder_.filePath(name));
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write(text.toUtf8());
    }
    /// Runs train.py with the options of Poplar and of libpvti that write a profile into a folder
    /// of this name. Empty without PyTorch or the packages, which a build with sanitizers does not
    /// have.
    QString profileOf(const QString& run) const {
        const QString folder = QStringLiteral("directory\":\"%1\"}").arg(run);
        QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
        environment.insert(QStringLiteral("POPLAR_ENGINE_OPTIONS"),
                           QStringLiteral("{\"autoReport.all\":\"true\", \"autoReport.") + folder);
        environment.insert(QStringLiteral("PVTI_OPTIONS"),
                           QStringLiteral("{\"enable\":\"true\", \"") + folder);
        QProcess process;
        process.setProcessEnvironment(environment);
        process.setWorkingDirectory(folder_.path());
        process.start(QDir(programFolder()).filePath(QStringLiteral("tilescope")),
                      {QStringLiteral("python"), QStringLiteral("train.py")});
        constexpr int longestRunMs = 240'000; // of a busy machine
        [&] { QVERIFY(process.waitForFinished(longestRunMs)); }();
        const QString said = QString::fromUtf8(process.readAllStandardError());
        if (said.contains(QLatin1String("No module named")) ||
            said.contains(QLatin1String("the Python packages")))
            return {};
        [&] { QVERIFY2(process.exitCode() == 0, qPrintable(said)); }();
        return folder_.filePath(run + QStringLiteral("/training/profile.pop"));
    }

private:
    QTemporaryDir folder_;
};

} // namespace tilescope::test
