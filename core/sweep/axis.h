// An axis of a sweep: an option and the values it takes, from "KEY=A:B:STEP" or "KEY=V1,V2".
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace tilescope {

/// More points than this are a mistyped range.
inline constexpr std::size_t mostSweepPoints = 100'000;

struct SweepAxis {
    std::string key;                 ///< of the option table: "batchSize"
    std::vector<std::string> values; ///< as the option table accepts them; no two are equal
    friend bool operator==(const SweepAxis&, const SweepAxis&) = default;
};

/// Parses "batchSize=2:24:2" (both ends included; a negative step counts down) or
/// "precision=float,half". KEY is a key of the option table or its flag, with or without leading
/// dashes. Numbers are normalised: "0.30" is 0.3. Throws UserError that names the key and the
/// remedy: unknown key, nothing to vary over, step 0, too many values, a range of something that is
/// not a number, a value twice. checkPoints() checks whether the option accepts the values.
SweepAxis parseAxis(std::string_view text);

/// True for "12", "-0.5": a decimal number without an exponent, of at most 9 + 9 digits.
bool isDecimal(std::string_view text);

} // namespace tilescope
