// A model compiled for a Python program: its figures, its profile and a machine to run it on.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "app/python/simulator/annotations.h"
#include "app/python/simulator/source_notes.h"
#include "app/python/simulator/state.h"
#include "app/python/simulator/stored_weights.h"
#include "core/options/run_options.h"
#include "simulator/compute/machine.h"
#include "simulator/graph/graph.h"
#include "simulator/values/recorder.h"
#include "simulator/values/scores.h"

namespace tilescope::python {

struct CompileRequest {
    std::string onnx;                           ///< the model, serialised
    std::string name;                           ///< of the model, for messages and the profile
    std::map<std::string, std::string> options; ///< job keys
    std::map<std::int64_t, BlockPlace> blocks;
    std::string profile;  ///< file to write; empty: none
    bool computes = true; ///< computes values too
    /// In training: the outputs that may be the loss (lossOf).
    std::optional<std::vector<int>> losses;
    /// Weights that training changes; none: all.
    std::optional<std::set<std::string>> trained;
    /// Initialisers that are weights, regardless of their size; a cached program
    /// (options.engine.executableCache) does not depend on their values.
    std::set<std::string> parameters;
    /// Weights overwritten by the model's last outputs, in the order of these.
    std::vector<Buffer> state;
    /// Tensors whose values are kept by calls, see anchored().
    std::vector<std::string> anchors;
    /// Which computed values are recorded in the profile, see finishProfile().
    RecordedValues values = RecordedValues::Off;
    SourceNotes source = {};        ///< lines of the program, see addNotes()
    std::int64_t valueSamples = 50; ///< maximum number of iterations with recorded tensors
};

/// Describes a tensor sent to the machine or received from it.
struct TensorInfo {
    std::string name;
    sim::Shape shape; ///< of one micro-batch
    sim::DataType type = sim::DataType::Float;
};

/// Results of simulating a call.
struct CompiledFigures {
    bool fits = true;
    std::string failure; ///< the original's message if the model does not fit
    std::int64_t cycles = 0;
    double seconds = 0;     ///< of the machine, for a call
    double callSeconds = 0; ///< including the host's time
    double throughput = 0;  ///< samples a second
    std::int64_t ipus = 1;  ///< of all replicas
    /// Severity, text, and its line in PopLibs' log, or "".
    std::vector<std::tuple<std::string, std::string, std::string>> messages;
    std::string profile; ///< file that was written; empty: none
    std::string loss;    ///< output that was trained on
};

using CompileProgress = std::function<void(std::string_view phase, double done)>;

class CompiledModel {
public:
    /// Compiles and times the model, and writes its profile. Throws UserError. A model that does
    /// not fit the machine is also compiled, but cannot run.
    explicit CompiledModel(CompileRequest request, const CompileProgress& progress = {});

    [[nodiscard]] const CompiledFigures& figures() const { return figures_; }
    [[nodiscard]] const RunOptions& options() const { return options_; }
    [[nodiscard]] std::vector<TensorInfo> inputs() const;
    [[nodiscard]] std::vector<TensorInfo> outputs() const;
    /// Micro-batches of a call, over all replicas and device iterations.
    [[nodiscard]] std::int64_t microBatches() const;

    /// Elements of all micro-batches of an input, one after the other.
    struct InputElements {
        std::span<const float> reals;       ///< of floating-point inputs
        std::span<const std::int32_t> ints; ///< of all others
    };
    /// One call of the host. `inputs` by name; of each output the micro-batches in `wanted`, by
    /// number, and of each anchor those in `anchored`. Throws UserError for an input that is
    /// missing or too small.
    std::vector<std::vector<sim::TensorData>>
    run(const std::map<std::string, InputElements>& inputs, std::span<const std::int64_t> wanted,
        const std::map<std::string, std::vector<std::int64_t>>& anchored = {});

    /// The results of each operation of the model for the first micro-batch with the initial
    /// weights, by the operation's name: in forward order, on one IPU, without an update.
    [[nodiscard]] std::vector<std::pair<TensorInfo, sim::TensorData>>
    forward(const std::map<std::string, InputElements>& inputs) const;
    /// Operations of the model that draw random numbers, by name.
    [[nodiscard]] std::vector<std::string> drawing() const;

