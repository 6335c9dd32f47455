// The data set that ships with the program: handwritten digits of 8 x 8 pixels, in one packed file.
#pragma once

#include <filesystem>

#include "learning/datasets/dataset.hpp"
#include "learning/datasets/origin.hpp"
#include "netmodels/result.hpp"

namespace learning::datasets {

/// Reads a packed file: `OPTD`, then training samples, test samples, pixels per sample (64) and classes (10)
/// as little-endian 32-bit numbers, the pixels of training and test samples, their labels, one byte each.
/// Pixels of 0 to 16 become standardised values; a sample has the shape 1 x 8 x 8.
/// @returns an Error for a file that is missing, of another kind, of another size than its header says, or
///          with a pixel or a label out of range
/// Source: Alpaydin & Kaynak, "Optical Recognition of Handwritten Digits", UCI Machine Learning Repository,
///         1998, DOI 10.24432/C50P49.
netmodels::Result<Dataset> load_optdigits(const std::filesystem::path& path, const Origin& origin);

}  // namespace learning::datasets
