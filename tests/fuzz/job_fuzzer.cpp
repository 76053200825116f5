// A job file: its JSON, its keys and options, and the list of operations or the built-in model that
// it names; and a formula.
#include <onnx/onnx_pb.h>

#include "core/base/error.h"
#include "core/base/formula.h"
#include "core/options/job.h"
#include "core/options/option_notes.h"
#include "core/options/option_table.h"
#include "core/options/run_options.h"
#include "simulator/frontend/operation_list.h"
#include "simulator/zoo/zoo.h"

using namespace tilescope;

namespace {

void readOptions(const Job& job) {
    RunOptions options;
    setRunOptions(options, job.options);
    validate(options);
    static_cast<void>(engineOptionNotes(options.engine));
    static_cast<void>(optionNotes(options));
    for (const OptionSpec& spec : runOptionTable()) {
        RunOptions again;
        if (const std::string value = spec.get(options); !value.empty() && spec.key != "target")
            spec.set(again = options, value);
    }
    if (sim::isZooName(job.model))
        static_cast<void>(sim::zooModel(job.model, options.model.sizes));
}

template <class Read> void orRefuse(Read read) {
    try {
        read();
    } catch (const UserError&) {
    }
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    const std::string origin = "job.json";
    orRefuse([&] { readOptions(parseJob(text, origin, "/nowhere")); });
    orRefuse([&] { static_cast<void>(sim::importOperationList(text, origin, {})); });
    orRefuse([&] {
        RunOptions options;
        addEngineOptions(options.engine, text, origin);
    });
    try {
        static_cast<void>(evaluateFormula(text, {{"n", 96}, {"N", 1e6}, {"workers", 6}}));
    } catch (const std::invalid_argument&) {
    }
    return 0;
}
