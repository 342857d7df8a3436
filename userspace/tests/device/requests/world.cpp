// SPDX-License-Identifier: MIT
#include "requests/request_test.hpp"

namespace panthor::test {
namespace {

/// Handles count from 1 in every file: this many objects in the other file have a handle beyond those of
/// this one.
constexpr unsigned more_than_any_test_has = 16;

template <typename Object, typename... Args>
const Object& make_once(std::optional<Object>& object, Args&&... args) {
  if (!object) object.emplace(std::forward<Args>(args)...);
  return *object;
}

template <typename Object, typename... Args>
const Object& last_of_many(std::vector<Object>& objects, const Args&... args) {
  while (objects.size() < more_than_any_test_has) objects.emplace_back(args...);
  return objects.back();
}

constexpr uint64_t small_range = 1ull << 32;
const TilerHeapOptions small_heap{.initial_chunk_count = 1, .chunk_bytes = 128 << 10, .max_chunks = 1};

}  // namespace

const BufferObject& World::bo() {
  return make_once(bo_, device(), 4 * page);
}

const BufferObject& World::no_mmap_bo() {
  return make_once(no_mmap_bo_, device(), 4 * page, BoFlags::no_mmap);
}

const BufferObject& World::exclusive_bo(const VirtualMemory& vm) {
  return make_once(exclusive_bo_, device(), page, BoFlags::none, &vm);
}

const Group& World::group() {
  return make_once(group_, device(), vm());
}

const VirtualMemory& World::second_vm() {
  return make_once(second_vm_, device(), small_range);
}

const TilerHeap& World::heap() {
  return make_once(heap_, device(), vm(), small_heap);
}

const Syncobj& World::signaled() {
  return make_once(signaled_, device(), true);
}

const Syncobj& World::empty() {
  return make_once(empty_, device());
}

const Syncobj& World::timeline() {
  if (!timeline_) {
    timeline_.emplace(device());
    timeline_->signal_point(10);
  }
  return *timeline_;
}

const Device& World::other() {
  if (!other_) other_.emplace(Device::open(device().path()));
  return *other_;
}

uint32_t World::foreign_vm() {
  return last_of_many(foreign_vms_, other(), small_range).id();
}

uint32_t World::foreign_bo() {
  return last_of_many(foreign_bos_, other(), page).handle();
}

uint32_t World::foreign_group() {
  (void)foreign_vm();
  return last_of_many(foreign_groups_, other(), foreign_vms_.back(),
                      GroupOptions{.queues = {{.ring_bytes = 4096}}})
      .handle();
}

uint32_t World::foreign_syncobj() {
  return last_of_many(foreign_syncobjs_, other()).handle();
}

uint32_t World::foreign_heap() {
  (void)foreign_vm();
  return make_once(foreign_heap_, other(), foreign_vms_.back(), small_heap).handle();
}

}  // namespace panthor::test
