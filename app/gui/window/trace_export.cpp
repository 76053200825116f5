#include "app/gui/window/trace_export.h"

#include "core/base/atomic_file.h"
#include "core/base/error.h"
#include "core/export/chrome_trace.h"
#include "views/session/time_texts.h"

namespace tilescope::gui {
namespace {

ChromeTraceResult writeTrace(const ProfileView& profile, const std::filesystem::path& file,
                             CycleRange range, const std::stop_token& stop) {
    const auto index = profile.trace(stop);
    const auto programs = profile.programs(stop);
    const auto operations = profile.operations(stop);
    const HostTimeline host(profile.reader(stop), *index, *programs, *profile.streams(stop));
    ChromeTraceOptions options;
    options.range = range;
    ChromeTraceResult result;
    writeFileAtomically(file, [&](std::ostream& out) {
        result =
            writeChromeTrace(out, {profile.info(), *index, *programs, *operations, &host}, options);
        if (stop.stop_requested())
            throw Cancelled(); // the file is no longer wanted
    });
    return result;
}

QString sentence(const QString& file, const ChromeTraceResult& result) {
    const QString text =
        TraceExport::tr("%1 has %2 events").arg(file, views::countText(result.events));
    return result.mergedSteps == 0
               ? text
               : TraceExport::tr("%1; %2 short steps are merged with their neighbours: a smaller "
                                 "range has more detail")
                     .arg(text, views::countText(result.mergedSteps));
}

} // namespace

TraceExport::TraceExport(views::ViewContext& context, QObject* parent)
    : QObject(parent)
    , context_(context)
    , query_(context.workers, views::About::Other) {
    connect(&query_, &views::BackgroundQuery::failed, this, &TraceExport::failed);
}

void TraceExport::write(const QString& file, CycleRange range) {
    const ProfileViewPtr profile = context_.reports.source();
    if (!profile || !profile->info().hasExecution)
        return emit failed(tr("The source has no execution trace"));
    query_.start([this, profile, file,
                  range](const std::stop_token& stop) -> views::BackgroundQuery::Deliver {
        return
            [this, text = sentence(file, writeTrace(*profile, file.toStdString(), range, stop))] {
                emit written(text);
            };
    });
}

} // namespace tilescope::gui
