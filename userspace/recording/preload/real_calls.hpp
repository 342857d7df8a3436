// SPDX-License-Identifier: MIT
#pragma once

#include <dlfcn.h>
#include <stdio.h>
#include <sys/types.h>

namespace preload {

/// The functions behind our own, found on first use: hooks run before any constructor of ours.
template <typename Function>
Function* next_function(const char* name) {
  return reinterpret_cast<Function*>(::dlsym(RTLD_NEXT, name));
}

struct RealCalls {
  int (*open)(const char*, int, ...) = next_function<int(const char*, int, ...)>("open");
  int (*openat)(int, const char*, int, ...) = next_function<int(int, const char*, int, ...)>("openat");
  FILE* (*fopen)(const char*, const char*) = next_function<FILE*(const char*, const char*)>("fopen");
  int (*fclose)(FILE*) = next_function<int(FILE*)>("fclose");
  int (*dup)(int) = next_function<int(int)>("dup");
  int (*dup2)(int, int) = next_function<int(int, int)>("dup2");
  int (*dup3)(int, int, int) = next_function<int(int, int, int)>("dup3");
  int (*fcntl)(int, int, ...) = next_function<int(int, int, ...)>("fcntl");
  int (*ioctl)(int, unsigned long, ...) = next_function<int(int, unsigned long, ...)>("ioctl");
  void* (*mmap)(void*, size_t, int, int, int,
                off_t) = next_function<void*(void*, size_t, int, int, int, off_t)>("mmap");
  int (*munmap)(void*, size_t) = next_function<int(void*, size_t)>("munmap");
  int (*close)(int) = next_function<int(int)>("close");
  int (*close_range)(unsigned, unsigned, int) = next_function<int(unsigned, unsigned, int)>("close_range");
};

[[nodiscard]] const RealCalls& real() noexcept;

}  // namespace preload
