#include "app/gui/window/recent_details.h"

#include <QCoreApplication>
#include <QDir>
#include <QFileInfo>
#include <algorithm>

#include "app/gui/window/recent_files.h"
#include "core/base/error.h"
#include "core/import/import.h"
#include "core/remote/remote_address.h"
#include "core/store/profile_reader.h"
#include "core/sweep/sweep_store.h"
#include "views/session/profile_texts.h"
#include "views/theme/text.h"

namespace tilescope::gui {
namespace {

QString said(const char* text) {
    return QCoreApplication::translate("RecentDetails", text);
}

RecentFile lookAt(const QString& file, const QMap<QString, RecentFile>& known) {
    const QFileInfo info(file);
    RecentFile found;
    found.remote = isRemote(file.toStdString());
    if (found.remote)
        return found; // to look would be to connect
    found.missing = !info.exists();
    if (found.missing)
        return found;
    found.written = info.lastModified();
    if (const auto before = known.find(file);
        before != known.end() && before->written == found.written)
        return *before;
    try {
        found.sweep = isSweep(file.toStdString());
        found.capture = formOf(file.toStdString()) == FileForm::Capture;
        if (!found.sweep && !found.capture)
            found.info = ProfileReader(file.toStdString()).info();
    } catch (const UserError& error) {
        found.failure = QString::fromUtf8(error.what());
    }
    return found;
}

// Every run writes a profile.pop; the folder distinguishes them.
QString shortName(const QString& file) {
    const QFileInfo info(file);
    return views::shownText(info.dir().dirName() + QLatin1Char('/') + info.fileName(),
                            views::mostOfOne);
}

QString fitsText(const ProfileInfo& info) {
    return info.fits ? said("\u2714 fits") : said("\u2718 does not fit");
}

void describeOne(RecentText& text, const RecentFile& file, const QDateTime& now) {
    if (file.sweep || file.capture) {
        text.details = file.sweep ? said("a sweep") : said("a capture");
        text.age = views::ageText(file.written, now);
        return;
    }
    if (file.remote)
        text.details = said("on another machine");
    if (!file.info)
        return;
    text.title = views::shownName(file.info->model, views::mostOfOne);
    text.details =
        QStringLiteral("%1, %2").arg(views::batchText(*file.info), views::machineText(*file.info));
    text.verdict = fitsText(*file.info);
    text.good = file.info->fits;
    text.age = views::ageText(views::createdAt(*file.info), now);
}

void describeTwo(RecentText& text, const ProfileInfo& source, const ProfileInfo& target,
                 const QDateTime& now) {
    constexpr std::size_t mostChanges = 3;
    text.title = views::shownName(source.model, views::mostOfOne);
    std::vector<OptionChange> changes = leadingChanges(source, target);
    if (source.model != target.model) {
        text.title += QStringLiteral(" \u2192 ") + views::shownName(target.model, views::mostOfOne);
        changes.erase(changes.begin()); // shown in the title
    }
    text.details =
        changes.empty() ? said("the same options") : views::changesText(changes, mostChanges);
    text.verdict = source.fits == target.fits ? fitsText(target)
                   : target.fits              ? said("\u2714 now fits")
                                              : said("\u2718 no longer fits");
    text.good = target.fits;
    text.age = views::ageText(std::max(views::createdAt(source), views::createdAt(target)), now);
}

} // namespace

RecentDetails::RecentDetails(views::Workers& workers, QObject* parent)
    : QObject(parent)
    , query_(workers, views::About::Other) {}

void RecentDetails::read(const QStringList& entries) {
    QStringList files;
    for (const QString& entry : entries)
        files.append(RecentFiles::filesOf(entry));
    files.removeDuplicates();
    query_.start([this, files, known = files_](const std::stop_token& stop) {
        QMap<QString, RecentFile> found;
        for (const QString& file : files) {
            if (stop.stop_requested())
                throw Cancelled();
            found.insert(file, lookAt(file, known));
        }
        return [this, found = std::move(found)] {
            files_ = found;
            emit changed();
        };
    });
}

const RecentFile* RecentDetails::find(const QString& file) const {
    const auto found = files_.find(file);
    return found == files_.end() ? nullptr : &*found;
}

RecentText recentText(const QStringList& files, const RecentDetails& details,
                      const QDateTime& now) {
    RecentText text;
    QStringList names;
    std::vector<const RecentFile*> known;
    for (const QString& file : files) {
        names << shortName(file);
        known.push_back(details.find(file));
    }
    text.title = names.join(QStringLiteral(" \u2192 "));
    const QString folder = RecentFiles::absolute(files.front()).section(QLatin1Char('/'), 0, -2);
    text.place = views::shownText(
        files.size() > 1 ? QStringLiteral("%1   %2").arg(text.title, folder) : files.front());
    for (const RecentFile* file : known) {
        text.missing = text.missing || (file != nullptr && file->missing);
        if (file != nullptr && !file->failure.isEmpty()) {
            text.details = said("cannot be read");
            text.good = false;
        }
    }
    if (text.missing)
        text.details = said("(missing)");
    else if (files.size() == 1 && known[0] != nullptr)
        describeOne(text, *known[0], now);
    else if (files.size() == 2 && known[0] != nullptr && known[1] != nullptr && known[0]->info &&
             known[1]->info)
        describeTwo(text, *known[0]->info, *known[1]->info, now);
    return text;
}

} // namespace tilescope::gui
