// Files that are wrong: damage to bytes and texts, and small changes that leave a file readable, as
// whoever reads it refuses most damage at once.
#pragma once

#include <string>

#include "tests/support/damage.h"

namespace onnx {
class ModelProto;
}

namespace tilescope::bench {

/// Bytes flipped, cut, doubled, replaced by numbers that matter.
std::string damagedBytes(std::string bytes, const test::Draw& draw);

/// The same for texts: numbers, words and brackets change for others. Half of them are small
/// changes.
std::string damagedText(std::string text, const test::Draw& draw);

/// A text of JSON that stays one: one of its values becomes another that might be meant.
std::string otherValue(std::string text, const test::Draw& draw);

/// One size, type or whole number of an attribute becomes another.
void changeNumber(onnx::ModelProto& model, const test::Draw& draw);

} // namespace tilescope::bench
