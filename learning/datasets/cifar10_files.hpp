// CIFAR-10 in its binary files: colour images of 32 x 32 pixels.
#pragma once

#include <filesystem>

#include "learning/datasets/dataset.hpp"
#include "learning/datasets/origin.hpp"
#include "netmodels/result.hpp"

namespace learning::datasets {

/// Reads data_batch_1.bin to data_batch_5.bin and test_batch.bin of a folder, each plain or gzip (then also
/// under its name with `.gz`): records of one label byte and 3072 pixels, plane by plane (red, green, blue).
/// Pixels of 0 to 255 become standardised values; a sample has the shape 3 x 32 x 32.
/// @returns an Error for a file that is missing, that is not whole records, or with a label above 9
/// Source: Krizhevsky, "Learning Multiple Layers of Features from Tiny Images", technical report, University
/// of
///         Toronto, 2009; layout as its download page describes it.
netmodels::Result<Dataset> load_cifar10(const std::filesystem::path& folder, const Origin& origin);

}  // namespace learning::datasets
