// Opens a library that the programs bring along and load only where a command needs it.
#pragma once

#include <string>
#include <vector>

namespace files {

/// The function `gradsim_module` of `../lib/gradsim/libNAME.so`, seen from the folder of the running program.
/// The library stays open until the process ends; its symbols are its own.
///
/// A module carries copies of what it links, and no others see them, so that no call of one side is bound to
/// the other's code by chance. Exceptions cross all the same: those of the standard library are of one type
/// everywhere, and catching compares the names of types.
/// @throws std::runtime_error that names the file and the loader's reason
void* open_module_entry(const std::string& name);

/// Names of the modules that this process, or the one that it was forked from, has opened.
const std::vector<std::string>& open_modules();

/// @tparam Entry  the type of the function
template <class Entry>
Entry* open_module(const std::string& name) {
  return reinterpret_cast<Entry*>(open_module_entry(name));
}

}  // namespace files
