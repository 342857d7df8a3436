// SPDX-License-Identifier: MIT
#include "recordings/recording_file.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include <cerrno>
#include <system_error>

#include "common/unique_fd.hpp"

namespace harness {

RecordingFile::RecordingFile(const std::string& path) : path_(path) {
  const common::UniqueFd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  struct stat status {};
  if (!fd || ::fstat(fd.get(), &status) != 0) throw std::system_error(errno, std::generic_category(), path);
  if (!S_ISREG(status.st_mode)) throw std::runtime_error(path + ": not a regular file");
  const auto size = static_cast<size_t>(status.st_size);
  if (size == 0) return;
  const void* memory = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, fd.get(), 0);
  if (memory == MAP_FAILED) throw std::system_error(errno, std::generic_category(), "mmap of " + path);
  bytes_ = {static_cast<const std::byte*>(memory), size};
}

RecordingFile::~RecordingFile() {
  if (!bytes_.empty()) ::munmap(const_cast<std::byte*>(bytes_.data()), bytes_.size());
}

recording::Reader RecordingFile::reader() const {
  try {
    return recording::Reader(bytes_);
  } catch (const recording::FormatError& error) {
    throw std::runtime_error(path_ + ": " + error.what());
  }
}

}  // namespace harness
