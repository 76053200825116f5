#include "simulator/import_model.h"

#include <filesystem>
#include <fmt/format.h>

#include "core/base/atomic_file.h"
#include "core/base/error.h"
#include "simulator/frontend/custom/custom_operations.h"
#include "simulator/frontend/import.h"
#include "simulator/frontend/keras/keras.h"
#include "simulator/frontend/keras/model_json.h"
#include "simulator/frontend/operation_list.h"
#include "simulator/zoo/zoo.h"

#include <onnx/onnx_pb.h>

namespace tilescope::sim {

ModelSource sourceOf(const std::string& model, const BatchOptions& batch,
                     const ModelOptions& options) {
    ImportOptions import;
    import.batchSize = batch.batchSize.value_or(1);
    import.forceBatch = batch.batchSize.has_value();
    import.half = options.precision == Precision::Half;
    import.training = batch.isTraining();
    import.foldBatchNorm = options.foldBatchNorm;
    if (!options.customOperations.empty())
        import.customOperations = readCustomOperations(options.customOperations);
    return {model, import, options.sizes};
}

Graph importModel(const ModelSource& source) {
    const std::string& model = source.model;
    const auto import = [&] {
        if (isZooName(model)) {
            ImportOptions checked = source.import;
            checked.builtIn = true;
            Graph built = importOnnx(zooModel(model, source.modelOptions), model, checked);
            built.name = model;
            return built;
        }
        if (!source.modelOptions.empty())
            throw UserError(fmt::format("{}: only built-in models take model options; leave '{}' "
                                        "out",
                                        model, source.modelOptions.begin()->first));
        if (model.ends_with(".json")) {
            const std::string text = readFile(model);
            return isKerasModel(text)
                       ? importKeras(text, model, source.import)
                       : importOperationList(std::filesystem::path(model), source.import);
        }
        return importOnnx(std::filesystem::path(model), source.import);
    };
    Graph graph = import();
    if (graph.name.empty())
        graph.name = std::filesystem::path(model).filename().string();
    return graph;
}

} // namespace tilescope::sim
