// The summary's blocks about how a profile was made and where it lies.
#include <QDateTime>
#include <QDir>
#include <QFileInfo>

#include "views/session/time_texts.h"
#include "views/summary/summary_view.h"

namespace tilescope::views {
namespace {

const QString none = QStringLiteral("\u2013");

QString option(const ProfileInfo& info, const char* key) {
    const auto found = info.options.find(key);
    return found == info.options.end() || found->second.empty()
               ? none
               : QString::fromStdString(found->second);
}

QString compileTime(const ProfileInfo& info) {
    double seconds = 0;
    for (const auto& [phase, time] : info.timings)
        seconds += time;
    return seconds > 0 ? durationText(seconds) : none;
}

/// What a profile tells of the program that made it, which matters to whoever shares it.
QString sourceText(const KeptSource& kept, const Preferences& preferences) {
    if (!kept.hasLines)
        return SummaryView::tr("not recorded");
    if (kept.texts == 0)
        return SummaryView::tr("lines, without the texts of your files");
    return SummaryView::tr("lines, and the texts of %n of your files: %1", nullptr, kept.texts)
        .arg(preferences.bytes(kept.bytes));
}

} // namespace

KeptSource keptSource(const ProfileView& profile, Stop stop) {
    const auto source = profile.source(stop);
    KeptSource kept{.hasLines = !source->frames.empty()};
    for (const SourceFile& file : source->files) {
        kept.bytes += static_cast<std::int64_t>(file.text.size());
        kept.texts += file.text.empty() ? 0 : 1;
    }
    return kept;
}

void SummaryView::showFiles() {
    const ProfilePair& open = profiles();
    const auto fact = [&](const QString& name, const auto& text) {
        return Card::Fact{name, text(*open.source), comparing() ? text(*open.target) : QString()};
    };
    const auto path = [](const ProfileView& p) {
        return QString::fromStdString(p.file().string());
    };
    compilerCard_->setFacts(
        {fact(tr("Written by"),
              [](const ProfileView& p) { return QString::fromStdString(p.info().creator); }),
         fact(tr("Scheme of execution"),
              [](const ProfileView& p) { return option(p.info(), "execution"); }),
         fact(tr("Schedule of a pipeline"),
              [](const ProfileView& p) {
                  return option(p.info(), "execution") == QLatin1String("pipelined")
                             ? option(p.info(), "schedule")
                             : tr("no pipeline");
              }),
         fact(tr("Time of compilation"),
              [](const ProfileView& p) { return compileTime(p.info()); })},
        comparing());
    filesCard_->setFacts(
        {fact(tr("Profile"),
              [&](const ProfileView& p) { return QDir::toNativeSeparators(openedName(p)); }),
         fact(tr("Size"),
              [&](const ProfileView& p) {
                  return context().preferences.bytes(QFileInfo(path(p)).size());
              }),
         fact(tr("Changed"),
              [&](const ProfileView& p) {
                  return QFileInfo(path(p)).lastModified().toString(
                      QStringLiteral("yyyy-MM-dd HH:mm"));
              }),
         fact(tr("Model file"), [](const ProfileView& p) { return option(p.info(), "modelFile"); }),
         {tr("Source code"), sourceText(keptOfSource_, context().preferences),
          comparing() ? sourceText(keptOfTarget_, context().preferences) : QString()},
         fact(tr("Execution profile"),
              [](const ProfileView& p) {
                  return p.info().hasExecution
                             ? tr("in the file")
                             : tr("missing: the program does not fit, or was not timed");
              })},
        comparing());
}

} // namespace tilescope::views
