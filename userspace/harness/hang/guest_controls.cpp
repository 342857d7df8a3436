// SPDX-License-Identifier: MIT
#include "hang/guest_controls.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <system_error>

#include "panthor/unique_fd.hpp"

namespace harness {
namespace {

constexpr const char* model_control = "/sys/kernel/debug/panthor_vgpu/control";
constexpr const char* plant_parameter = "/sys/module/panthor/parameters/plant";
constexpr const char* detector_parameter = "/sys/module/panthor/parameters/stall_ms";
constexpr const char* coredumps = "/sys/class/devcoredump";
const std::filesystem::path tracefs = "/sys/kernel/tracing";
constexpr const char* trace_events[] = {"gpu_scheduler", "dma_fence", "panthor"};

int write_text(const std::filesystem::path& path, std::string_view text) noexcept {
  const panthor::UniqueFd fd(::open(path.c_str(), O_WRONLY | O_CLOEXEC));
  if (!fd) return errno;
  return ::write(fd.get(), text.data(), text.size()) < 0 ? errno : 0;
}

void must_write(const char* path, const std::string& text) {
  if (const int error = write_text(path, text))
    throw std::system_error(error, std::generic_category(), std::string("write \"") + text + "\" to " + path);
}

/// A command to the virtual GPU; its answer, also why it refuses one (EINVAL), is read from the same file.
void control(const std::string& command) {
  if (const int error = write_text(model_control, command); error != 0 && error != EINVAL)
    throw std::system_error(error, std::generic_category(), model_control);
  std::ifstream in(model_control);
  std::string line, last;
  while (std::getline(in, line)) last = line;
  if (last != "ok") throw std::runtime_error(command + ": " + last);
}

void must_exist(const char* path) {
  if (::access(path, W_OK) != 0) throw std::system_error(errno, std::generic_category(), path);
}

}  // namespace

Causes::Causes(std::vector<std::string> faults, std::string plant)
    : faults_(std::move(faults)), plant_(std::move(plant)) {
  if (!faults_.empty()) must_exist(model_control);
  if (!plant_.empty()) must_exist(plant_parameter);
}

Causes::~Causes() {
  remove();
}

void Causes::arm() {
  for (const std::string& fault : faults_) control("fault arm " + fault);
  if (!plant_.empty()) must_write(plant_parameter, plant_);
}

void Causes::remove() noexcept {
  for (const std::string& fault : faults_)
    (void)write_text(model_control, "fault disarm " + fault.substr(0, fault.find(':')));
  if (!plant_.empty()) (void)write_text(plant_parameter, "\n");
}

void mark_model_log(std::string_view word) noexcept {
  (void)write_text(model_control, "mark " + std::string(word));
}

bool has_detector() noexcept {
  return ::access(detector_parameter, F_OK) == 0;
}

bool has_coredump() {
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(coredumps, error))
    if (entry.path().filename().string().starts_with("devcd")) return true;
  return false;
}

Tracing::Tracing(std::string file) : file_(std::move(file)) {
  if (file_.empty()) return;
  (void)write_text(tracefs / "trace_clock", "mono");
  for (const char* events : trace_events) (void)write_text(tracefs / "events" / events / "enable", "1");
}

Tracing::~Tracing() {
  if (file_.empty()) return;
  for (const char* events : trace_events) (void)write_text(tracefs / "events" / events / "enable", "0");
  std::ifstream in(tracefs / "trace");
  std::ofstream(file_) << in.rdbuf();
}

}  // namespace harness
