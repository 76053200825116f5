#include "app/gui/candidates/candidates.h"

#include <QCoreApplication>
#include <QDir>
#include <QFileInfo>
#include <algorithm>

#include "core/analysis/compare/differences.h"
#include "core/analysis/compare/metrics.h"
#include "core/base/error.h"
#include "core/remote/profile_place.h"
#include "core/view/profile_view.h"
#include "views/session/profile_texts.h"

namespace tilescope::gui {
namespace {

constexpr std::size_t sparkColumns = 16;

std::string said(const char* text) {
    return QCoreApplication::translate("Candidates", text).toStdString();
}

Candidate read(const QString& file, const ProfileView& view, const std::stop_token& stop) {
    std::vector<std::int64_t> tiles;
    const auto memory = view.tileMemory(stop);
    for (const TileMemory& tile : *memory)
        tiles.push_back(tile.includingGaps);
    return {file,
            QFileInfo(file).lastModified(),
            view.info(),
            metricValues(view, stop).at(metricNamed("maxTile")),
            columnsOf(*view.notAlwaysLive(stop), sparkColumns),
            columnsOf(tiles, sparkColumns)};
}

std::optional<Candidate> readCandidate(const QString& file, const ProfileInfo& model,
                                       const std::stop_token& stop) {
    const ProfileView view(file.toStdString());
    if (view.info().model != model.model || view.info().mode != model.mode)
        return {};
    return read(file, view, stop);
}

std::string differs(const Candidate& candidate, const ProfileInfo& source) {
    const std::vector<OptionChange> changes = leadingChanges(source, candidate.info);
    constexpr std::size_t most = 2;
    return changes.empty() ? said("the same options")
                           : views::changesText(changes, most).toStdString();
}

/// The change of the time of a sample; none if one of the two did not run.
Cell changeOf(const ProfileInfo& candidate, const ProfileInfo& source) {
    if (candidate.throughput <= 0 || source.throughput <= 0)
        return {};
    return source.throughput / candidate.throughput - 1;
}

} // namespace

std::vector<std::int64_t> columnsOf(const std::vector<std::int64_t>& curve, std::size_t columns) {
    columns = std::min(columns, curve.size());
    std::vector<std::int64_t> most;
    for (std::size_t i = 0; i < columns; ++i)
        most.push_back(*std::max_element(
            curve.begin() + static_cast<std::ptrdiff_t>(i * curve.size() / columns),
            curve.begin() + static_cast<std::ptrdiff_t>((i + 1) * curve.size() / columns)));
    return most;
}

std::string sparkline(const std::vector<std::int64_t>& values, std::int64_t largest) {
    constexpr int levels = 8; // of the block elements from U+2581 on
    std::string line;
    for (const std::int64_t value : values) {
        const double share =
            largest > 0 ? static_cast<double>(value) / static_cast<double>(largest) : 0;
        const int level = std::clamp(static_cast<int>(share * levels), 0, levels - 1);
        line += "\xE2\x96";
        line += static_cast<char>(0x81 + level);
    }
    return line;
}

std::vector<Candidate> readCandidates(const QStringList& files, const ProfileInfo& model,
                                      const std::vector<Candidate>& known,
                                      const std::stop_token& stop) {
    std::vector<Candidate> candidates;
    for (const QString& file : files) {
        if (stop.stop_requested())
            throw Cancelled();
        const auto before =
            std::find_if(known.begin(), known.end(), [&](const Candidate& candidate) {
                return candidate.file == file &&
                       candidate.written == QFileInfo(file).lastModified() &&
                       candidate.info.model == model.model && candidate.info.mode == model.mode;
            });
        if (before != known.end()) {
            candidates.push_back(*before);
            continue;
        }
        try {
            if (auto candidate = readCandidate(file, model, stop))
                candidates.push_back(std::move(*candidate));
        } catch (const UserError&) {
            continue; // gone, damaged or of another tool: Home says so
        }
    }
    std::stable_sort(candidates.begin(), candidates.end(),
                     [](const Candidate& a, const Candidate& b) { return a.written > b.written; });
    return candidates;
}

ReadProfiles readProfiles(const QStringList& files, const std::stop_token& stop) {
    ReadProfiles all;
    for (const QString& file : files) {
        if (stop.stop_requested())
            throw Cancelled();
        try {
            const std::filesystem::path path = openableProfile(file.toStdString(), SshProgram());
            const ProfileView view(path);
            all.profiles.push_back(read(QString::fromStdString(path.string()), view, stop));
        } catch (const UserError& error) {
            all.problems << QString::fromUtf8(error.what());
        }
    }
    return all;
}

namespace {

std::int64_t largestOf(const std::vector<Candidate>& all,
                       std::vector<std::int64_t> Candidate::*curve) {
    std::int64_t largest = 0;
    for (const Candidate& each : all)
        for (const std::int64_t bytes : each.*curve)
            largest = std::max(largest, bytes);
    return largest;
}

/// A bar of up to ten full blocks, and eighths of one.
std::string bar(double share) {
    constexpr int widest = 80; // eighths
    const int eighths = std::clamp(static_cast<int>(share * widest + 0.5), 0, widest);
    std::string line;
    for (int left = eighths; left > 0; left -= 8) {
        line += "\xE2\x96";
        line += static_cast<char>(0x90 - std::min(left, 8)); // U+2588 is full, U+258F an eighth
    }
    return line;
}

/// What tells a profile from the first of several: another model, or other options.
std::string nameAmong(const std::vector<Candidate>& all, std::size_t at) {
    const ProfileInfo& first = all.front().info;
    const ProfileInfo& info = all[at].info;
    if (at == 0 || info.model != first.model)
        return info.model;
    return differs(all[at], first);
}

} // namespace

Table profilesTable(const std::vector<Candidate>& profiles, std::int32_t source,
                    std::int32_t target) {
    Table table{"profiles", "", {}};
    table.columns = {
        {"run", said("Run"), Unit::None, said("The model of the first, and what others change")},
        {"role", said("Role")},
        {"file", said("File")},
        {"samples", said("Samples/s"), Unit::Count},
        {"throughput", said("Throughput"), Unit::None, said("Samples/s; one scale for all")},
        {"fits", said("Fits")},
        {"fullestTile", said("Fullest tile"), Unit::Bytes},
        {"tiles", said("Memory by tile"), Unit::None,
         said("The most bytes of equal parts of the tiles; one scale for all")},
        {"live", said("Live memory"), Unit::None,
         said("Not always live, over the steps of the program; one scale for all")}};
    table.emptyText = said("None of the files is a profile.");
    double fastest = 0;
    for (const Candidate& each : profiles)
        fastest = std::max(fastest, each.info.throughput);
    const std::int64_t live = largestOf(profiles, &Candidate::live);
    const std::int64_t tiles = largestOf(profiles, &Candidate::tiles);
    for (std::size_t i = 0; i < profiles.size(); ++i) {
        const Candidate& each = profiles[i];
        const auto row = static_cast<std::int32_t>(i);
        const double rate = each.info.throughput;
        const QFileInfo file(each.file);
        const std::string role = row == source   ? said("source")
                                 : row == target ? said("target")
                                                 : std::string();
        table.add({nameAmong(profiles, i), role,
                   (file.dir().dirName() + QLatin1Char('/') + file.fileName()).toStdString(),
                   rate > 0 ? Cell(rate) : Cell(), bar(fastest > 0 ? rate / fastest : 0),
                   each.info.fits, cellOf(each.fullestTile), sparkline(each.tiles, tiles),
                   sparkline(each.live, live)},
                  row, row == source || row == target);
    }
    return table;
}

Table candidateTable(const std::vector<Candidate>& candidates, const QString& sourceFile,
                     const ProfileInfo& source, Columns columns) {
    Table table{"candidates", "", {}};
    table.columns = {{"run", said("Run")},
                     differenceOf({"time", said("Time"), Unit::Share,
                                   said("Change of the time of a sample, from the source")}),
                     {"samples", said("Samples/s"), Unit::Count},
                     {"fits", said("Fits")},
                     {"fullestTile", said("Fullest tile"), Unit::Bytes,
                      said("Memory of the fullest tile, gaps included")},
                     {"live", said("Live memory"), Unit::None,
                      said("Not always live, over the steps of the program; one scale for all")}};
    const std::int64_t largest = largestOf(candidates, &Candidate::live);
    const std::size_t bars = columns == Columns::All ? 12 : 8; // what a panel has room for
    table.emptyText = said("No other run of this model is known.");
    for (std::size_t i = 0; i < candidates.size(); ++i) {
        const Candidate& each = candidates[i];
        const bool isSource = each.file == sourceFile;
        table.add({isSource ? said("source") : differs(each, source),
                   isSource ? Cell() : changeOf(each.info, source),
                   each.info.throughput > 0 ? Cell(each.info.throughput) : Cell(), each.info.fits,
                   cellOf(each.fullestTile), sparkline(columnsOf(each.live, bars), largest)},
                  static_cast<std::int32_t>(i), isSource);
    }
    if (columns == Columns::All)
        return table;
    // Short titles leave the room to the names. What did not run has no time to be compared with.
    Table few = onlyColumns(
        table, {"run", source.throughput > 0 ? "time" : "samples", "fullestTile", "live"});
    for (Column& column : few.columns)
        if (column.key == "fullestTile")
            column.title = said("Fullest");
        else if (column.key == "live")
            column.title = said("Live");
    return few;
}

} // namespace tilescope::gui
