// SPDX-License-Identifier: MIT
#include "stress/plan.hpp"

#include <algorithm>
#include <vector>

namespace harness {
namespace {

// One number in so many steps, or workers.
constexpr uint64_t gap_every = 32;
constexpr uint64_t hog_every = 32;
constexpr uint64_t own_death_every = 3;
constexpr uint64_t most_calls = 40;
constexpr uint64_t longest_delay_us = 1500;
/// Jobs that never end take slots for good; the firmware of a G610 has 8, and other work must get through.
constexpr unsigned most_endless = 6;
constexpr uint32_t step_domain = 0x57e9;
constexpr uint32_t worker_domain = 0x40c4;

template <typename Random>
uint64_t below(Random& random, uint64_t limit) {
  return random() % limit;
}

}  // namespace

std::mt19937_64 Plan::random(uint64_t number, uint32_t domain) const {
  std::seed_seq seed{options_.seed, domain, static_cast<uint32_t>(number),
                     static_cast<uint32_t>(number >> 32)};
  return std::mt19937_64(seed);
}

StressStep Plan::step(uint64_t number) const {
  auto random = this->random(number, step_domain);
  StressStep step;
  step.slot = static_cast<unsigned>(below(random, options_.processes));
  step.mid_job = below(random, 4) != 0;
  step.delay = std::chrono::microseconds(below(random, longest_delay_us));
  // Drawn whether or not they are wanted: the rest of the run stays the same.
  const bool gap = below(random, gap_every) == 0;
  const auto length = std::chrono::milliseconds(60 + below(random, 400));
  const bool hog = below(random, hog_every) == 0;
  const double share = 0.25 + static_cast<double>(below(random, 64)) / 100;
  if (gap && options_.suspend) step.gap = length;
  if (hog && options_.memory_pressure) step.hog = share;
  return step;
}

WorkerPlan Plan::worker(uint64_t number, unsigned slot) const {
  // It was started by the last step in front of `number` that killed the one before it; 0: when the run
  // began.
  uint64_t started = number;
  while (--started > 0) {
    const StressStep earlier = step(started);
    if (earlier.gap || earlier.slot == slot) break;
  }
  auto random = this->random(started, worker_domain + slot);
  std::vector<const Part*> parts;
  for (const Part& part : all_parts()) {
    const bool allowed = (!part.endless || slot % 2 == 0) && (!part.endless || slot / 2 < most_endless) &&
                         (!part.pressure || options_.memory_pressure);
    if (allowed) parts.insert(parts.end(), part.weight, &part);
  }
  WorkerPlan plan;
  plan.part = parts[below(random, parts.size())];
  plan.seed = static_cast<uint32_t>(random());
  plan.groups = options_.groups;
  const bool own_death = below(random, own_death_every) == 0;
  const auto calls = static_cast<unsigned>(1 + below(random, most_calls));
  if (own_death) plan.dies_at_call = calls;
  return plan;
}

}  // namespace harness
