// Values in files: NumPy's .npy and .npz, ONNX's TensorProto, and folders of them.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "simulator/graph/tensor_data.h"

namespace tilescope::sim {

/// Values with the name that the file gives them: of the array in an .npz, of the tensor in a .pb,
/// of the file itself without its suffix in all other cases. Names are as they are in the file.
struct NamedArray {
    std::string name;
    TensorData data; ///< float for all real types, a 32-bit integer for whole ones
};

/// All arrays of a file or of a folder, in a folder by name with numbers in order (input_2 before
/// input_10). Throws UserError naming a file that is missing, damaged, too large, or of a type that
/// an IPU does not have (complex numbers, texts).
std::vector<NamedArray> readArrays(const std::filesystem::path& path);

/// The arrays of a folder of ONNX's test data, "<kind>_<position>.pb" (kind: "input" or "output"),
/// by the position of the model's input or output. Empty if the path is not a folder or has no such
/// file. Throws UserError as above.
std::map<std::size_t, NamedArray> readTestData(const std::filesystem::path& folder,
                                               std::string_view kind);

/// Writes an array as .npy (format 1.0): float32 for reals, int32, uint32, int8, uint8 or bool.
void writeNpy(const std::filesystem::path& file, const TensorData& data);

} // namespace tilescope::sim
