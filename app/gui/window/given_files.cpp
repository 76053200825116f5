#include "app/gui/window/given_files.h"

#include <QDir>
#include <QFileInfo>
#include <algorithm>

#include "app/gui/run/run_dialog.h"
#include "core/base/error.h"
#include "core/import/import.h"
#include "core/remote/remote_address.h"

namespace tilescope::gui {
namespace {

FileForm formIn(const QString& file) {
    if (isRemote(file.toStdString()) || !QFileInfo(file).isFile())
        return FileForm::Other;
    try {
        return formOf(file.toStdString());
    } catch (const UserError&) {
        return FileForm::Other; // opening says what is wrong
    }
}

} // namespace

GivenKind kindOfFiles(const QStringList& files) {
    if (!files.isEmpty() && std::all_of(files.begin(), files.end(), [](const QString& file) {
            return formIn(file) == FileForm::HostTrace;
        }))
        return GivenKind::HostTraces;
    const bool isJob = files.size() == 1 && (files[0].endsWith(QLatin1String(".onnx")) ||
                                             formIn(files[0]) == FileForm::Job);
    return isJob ? GivenKind::Job : GivenKind::Profiles;
}

bool areTracesOfAHost(const QStringList& files) {
    return files.size() > 1 && kindOfFiles(files) == GivenKind::HostTraces;
}

QString nameBeside(const QString& opened, const QString& suffix) {
    const QFileInfo info(opened);
    const bool isHere =
        !isRemote(opened.toStdString()) && QFileInfo(info.absolutePath()).isWritable();
    if (!isHere)
        return QDir(RunDialog::freshFolder(info.completeBaseName() + suffix))
            .filePath(QStringLiteral("profile.pop"));
    const QDir folder = info.absoluteDir();
    const QString stem = info.completeBaseName() + suffix;
    QString name = folder.filePath(stem + QStringLiteral(".pop"));
    for (int i = 2; QFileInfo::exists(name); ++i)
        name = folder.filePath(QStringLiteral("%1-%2.pop").arg(stem).arg(i));
    return name;
}

} // namespace tilescope::gui
