// SPDX-License-Identifier: MIT
#include "panthor/drm_file.hpp"

#include <fcntl.h>

#include <cerrno>
#include <system_error>

#include "gem_handles.hpp"

namespace panthor {
namespace {

UniqueFd open_node(const std::string& path) {
  UniqueFd fd(::open(path.c_str(), O_RDWR | O_CLOEXEC));
  if (!fd) throw std::system_error(errno, std::generic_category(), "open(" + path + ")");
  return fd;
}

}  // namespace

DrmFile::DrmFile(std::string path)
    : fd_(open_node(path)), path_(std::move(path)), gem_handles_(std::make_unique<GemHandles>()) {}

DrmFile::DrmFile(UniqueFd fd, std::string path)
    : fd_(std::move(fd)), path_(std::move(path)), gem_handles_(std::make_unique<GemHandles>()) {}

DrmFile::~DrmFile() = default;

}  // namespace panthor
