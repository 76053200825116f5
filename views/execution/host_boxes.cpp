#include "views/execution/host_boxes.h"

#include <algorithm>

#include "views/plot/read_out.h"
#include "views/session/time_texts.h"
#include "views/theme/text.h"

namespace tilescope::views {
namespace {

/// The channel of a box; empty without one.
std::string channelOf(const ItemPlace& place) {
    const std::vector<std::string>& channels = place.lane->channels;
    const auto channel = static_cast<std::size_t>(place.box->channel);
    return place.box->channel >= 0 && channel < channels.size() ? channels[channel] : std::string();
}

/// The row's own name, or that of the lane.
std::string rowOf(const ItemPlace& place) {
    const std::vector<std::string>& names = place.lane->rowNames;
    if (place.row < names.size() && !names[place.row].empty())
        return names[place.row];
    std::string name = place.lane->name;
    std::replace(name.begin(), name.end(), '\n', ' ');
    return name;
}

} // namespace

std::string threadLaneName(const ProfilePair& profiles, bool target, const QString& name) {
    if (!profiles.comparing()) { // the process above its thread: names of several begin alike
        const qsizetype process = name.indexOf(QStringLiteral(" / "));
        return process < 0
                   ? name.toStdString()
                   : (name.left(process) + QLatin1Char('\n') + name.mid(process + 3)).toStdString();
    }
    return (target ? Text::tr("Target\n%1") : Text::tr("Source\n%1")).arg(name).toStdString();
}

ValueTree hostDetails(const ItemPlace& place, double clockHz) {
    const TraceBox& box = *place.box;
    ValueTree tree;
    tree.properties = true;
    tree.nameTitle = Text::tr("Host");
    tree.valueTitles.append(QString());
    const auto add = [&](const QString& name, Cell value, Unit unit = Unit::None) {
        tree.roots.push_back(valueLine(name, std::move(value), unit));
    };
    const bool isSeveral = box.wallTime && box.steps > 1;
    if (isSeveral)
        add(Text::tr("Events"), box.steps, Unit::Count);
    else
        add(Text::tr("Name"), box.name);
    if (const std::string channel = channelOf(place); !channel.empty())
        add(Text::tr("Channel"), channel);
    add(Text::tr("Row"), rowOf(place));
    if (!box.wallTime) {
        add(Text::tr("Start"), Duration{box.begin, clockHz}, Unit::Cycles);
        add(Text::tr("Duration"), Duration{box.cycles(), clockHz}, Unit::Cycles);
        return tree;
    }
    const double clock = std::max(1.0, clockHz);
    add(Text::tr("From start of first run"), static_cast<double>(box.begin) / clock, Unit::Seconds);
    if (box.moment && !isSeveral)
        add(Text::tr("Time of the host"), Text::tr("none: a moment").toStdString());
    else
        add(isSeveral ? Text::tr("From the first to the last") : Text::tr("Time of the host"),
            static_cast<double>(box.cycles()) / clock, Unit::Seconds);
    return tree;
}

QString hostReadOut(const ItemPlace& place, const QString& title, double clockHz) {
    const TraceBox& box = *place.box;
    const double clock = std::max(1.0, clockHz);
    QStringList lines{title};
    if (const std::string channel = channelOf(place); !channel.empty())
        lines << readOutLine(Text::tr("Channel"), shownName(channel));
    if (!box.moment || box.steps > 1)
        lines << readOutLine(Text::tr("Time of the host"),
                             durationText(static_cast<double>(box.cycles()) / clock));
    lines << readOutLine(Text::tr("From start of first run"),
                         durationText(static_cast<double>(box.begin) / clock));
    return lines.join(QLatin1Char('\n'));
}

} // namespace tilescope::views
