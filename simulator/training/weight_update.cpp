#include "simulator/training/weight_update.h"

#include <utility>

#include "simulator/graph/shape_rules.h"

namespace tilescope::sim {
namespace {

using enum ElementwiseFunction;

/// You et al. 2017, "Large Batch Training of Convolutional Networks", the trust coefficient.
constexpr double larsTrust = 0.001;

} // namespace

WeightUpdate::WeightUpdate(Graph& graph, const UpdateOptions& options, WeightPlace place,
                           std::vector<Op>& ops)
    : graph_(graph)
    , options_(options)
    , place_(place)
    , ops_(ops)
    , name_(graph.tensors[place.weight].name)
    , numbers_(updateNumbers(options.training, name_))
    , updated_(place.weight)
    , like_(place.weight) {}

TensorId WeightUpdate::ownGradient(TensorId gradient, TensorId& reciprocal, std::int32_t shards) {
    TensorId own = shards > 1 ? shard(gradient, shards) : gradient;
    if (accumulates() && options_.training.accumulationReduction == Reduction::Mean)
        own = mean(own, reciprocal);
    return clipped(own);
}

void WeightUpdate::run(TensorId own, TensorId gradient) {
    const TensorId step = stepOf(own);
    const TensorId stepped = inPlace("_var_update", "VarUpdate", lastStep(), {updated_, step});
    if (shards_ > 1)
        op("_allGather", "ReplicatedAllGather",
           CollectiveAttributes{CollectiveKind::AllGather, shards_}, {place_.weight, stepped},
           graph_.tensors[place_.weight].shape, graph_.tensors[place_.weight].type);
    if (accumulates())
        inPlace("_accumulator_zero", "AccumulatorZero", {Zero}, {gradient});
}

/// Keras bounds elements, then norms (optimizer_v2.py, _transform_gradients). The loss is still
/// scaled.
TensorId WeightUpdate::clipped(TensorId gradient) {
    const double scaling = options_.training.lossScaling;
    if (const auto value = options_.training.clipValue) {
        const double bound = *value * scaling;
        gradient = op("_clipValue", "ClipByValue", ElementwiseAttributes{Clip, -bound, bound},
                      {gradient}, updatedShape(), graph_.tensors[gradient].type);
    }
    if (const auto norm = options_.training.clipNorm)
        gradient = scaled(gradient, clippingFactor(addedSquare(gradient, {}), *norm));
    return gradient;
}

TensorId WeightUpdate::addedSquare(TensorId gradient, TensorId others) {
    const TensorId square = squareSum("_clipSquare", "ReduceSumSquare", gradient);
    return others.valid() ? op("_clipSum", "Sum", ElementwiseAttributes{Add}, {others, square}, {},
                               DataType::Float)
                          : square;
}

/// bound / max(norm, bound) (popart patterns, ClipWeightGradientsByNorm; tf.clip_by_norm).
TensorId WeightUpdate::clippingFactor(TensorId square, double bound) {
    const auto number = [&](const char* suffix, const char* type, ElementwiseFunction function,
                            std::vector<TensorId> inputs) {
        return op(suffix, type, ElementwiseAttributes{function}, std::move(inputs), {},
                  DataType::Float);
    };
    const TensorId limit =
        scalar("clipNorm", DataType::Float, bound * options_.training.lossScaling);
    const TensorId norm = number("_clipRoot", "Sqrt", Sqrt, {square});
    return number("_clipFactor", "Div", Divide,
                  {limit, number("_clipBound", "Max", Max, {norm, limit})});
}

TensorId WeightUpdate::scaled(TensorId gradient, TensorId factor) {
    const DataType type = graph_.tensors[gradient].type;
    if (type != DataType::Float)
        factor = op("_clipCast", "Cast", ElementwiseAttributes{Cast}, {factor}, {}, type);
    return op("_clipped", "Mul", ElementwiseAttributes{Multiply}, {gradient, factor},
              updatedShape(), type);
}

/// From here on the optimizer works on the replica's shard: of the gradient's sum, of the weight
/// and of the state (popart docs/popart/tensor_locations.rst).
TensorId WeightUpdate::shard(TensorId gradient, std::int32_t shards) {
    shards_ = shards;
    const Tensor weight = graph_.tensors[place_.weight];
    const Shape shape = shardShape(weight.shape, shards);
    like_ = op("_reduceScatter", "ReplicatedReduceScatter",
               CollectiveAttributes{CollectiveKind::ReduceScatter, shards}, {gradient}, shape,
               graph_.tensors[gradient].type);
    updated_ = op("_shard", "ReplicatedReduceScatter", ShardAttributes{shards}, {place_.weight},
                  shape, weight.type);
    return like_;
}

TensorId WeightUpdate::mean(TensorId accumulator, TensorId& reciprocal) {
    if (!reciprocal.valid())
        reciprocal = scalar("reciprocalAccumulationCount",
                            options_.training.accumulationType == Precision::Half ? DataType::Half
                                                                                  : DataType::Float,
                            1.0 / (static_cast<double>(options_.batch.gradientAccumulation) *
                                   options_.replication.replicas));
    const Tensor sum = graph_.tensors[accumulator];
    return op("_accumulatorMean", "AccumulatorScale", ElementwiseAttributes{Multiply},
              {accumulator, reciprocal}, sum.shape, sum.type);
}

TensorId WeightUpdate::op(const std::string& suffix, const std::string& type, Attributes attributes,
                          std::vector<TensorId> inputs, Shape shape, DataType dataType) {
    Op made;
    made.name = name_ + suffix;
    made.type = type;
    made.onnxNode = name_;
    made.source.link = SourceLink::Update;
    made.attributes = std::move(attributes);
    made.inputs = std::move(inputs);
    made.outputs = {graph_.tensors.add({made.name, std::move(shape), dataType})};
    made.pass = place_.pass;
    made.stage = place_.stage;
    ops_.push_back(std::move(made));
    return ops_.back().outputs[0];
}

TensorId WeightUpdate::inPlace(const std::string& suffix, const std::string& type,
                               const ElementwiseAttributes& function,
                               const std::vector<TensorId>& inputs) {
    const Tensor first = graph_.tensors[inputs[0]];
    return op(suffix, type, function, inputs, first.shape, first.type);
}

TensorId WeightUpdate::state(const std::string& prefix, Precision type, StateKind kind) {
    Tensor made;
    made.name = prefix + name_;
    made.shape = updatedShape();
    made.type = type == Precision::Half ? DataType::Half : DataType::Float;
    made.role = TensorRole::Weight;
    made.layoutOf = like_;
    made.state = kind;
    return graph_.tensors.add(std::move(made));
}

/// A number for each weight that outlives the step.
TensorId WeightUpdate::scalarState(const std::string& prefix) {
    Tensor made;
    made.name = prefix + name_;
    made.role = TensorRole::Weight;
    made.state = StateKind::Moment;
    return graph_.tensors.add(std::move(made));
}

TensorId WeightUpdate::scalar(const std::string& name, DataType type, double value) {
    Tensor made;
    made.name = name;
    made.type = type;
    made.role = TensorRole::Constant;
    made.value = std::make_shared<TensorData>(TensorData::scalar(type, value));
    return graph_.tensors.add(std::move(made));
}

DataType WeightUpdate::stateType() const {
    return options_.training.optimizerStateType == Precision::Half ? DataType::Half
                                                                   : DataType::Float;
}

/// Moments are of their own type and without the loss's scaling (popart adamdecompose: SGD has both
/// in its learning rate).
TensorId WeightUpdate::unscaled(TensorId gradient) {
    const Shape shape = updatedShape();
    if (graph_.tensors[gradient].type != stateType())
        gradient = op("_gradientCast", "Cast", ElementwiseAttributes{Cast}, {gradient}, shape,
                      stateType());
    if (options_.training.lossScaling == 1 && !options_.compute.automaticLossScaling)
        return gradient;
    // The name is PopART's (reservedDefaultAdamGradientScalingPrefix and its own of a weight).
    const TensorId scaling = scalar("adamGradientScaling___specific___" + name_, stateType(),
                                    1 / options_.training.lossScaling);
    graph_.tensors[scaling].lossScaling = LossScalingPart::Inverse;
    return op("_gradientUnscale", "GradientUnscale", ElementwiseAttributes{Multiply},
              {gradient, scaling}, shape, stateType());
}

/// The tensor that the optimizer subtracts, without the learning rate.
TensorId WeightUpdate::stepOf(TensorId gradient) {
    switch (options_.training.optimizer) {
    case Optimizer::Sgd:
        return gradient;
    case Optimizer::Momentum:
        return numbers_.hasVelocity ? momentumStep(gradient) : gradient;
    case Optimizer::Adam:
    case Optimizer::AdamW:
        return adamStep(gradient);
    case Optimizer::Lamb:
        return scaledByTrust(adamStep(gradient));
    case Optimizer::Lars:
        return larsVelocity(gradient);
    case Optimizer::Rmsprop:
        return rmspropStep(gradient);
    }
    return gradient;
}

/// True where velocities are sums of steps, not of gradients: a new learning rate leaves what they
/// have. So does LARS, and Keras (keras/optimizer_v2: gradient_descent.py, rmsprop.py).
bool WeightUpdate::hasRateInVelocity() const {
    switch (options_.training.optimizer) {
    case Optimizer::Lars:
        return true;
    case Optimizer::Momentum:
        return isKeras() && numbers_.hasVelocity && !options_.training.nesterov;
    case Optimizer::Rmsprop:
        return isKeras() && numbers_.momentum != 0;
    default:
        return false;
    }
}

/// The step's update of the weight: that of SGD also removes the loss's scaling and applies its own
/// decay.
ElementwiseAttributes WeightUpdate::lastStep() const {
    ElementwiseAttributes step{ScaledAdd, -1};
    step.byLearningRate = !hasRateInVelocity();
    step.rate = step.byLearningRate ? numbers_.rate : 0;
    const bool isScaled = options_.training.optimizer == Optimizer::Sgd ||
                          options_.training.optimizer == Optimizer::Momentum;
    if (isScaled)
        step.alpha = -1 / options_.training.lossScaling;
    if (isScaled && !numbers_.hasVelocity)
        step.beta = numbers_.weightDecay;
    return step;
}

/// Weight decay as part of the gradient, where there is any (popart sgd2decompose, adamdecompose:
/// WeightDecayMode::L2Regularization).
TensorId WeightUpdate::decayed(TensorId gradient, double scaling) {
    const double decay = numbers_.weightDecay;
    if (decay == 0)
        return gradient;
    return inPlace("_weightDecay", "WeightDecay", {ScaledAdd, decay * scaling},
                   {gradient, updated_});
}

TensorId WeightUpdate::velocity(TensorId gradient, const ElementwiseAttributes& average) {
    return inPlace("_accl1", "Accl1Update", average,
                   {state("Accl1___", options_.training.optimizerStateType), gradient});
}

TensorId WeightUpdate::momentumStep(TensorId gradient) {
    const TensorId own = decayed(gradient, options_.training.lossScaling);
    ElementwiseAttributes average{MovingAverage, numbers_.momentum, 1};
    if (isKeras()) {
        average.byLearningRate = true;
        average.rate = numbers_.rate;
    }
    const TensorId moved = velocity(own, average);
    return options_.training.nesterov ? lookingAhead(own, moved) : moved;
}

/// The gradient and what momentum will make of the velocity (PyTorch torch/optim/sgd.py). Keras'
/// velocity has its rate already (ResourceApplyKerasMomentum): its part of the step comes first.
TensorId WeightUpdate::lookingAhead(TensorId gradient, TensorId velocity) {
    if (!isKeras())
        return inPlace("_nesterov", "Nesterov", {ScaledAdd, numbers_.momentum},
                       {gradient, velocity});
    inPlace("_nesterov", "Nesterov",
            {ScaledAdd, -numbers_.momentum / options_.training.lossScaling}, {updated_, velocity});
    return gradient;
}

TensorId WeightUpdate::adamStep(TensorId scaled) {
    const bool decays = options_.training.optimizer != Optimizer::Adam;
    const TensorId gradient = decays ? unscaled(scaled) : decayed(unscaled(scaled), 1);
    const TensorId first = velocity(gradient, {MovingAverage, numbers_.beta1, 1 - numbers_.beta1});
    TensorId second =
        inPlace("_accl2", "Accl2Update", {MovingSquare, numbers_.beta2, 1 - numbers_.beta2},
                {state("Accl2___", options_.training.optimizerStateType), gradient});
    if (options_.training.amsgrad)
        second = largestSecondMoment(second);
    const TensorId steps = scalarState("Step___");
    const TensorId count =
        inPlace("_step", "Accumulate", {ScaledAdd, 1}, {steps, scalar("one", DataType::Float, 1)});
    const double decay = decays ? numbers_.weightDecay : 0;
    const bool corrects = options_.training.biasCorrection;
    ElementwiseAttributes updater{AdamUpdater, corrects ? numbers_.beta1 : 0,
                                  corrects ? numbers_.beta2 : 0, numbers_.epsilon, decay};
    // keras/optimizer_v2/adam.py: "epsilon hat" of Kingma and Ba, just before Section 2.1.
    updater.epsilonFirst = isKeras() && options_.training.optimizer != Optimizer::Lamb;
    return op("_adamupdater", "AdamUpdater", updater,
              {first, second, decays ? updated_ : first, count}, updatedShape(), DataType::Float);
}

/// Reddi et al. 2018, "On the Convergence of Adam and Beyond".
TensorId WeightUpdate::largestSecondMoment(TensorId second) {
    const TensorId most = state("Accl3___", options_.training.optimizerStateType);
    const TensorId larger = op("_accl3Max", "Accl3Update", ElementwiseAttributes{Max},
                               {most, second}, updatedShape(), stateType());
    return inPlace("_accl3", "Accl3Update", {Assign}, {most, larger});
}

/// The gradient divided by the root of its mean square, which a velocity accumulates if there is
/// one (PyTorch torch/optim/rmsprop.py, popart adaptivedecompose). PopART has one operation where a
/// root, a sum and a quotient are used here.
TensorId WeightUpdate::rmspropStep(TensorId scaled) {
    const TensorId gradient = decayed(unscaled(scaled), 1);
    const TensorId square =
        inPlace("_accl1", "Accl1Update", {MovingSquare, numbers_.beta2, 1 - numbers_.beta2},
                {state("Accl1___", options_.training.optimizerStateType), gradient});
    const TensorId step =
        op("_rmspropUpdater", "RMSPropUpdater", ElementwiseAttributes{Divide},
           {gradient, rmspropRoot(square, gradient)}, updatedShape(), DataType::Float);
    if (numbers_.momentum == 0)
        return step;
    ElementwiseAttributes average{MovingAverage, numbers_.momentum, 1};
    if (hasRateInVelocity()) {
        average.byLearningRate = true;
        average.rate = numbers_.rate;
    }
    return inPlace("_accl3", "Accl3Update", average,
                   {state("Accl3___", options_.training.optimizerStateType), step});
}

/// The root of the mean square, or of the variance, and epsilon. Keras adds it before the root if
/// there is momentum (keras/optimizer_v2/rmsprop.py: ResourceApplyRMSProp).
TensorId WeightUpdate::rmspropRoot(TensorId square, TensorId gradient) {
    const auto part = [&](const char* suffix, ElementwiseFunction function,
                          std::vector<TensorId> inputs) {
        return op(suffix, "RMSPropUpdater", ElementwiseAttributes{function}, std::move(inputs),
                  updatedShape(), DataType::Float);
    };
    if (options_.training.centered) {
        const TensorId mean =
            inPlace("_accl2", "Accl2Update", {MovingAverage, numbers_.beta2, 1 - numbers_.beta2},
                    {state("Accl2___", options_.training.optimizerStateType), gradient});
        square = part("_rmspropVariance", Subtract,
                      {square, part("_rmspropMeanSquare", Square, {mean})});
    }
    const TensorId epsilon = scalar("rmspropEpsilon", DataType::Float, numbers_.epsilon);
    if (isKeras() && numbers_.momentum != 0)
        return part("_rmspropRoot", Sqrt, {part("_rmspropSum", Add, {square, epsilon})});
    return part("_rmspropSum", Add, {part("_rmspropRoot", Sqrt, {square}), epsilon});
}

/// The gradient with weight decay, times the ratio of the weight's norm to the sum of the
/// gradient's and the decayed weight's (You et al. 2017, "Large Batch Training of Convolutional
/// Networks"), which momentum then accumulates.
TensorId WeightUpdate::larsGradient(TensorId scaled) {
    const TensorId gradient = unscaled(scaled);
    const auto [weightSquares, gradientSquares] = larsSquares(gradient);
    const Shape shape = graph_.tensors[weightSquares].shape;
    const auto number = [&](const char* suffix, ElementwiseFunction function,
                            std::vector<TensorId> inputs) {
        return op(suffix, "LarsRatio", ElementwiseAttributes{function}, std::move(inputs), shape,
                  DataType::Float);
    };
    const TensorId weightNorm = number("_larsWeightNorm", Sqrt, {weightSquares});
    const TensorId gradientNorm = number("_larsGradientNorm", Sqrt, {gradientSquares});
    const double share = numbers_.weightDecay;
    const TensorId decay = scalar("larsWeightDecay", DataType::Float, share);
    const TensorId decayedNorm = number("_larsDecayedNorm", Multiply, {weightNorm, decay});
    const TensorId norms = number("_larsNorms", Add, {gradientNorm, decayedNorm});
    const TensorId ratio =
        op("_larsRatio", "LarsRatio", ElementwiseAttributes{TrustRatio, larsTrust, 1},
           {weightNorm, norms}, shape, DataType::Float);
    const TensorId change =
        inPlace("_larsDecay", "LarsDecay", {ScaledAdd, share}, {gradient, updated_});
    return op("_larsScale", "LarsScale", ElementwiseAttributes{Multiply}, {change, ratio},
              updatedShape(), DataType::Float);
}

/// The squares of the weight's and the gradient's norm, in the same steps (popops::reduceMany). The
/// published runs that have LARS on 64 replicas and more reduce up to 216 bytes of results at once
/// (graphcore/examples, cnns/training/configs.yml, max_reduce_many_buffer_size); the norms of
/// different weights are not put together here.
std::pair<TensorId, TensorId> WeightUpdate::larsSquares(TensorId gradient) {
    if (shards_ != 1)
        return {squareSum("_larsWeightSq", "LarsSquare", updated_),
                squareSum("_larsGradientSq", "LarsSquare", gradient)};
    const Shape ones(updatedShape().size(), 1);
    JointReduceAttributes both{{ReduceFunction::SquareAdd, ReduceFunction::SquareAdd}, {}};
    for (std::size_t d = 0; d < ones.size(); ++d)
        both.axes.push_back(static_cast<std::int64_t>(d));
    const TensorId weights = op("_larsSquares", "LarsSquare", std::move(both), {updated_, gradient},
                                ones, DataType::Float);
    const TensorId gradients =
        graph_.tensors.add({name_ + "_larsGradientSq", ones, DataType::Float});
    ops_.back().outputs.push_back(gradients);
    return {weights, gradients};
}

/// v = m v + rate * ratio * (gradient + decay * w), which is subtracted from the weight.
TensorId WeightUpdate::larsVelocity(TensorId gradient) {
    ElementwiseAttributes average{MovingAverage, numbers_.momentum, 1};
    average.byLearningRate = true;
    average.rate = numbers_.rate;
    return velocity(larsGradient(gradient), average);
}

/// The square of a norm, over all shards (popart op/lamb.cpp).
TensorId WeightUpdate::squareSum(const std::string& suffix, const std::string& type, TensorId of) {
    ReduceAttributes all{ReduceFunction::SquareAdd, {}, false};
    for (std::size_t d = 0; d < updatedShape().size(); ++d)
        all.axes.push_back(static_cast<std::int64_t>(d));
    const TensorId own = op(suffix, type, all, {of}, {}, DataType::Float);
    return shards_ == 1 ? own
                        : op(suffix + "_allReduce", "ReplicatedAllReduceInplace",
                             CollectiveAttributes{CollectiveKind::AllReduce, shards_}, {own}, {},
                             DataType::Float);
}

/// The step times the ratio of the weight's norm to the step's own (LAMB).
TensorId WeightUpdate::scaledByTrust(TensorId change) {
    const TensorId weightNorm = squareSum("_lambR1Sq", "LambSquare", updated_);
    const TensorId stepNorm = squareSum("_lambR2Sq", "LambSquare", change);
    const double bound = options_.training.maxWeightNorm.value_or(0);
    const TensorId ratio =
        op("_lambRatio", "LambRatio", ElementwiseAttributes{TrustRatio, 1, 0.5, bound * bound},
           {weightNorm, stepNorm}, {}, DataType::Float);
    return op("_lambScale", "LambScale", ElementwiseAttributes{Multiply}, {change, ratio},
              updatedShape(), DataType::Float);
}

} // namespace tilescope::sim
