// Traces of programs on the host for pva.openTrace().
#include "app/python/core/host_trace.h"

#include "core/import/trace_events.h"

namespace tilescope::python {
namespace {

template <class T, class Of> py::array_t<T> column(const TraceEvents& trace, const Of& of) {
    py::array_t<T> values(static_cast<py::ssize_t>(trace.spans.size()));
    std::ranges::transform(trace.spans, values.mutable_data(), of);
    return values;
}

/// Threads as (process, thread, name of the process, of the thread), words, and for each event the
/// numbers of thread, channel and name, its start and length in seconds.
py::tuple hostTrace(const std::string& file) {
    const TraceEvents trace = [&] {
        const py::gil_scoped_release released;
        return readTraceEvents(file);
    }();
    py::list threads;
    for (const TraceEvents::Thread& thread : trace.threads)
        threads.append(
            py::make_tuple(thread.process, thread.thread, thread.processName, thread.threadName));
    using Span = TraceEvents::Span;
    return py::make_tuple(
        threads, trace.words, column<std::uint32_t>(trace, &Span::thread),
        column<std::uint32_t>(trace, &Span::channel), column<std::uint32_t>(trace, &Span::name),
        column<double>(trace, &Span::start), column<double>(trace, &Span::seconds));
}

} // namespace

void bindHostTrace(py::module_& module) {
    module.def("host_trace", hostTrace, py::arg("path"),
               "Threads, words and columns of the events of a trace in JSON, in seconds; no length "
               "(not a number) for a moment. Raises ProfileError for other files.");
}

} // namespace tilescope::python
