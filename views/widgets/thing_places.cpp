#include "views/widgets/thing_places.h"

#include <map>

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

} // namespace tilescope::views
