// Labelled images in MNIST's format.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>

#include "simulator/graph/tensor_data.h"

namespace tilescope::sim {

struct LabelledImages {
    TensorData images; ///< float [count, rows, columns], standardised
    TensorData labels; ///< int [count]
    [[nodiscard]] std::int64_t count() const { return labels.elements(); }
};

enum class ImageSet { Training, Test };

/// Standardisation of images: (byte / 255 - mean) / deviation, over all pixels of the training
/// images (torchvision's transforms.ToTensor and Normalize, 0.1307 and 0.3081 for MNIST).
struct Standard {
    double mean = 0, deviation = 1;
};

/// Reads {train,t10k}-{images-idx3,labels-idx1}-ubyte[.gz] of a folder. None if the folder has none
/// of a set's files. Throws UserError naming a file that is missing, damaged or does not fit the
/// other. `standard` is measured and stored if it has no value yet.
std::optional<LabelledImages> readImages(const std::filesystem::path& folder, ImageSet set,
                                         std::optional<Standard>& standard);

} // namespace tilescope::sim
