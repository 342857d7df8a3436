// SPDX-License-Identifier: MIT
#include "channel/job.hpp"

#include <nlohmann/json.hpp>
#include <stdexcept>

namespace guests {

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Job::Module, file, parameters)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Job::Bind, host, guest, read_only)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Job, command, environment, directory, rootfs, modules, binds, input,
                                   terminal, rows, columns, poll_ms)

std::string to_json(const Job& job) {
  // Command lines are bytes, not text: what is no UTF-8 would not survive.
  return nlohmann::json(job).dump(1, ' ', true, nlohmann::json::error_handler_t::strict);
}

Job job_from_json(const std::string& text) {
  try {
    return nlohmann::json::parse(text).get<Job>();
  } catch (const nlohmann::json::exception& e) {
    throw std::runtime_error(std::string("job description: ") + e.what());
  }
}

}  // namespace guests
