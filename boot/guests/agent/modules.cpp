// SPDX-License-Identifier: MIT
#include "agent/modules.hpp"

#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

namespace guests::agent {

Modules::Modules(const std::vector<Job::Module>& modules) {
  for (const Job::Module& module : modules) {
    UniqueFd file(::open(module.file.c_str(), O_RDONLY | O_CLOEXEC));
    if (!file) throw std::system_error(errno, std::generic_category(), "open " + module.file);
    opened_.push_back({module.file, module.parameters, std::move(file)});
  }
}

void Modules::load() const {
  for (const Opened& module : opened_)
    if (::syscall(SYS_finit_module, module.file.get(), module.parameters.c_str(), 0) != 0 && errno != EEXIST)
      throw std::system_error(errno, std::generic_category(),
                              "load " + module.name + " " + module.parameters);
}

}  // namespace guests::agent
