// SPDX-License-Identifier: MIT
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "autopsy/diagnosis.hpp"

namespace harness::autopsy {

struct BundleFile {
  std::string name;  ///< at most 99 bytes, no leading '/'
  std::string text;
};

/// What a bundle holds; the README.txt in it says so too.
inline constexpr std::string_view bundle_contents =
    "A bundle of panthor-harness autopsy, for a bug report.\n"
    "\n"
    "report.txt, report.json  the diagnosis\n"
    "sources/                 what it was drawn from, as it was read: pid, thread ids, names (comm), kernel "
    "functions and\n"
    "                         system call numbers of the processes that have the GPU open; the states of "
    "their syncobjs,\n"
    "                         groups and VMs; GPU addresses and sizes of their mappings, buffer labels; "
    "interrupt counts,\n"
    "                         power, clock; kernel log lines that speak of the GPU; the hang dump; job trace "
    "events\n"
    "\n"
    "Not in it: memory, command lines, environment, user names, files, other processes. The name of this "
    "machine is\n"
    "replaced by HOST wherever it stood.\n";

/// The files of a bundle, without the machine's name `host`.
[[nodiscard]] std::vector<BundleFile> bundle_files(const Facts& facts, const Diagnosis& diagnosis,
                                                   const std::string& host);

/// A ustar archive (POSIX.1-1988), files of mode 0644 that belong to nobody. Throws std::invalid_argument for
/// a name that does not fit.
[[nodiscard]] std::string tar(std::span<const BundleFile> files);

/// Writes the gzip'ed archive to `path` by way of a temporary beside it. Throws std::system_error naming the
/// path.
void write_bundle(const std::string& path, std::span<const BundleFile> files);

}  // namespace harness::autopsy
