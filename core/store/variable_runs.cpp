#include "core/store/variable_runs.h"

#include "core/database/number_text.h"

namespace tilescope {

std::string runsText(const TileSeries& series) {
    std::string text = "[";
    for (const TileRun& run : series.runs()) {
        text += text.size() == 1 ? "[" : ",[";
        addNumber(text, run.first);
        text += ',';
        addNumber(text, run.tiles());
        text += ',';
        addNumber(text, run.value);
        text += ']';
    }
    return text + ']';
}

TileSeries seriesOfRuns(const ProfileReader::Impl& file, std::span<const std::byte> text) {
    TileSeries series;
    NumberText reader(text);
    reader.expect('[');
    if (!reader.take(']')) {
        do {
            reader.expect('[');
            const std::int64_t first = reader.number();
            reader.expect(',');
            const std::int64_t tiles = reader.number();
            reader.expect(',');
            const std::int64_t bytes = reader.number();
            reader.expect(']');
            file.appendRun(series, first, tiles, bytes);
        } while (reader.take(','));
        reader.expect(']');
    }
    reader.expectEnd();
    return series;
}

} // namespace tilescope
