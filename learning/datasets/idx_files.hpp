// Data sets in the IDX files of MNIST: grey images and their labels in four files.
#pragma once

#include <filesystem>

#include "learning/datasets/dataset.hpp"
#include "learning/datasets/origin.hpp"
#include "netmodels/result.hpp"

namespace learning::datasets {

/// Reads train-images-idx3-ubyte, train-labels-idx1-ubyte, t10k-images-idx3-ubyte and t10k-labels-idx1-ubyte
/// of a folder, each plain or gzip (then also under its name with `.gz`). Pixels of 0 to 255 become
/// standardised values; a sample has the shape 1 x rows x columns, 28 x 28 in the published sets; there are
/// 10 classes.
/// @returns an Error for a file that is missing, of another kind, of another size than its header says, for
///          labels above 9, and where images and labels, or training and test images, do not fit each other
/// Source: LeCun, Cortes & Burges, "The MNIST Database of Handwritten Digits", 1998, section "File formats".
netmodels::Result<Dataset> load_idx(const std::filesystem::path& folder, const Origin& origin);

}  // namespace learning::datasets
