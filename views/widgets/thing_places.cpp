#include "views/widgets/thing_places.h"

#include <algorithm>
#include <map>

#include "core/analysis/source/source_names.h"
#include "core/base/error.h"
#include "core/view/thing_operation.h"
#include "views/session/time_texts.h"
#include "views/theme/text.h"

namespace tilescope::views {

QString placeTitle(std::string_view place) {
    static const std::map<QString, QString> titles{{"summary", Text::tr("Summary")},
                                                   {"insights", Text::tr("Insights")},
                                                   {"memory", Text::tr("Memory")},
                                                   {"liveness", Text::tr("Liveness")},
                                                   {"programs", Text::tr("Program Tree")},
                                                   {"operations", Text::tr("Operations")},
                                                   {"trace", Text::tr("Execution Trace")},
                                                   {"pipeline", Text::tr("Pipeline")},
                                                   {"values", Text::tr("Values")},
                                                   {"compare", Text::tr("Compare")},
                                                   {"query", Text::tr("Query")}};
    QStringList parts = textOf(place).split(QLatin1Char(':'));
    if (const auto title = titles.find(parts.front()); title != titles.end())
        parts.front() = title->second;
    return parts.join(QStringLiteral(": "));
}

void showThing(ReportView& from, ViewContext& context, const Selected& thing,
               std::string_view place) {
    context.selection.update([&](Selected& selected) {
        // These belong together; what was selected with the others does not.
        if (thing.operation.valid() || thing.program.valid()) {
            selected.operation = {};
            selected.program = {};
            selected.computeSet = {};
            selected.tensor = {};
        }
        selected.take(thing);
    });
    // The trace follows steps; it has to look up which of an operation's takes longest.
    if (place == tracePlace && !thing.program.valid())
        emit from.traceWanted(thing.operation, false);
    else
        emit from.reportWanted(textOf(place));
}

bool mayHaveSourceLine(const ProfileView& profile, const Selected& thing) {
    const std::vector<Thing> all = thing.all();
    if (std::none_of(all.begin(), all.end(), belongsToOperation))
        return false;
    try {
        return !profile.source()->frames.empty();
    } catch (const UserError&) { // a damaged file; its reports say so
        return false;
    }
}

void showSourceLine(ReportView& from, ViewContext& context, const Selected& thing) {
    const ProfileViewPtr profile = context.reports.source();
    if (!profile)
        return;
    try {
        const OperationId operation = operationOf(thing, *profile);
        if (!operation.valid() || !SourceNames(*profile).frameOf(operation).valid())
            return emit from.status(Text::tr("No line of the program is known for this"));
        context.selection.update(
            [operation](Selected& selected) { selected.operation = operation; });
        emit from.reportWanted(QStringLiteral("operations:Source"));
    } catch (const UserError& error) {
        emit from.status(shownText(textOf(error.what())));
    }
}

} // namespace tilescope::views
