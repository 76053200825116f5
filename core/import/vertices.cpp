// Codelets, compute sets and the measured cycles of what runs on tiles.
#include "core/import/readers.h"

namespace tilescope {

void importMeasured(Importing& import) {
    Profile& profile = import.profile;
    import.measured.resize(profile.programs.size());
    CaptureRows row(import.file, "measured", {"program", "cycles_series"});
    while (row.next()) {
        const ProgramId program = import.program(row.id(0));
        if (!program.valid())
            row.damaged(0, "there is no such program");
        import.measured[program.index()] = row.series(1);
        if (const ExchangeId exchange = profile.programs[program].exchange;
            exchange.valid() && !row.series(1).empty())
            profile.exchanges[exchange].cycles = row.series(1);
    }
}

void importComputeSets(Importing& import) {
    Profile& profile = import.profile;
    CaptureRows set(import.file, "compute_sets", {"id", "name", "estimated_series"});
    while (set.next()) {
        if (set.number(0) != static_cast<std::int64_t>(profile.computeSets.size()))
            set.damaged(0, "rows before it are missing");
        profile.computeSets.add({set.text(1), {}, set.series(2), {}});
    }
    for (std::size_t i = 0; i < profile.programs.size(); ++i) {
        const Program& program = profile.programs[ProgramId(i)];
        if (!program.computeSet.valid())
            continue;
        ComputeSet& of = profile.computeSets[program.computeSet];
        of.operation = program.operation;
        if (!import.measured[i].empty())
            of.cycles = import.measured[i];
    }
    std::vector<std::int64_t> sizes;
    CaptureRows type(import.file, "vertex_types", {"id", "name", "size", "code_series"});
    while (type.next()) {
        if (type.number(0) != static_cast<std::int64_t>(sizes.size()))
            type.damaged(0, "rows before it are missing");
        constexpr std::int64_t largestVertex = std::int64_t{1} << 24; // bytes, more than a tile has
        sizes.push_back(type.maybe(2, 0, largestVertex).value_or(0));
        profile.vertexTypes.add({type.text(1), type.series(3)});
    }
    const auto sets = static_cast<std::int64_t>(profile.computeSets.size());
    const auto types = static_cast<std::int64_t>(sizes.size());
    std::int64_t vertices = 0;
    CaptureRows row(import.file, "vertex_instances",
                    {"compute_set", "vertex_type", "count_series"});
    while (row.next()) {
        const ComputeSetId of(static_cast<std::int32_t>(row.number(0, 0, sets - 1)));
        const VertexTypeId kind(static_cast<std::int32_t>(row.number(1, 0, types - 1)));
        const TileSeries& count = row.series(2);
        if (count.max().value > largestId)
            row.damaged(2, "a tile has more vertices than there can be");
        vertices += count.sum();
        profile.computeSets[of].vertices.push_back(
            {kind, count, count.scaled(sizes[kind.index()]), 0});
    }
    if (profile.info.vertices == 0)
        profile.info.vertices = vertices;
}

} // namespace tilescope
