// Rows of a tensor that are known while compiling, in any order and number.
#pragma once

#include <string>
#include <vector>

#include "simulator/frontend/convert/converter.h"

namespace tilescope::sim {

/// Refuses a node whose result has more rows along a dimension than can be listed.
void checkListedRows(std::int64_t rows);

/// The rows of `x` along `axis` in the given order. Evenly spaced rows are a slice and repeated
/// ones an expansion of it, as in PopART (popx ResizeOpx: a concatenation of slices); where that
/// would take many pieces, they are looked up (popops::multiSlice).
TensorId selectRows(NodeConverter& node, const std::string& part, TensorId x, std::size_t axis,
                    const std::vector<std::int64_t>& rows);

/// A slice of the whole of a tensor of that rank.
SliceAttributes wholeSlice(std::size_t rank);

/// Part of `x` along one axis: `count` rows from `first` on.
TensorId rowsFrom(NodeConverter& node, const std::string& part, TensorId x, std::size_t axis,
                  std::int64_t first, std::int64_t count, std::int64_t step = 1);

/// A constant of the program in the type of another tensor.
TensorId constantLike(NodeConverter& node, const std::string& part, TensorId like, Shape shape,
                      const ElementNumbers& numbers);
/// Integers that are part of the program.
TensorId indexConstant(NodeConverter& node, const std::string& part, Shape shape,
                       const ElementNumbers& numbers);
/// The index of an element as its value.
double elementNumber(std::int64_t i);

} // namespace tilescope::sim
