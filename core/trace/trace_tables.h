// The tables of a trace, one for each of its structs.
#pragma once

#include "core/database/stored_table.h"
#include "core/profile/trace.h"

namespace tilescope {

template <> inline constexpr IdList idListOf<ProgramId>{"programs"};
template <> inline constexpr IdList idListOf<TraceBodyId>{"trace_bodies"};

inline constexpr auto traceRunTable = storedTable<TraceRun>({"runs"}, [](auto& to, auto& r) {
    to(rowNumber("id"), field("name", r.name), field("body", r.body, required),
       field("start", r.start, numberAt), field("cycles", r.cycles, numberAt));
});
inline constexpr auto traceBodyTable =
    storedTable<TraceBody>({"trace_bodies"}, [](auto& to, auto& b) {
        to(rowNumber("id"), field("name", b.name), field("program", b.program));
    });
// Steps and calls have the index of their body and their position in it.
inline constexpr auto traceStepTable =
    storedTable<TraceStep>({.name = "trace_steps", .key = "body, position"}, [](auto& to, auto& s) {
        to(givenBack("body"), givenBack("position"), field("type", s.kind),
           field("program", s.program));
    });
inline constexpr auto stepOnIpuTable = storedTable<StepOnIpu>(
    {.name = "trace_step_ipus", .key = "body, position, ipu"}, [](auto& to, auto& s) {
        to(givenBack("body"), givenBack("position"), field("ipu", s.ipu),
           field("start", s.start, numberAt), field("cycles", s.cycles, numberAt),
           field("active_tiles", s.activeTiles, numberAt),
           field("active_cycles", s.activeCycles, numberAt), field("bytes_in", s.bytesIn, numberAt),
           field("bytes_out", s.bytesOut, numberAt));
    });
inline constexpr auto traceCallTable =
    storedTable<TraceCall>({.name = "trace_calls", .key = "body, position"}, [](auto& to, auto& c) {
        to(givenBack("body"), givenBack("position"), field("callee", c.callee, required),
           field("program", c.program), field("count", c.count, numberAt));
    });
inline constexpr auto callOnIpuTable = storedTable<CallOnIpu>(
    {.name = "trace_call_ipus", .key = "body, position, ipu"}, [](auto& to, auto& c) {
        to(givenBack("body"), givenBack("position"), field("ipu", c.ipu),
           field("start", c.start, numberAt), field("period", c.period, numberAt));
    });

} // namespace tilescope