    /// Names that anchors may have: inputs, outputs, weights, "Gradient___w" of each trained
    /// weight, and results of operations.
    [[nodiscard]] std::vector<std::string> tensorNames() const;
    /// An anchor's value in the last call: a row for each requested micro-batch, in the shape of
    /// the model; for a gradient before it is accumulated or summed over replicas, times the loss
    /// scaling. Throws UserError for a tensor that is not an anchor or was not computed.
    struct AnchoredValue {
        TensorInfo info;
        std::vector<sim::TensorData> rows;
    };
    [[nodiscard]] AnchoredValue anchored(const std::string& name) const;

    /// Names of the model's weights that the machine holds.
    [[nodiscard]] std::vector<std::string> weights() const;
    /// Names of the exported model's initialisers, weights or not.
    [[nodiscard]] const std::vector<std::string>& constants() const { return initialisers_; }
    /// The current value, in the model's shape. Throws UserError for an unknown name.
    [[nodiscard]] sim::TensorData weight(const std::string& name) const;
    void setWeight(const std::string& name, const sim::TensorData& value);
    /// The optimizer's state in the shapes of the model's weights, without the loss scaling, by
    /// PopART's prefix and the weight's name ("Accl1___conv.weight"), wherever it is stored.
    [[nodiscard]] std::map<std::string, sim::TensorData> state() const;
    /// Sets the state that exists under these names. Throws UserError for a value of another size.
    void setState(const std::map<std::string, sim::TensorData>& state);
    /// Rates of the run, then of its parameter groups, for each update of a call; the last ones
    /// hold for those after them. Throws UserError for another number of them.
    void setLearningRates(std::vector<std::vector<double>> rates);

    /// Writes the profile again, with the requested values of all calls so far, and with the
    /// program's recordings. Does nothing if no profile was written or there is nothing to add.
    /// Later calls are not in the profile. Throws UserError.
    void finishProfile(HostRecord record);

private:
    /// Sum of the losses of a call in training.
    struct LossSum {
        double sum = 0;
        std::int64_t of = 0;
    };
    void startRecording(const CompileRequest& request);
    void recordCall(sim::HostPort& port, LossSum& loss);
    /// `content` identifies the model.
    void compile(const std::string& content, const CompileRequest& request,
                 const CompileProgress& progress);
    [[nodiscard]] const StoredWeight& stored(const std::string& name) const;
    /// A tensor of the optimizer's state.
    struct Moment {
        std::string name; ///< in the graph
        const StoredWeight* weight;
        double scale = 1;        ///< factor of the machine's value
        std::int64_t shards = 1; ///< replicas that it is spread over
    };
    [[nodiscard]] std::map<std::string, Moment> moments() const;
    /// Tensors of the graph that together are an anchor's value, and the tensor in the model.
    struct Anchor {
        TensorInfo info;
        std::vector<std::string> parts;
        const StoredWeight* weight = nullptr; ///< whose gradient it is
        std::map<std::int64_t, sim::TensorData> rows;
        void take(std::int64_t row, const sim::TensorData& value);
    };
    void findAnchors(const std::vector<std::string>& names);
    [[nodiscard]] std::optional<Anchor> anchorOf(const sim::Graph& graph,
                                                 const std::string& name) const;
    void watchAnchors(sim::HostPort& port,
                      const std::map<std::string, std::vector<std::int64_t>>& wanted);
    [[nodiscard]] sim::Machine& machine() const;
    [[nodiscard]] std::vector<TensorInfo> infos(const std::vector<sim::TensorId>& ids) const;

    RunOptions options_;
    CompiledFigures figures_;
    sim::Graph imported_; ///< the model's operations, before training adds to them
    sim::Graph prepared_;
    std::map<std::string, Anchor> anchors_;
    std::map<std::string, StoredWeight> weights_;
    std::vector<std::string> initialisers_;
    std::map<std::string, sim::TensorId> tensors_; ///< weights and state of the graph
    std::unique_ptr<sim::Machine> machine_;
    std::optional<sim::ValueRecorder> recorder_; ///< none: values are not recorded
    std::optional<sim::ScoreWatch> scores_;      ///< of training
    std::int64_t updates_ = 0;
};

/// The part of an input for one micro-batch, in the machine's form.
sim::TensorData microBatchOf(const sim::Tensor& input, const CompiledModel::InputElements& all,
                             std::int64_t microBatch);

} // namespace tilescope::python
