// Adds the values computed by calls, and the program's own recordings, to the profile.
#include <filesystem>

#include "app/python/simulator/compiled_model.h"
#include "core/store/profile_reader.h"
#include "core/store/profile_writer.h"

namespace tilescope::python {

void CompiledModel::startRecording(const CompileRequest& request) {
    options_.compute.values = request.values;
    options_.compute.valueSamples = request.valueSamples;
    recorder_.emplace(prepared_, options_.batch, options_.compute, std::nullopt);
    if (options_.isTraining())
        scores_.emplace(prepared_);
}

/// One call, with a point of the training curve: the loss is computed from scores if the model has
/// a cross-entropy, otherwise it is the loss returned by the model.
void CompiledModel::recordCall(sim::HostPort& port, LossSum& loss) {
    port.output = [this, &loss, output = std::move(port.output)](const sim::Tensor& tensor,
                                                                 const sim::BatchPlace& place,
                                                                 const sim::TensorData& value) {
        if (tensor.name == figures_.loss) {
            loss.sum += value.number(0);
            ++loss.of;
        }
        output(tensor, place, value);
    };
    if (scores_ && !scores_->isEmpty())
        port.watch = [this, others = std::move(port.watch)](
                         const sim::Graph& graph, sim::TensorId tensor,
                         const sim::BatchPlace& place, const sim::TensorData& value) {
            scores_->see(graph, tensor, place.replica, value);
            if (others)
                others(graph, tensor, place, value);
        };
    if (!options_.isTraining() && updates_ == 0)
        recorder_->seeWeights(machine());
    recorder_->beginCall(port);
    machine().run(port);
    recorder_->endCall();
    updates_ += options_.batch.deviceIterations;
    if (!scores_)
        return;
    const sim::ScoreCount count = scores_->count();
    scores_->reset();
    CurvePoint point{updates_, 0, {}, machine().learningRate(), machine().lossScale()};
    if (count.of > 0) {
        point.loss = count.loss / static_cast<double>(count.of);
        point.accuracy = static_cast<double>(count.right) / static_cast<double>(count.of);
    } else {
        point.loss = loss.sum / static_cast<double>(loss.of);
    }
    recorder_->add(point);
}

void CompiledModel::finishProfile(HostRecord record) {
    sim::RunValues run;
    if (recorder_)
        run = recorder_->take();
    recorder_.reset();
    if ((run.values.empty() && record.empty()) || !std::filesystem::exists(figures_.profile))
        return;
    Profile profile = ProfileReader(figures_.profile).loadChecked();
    if (!run.values.empty())
        sim::addValues(profile, std::move(run));
    profile.hostRecord = std::move(record);
    writeProfile(profile, figures_.profile);
}

} // namespace tilescope::python
