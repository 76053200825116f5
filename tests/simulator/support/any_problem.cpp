#include "any_problem.h"

#include <fmt/format.h>
#include <utility>

#include "holds.h"

namespace tilescope::test {

ConvProblem anyProblem(std::int64_t most) {
    ConvProblem problem;
    problem.matMul = *rc::gen::arbitrary<bool>();
    problem.inType = *rc::gen::element(DataType::Half, DataType::Float);
    problem.outType = problem.inType;
    problem.partialType = problem.inType == DataType::Half
                              ? *rc::gen::element(DataType::Half, DataType::Float)
                              : DataType::Float;
    problem.inChans = anyFrom(1, most);
    problem.outChans = anyFrom(1, most);
    problem.groups = *rc::gen::element<std::int64_t>(1, 1, 2, 5, 24);
    if (problem.matMul) {
        FieldDim rows;
        rows.in = rows.out = anyFrom(1, most);
        problem.field = {rows};
        return problem;
    }
    problem.batch = *rc::gen::element<std::int64_t>(1, 1, 2, 16);
    for (std::int64_t d = anyFrom(1, 2); d > 0; --d) {
        FieldDim dim;
        dim.kernel = *rc::gen::element<std::int64_t>(1, 3, 3, 5, 7);
        dim.stride = anyFrom(1, 2);
        dim.dilation = anyFrom(1, 2);
        dim.padBegin = anyFrom(0, dim.kernel / 2);
        dim.out = anyFrom(1, 40);
        dim.in = std::max<std::int64_t>(
            1, (dim.out - 1) * dim.stride + (dim.kernel - 1) * dim.dilation + 1 - 2 * dim.padBegin);
        problem.field.push_back(dim);
    }
    return problem;
}

ConvProblem anyGradient(std::int64_t most) {
    ConvProblem problem = anyProblem(most);
    problem.pass = *rc::gen::element(TrainingPass::TrainingForward, TrainingPass::TrainingBackward,
                                     TrainingPass::TrainingUpdate);
    if (problem.matMul || problem.pass != TrainingPass::TrainingBackward)
        return problem;
    for (FieldDim& dim : problem.field) {
        std::swap(dim.in, dim.out);
        dim.inDilation = std::exchange(dim.stride, 1);
        dim.padBegin = dim.dilation * (dim.kernel - 1) - dim.padBegin;
    }
    return problem;
}

std::string describe(const ConvProblem& p) {
    std::string field;
    for (const FieldDim& dim : p.field)
        field += fmt::format(" {{{}->{} kernel {} stride {} dilation {} pad {}}}", dim.in, dim.out,
                             dim.kernel, dim.stride, dim.dilation, dim.padBegin);
    return fmt::format("{} groups {} batch {} in {} out {} field{} {} {}",
                       p.matMul ? "matmul" : "conv", p.groups, p.batch, p.inChans, p.outChans,
                       field, toString(p.inType), toString(p.partialType));
}

} // namespace tilescope::test
