// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include <filesystem>

#include "board/checks.hpp"
#include "file_tree.hpp"

namespace harness {
namespace {

namespace fs = std::filesystem;
using Level = Finding::Level;

constexpr const char* release = "7.2.0";

/// A machine made of files.
class DoctorTest : public ::testing::Test {
 protected:
  DoctorTest() { board_.root = tree_.root(); }

  void file(const std::string& name, const std::string& text = "") const { tree_.file(name, text); }
  void link(const std::string& name, const std::string& target) const { tree_.link(name, target); }

  void gpu(const std::string& driver) const {
    const std::string node = "/sys/bus/platform/devices/fb000000.gpu";
    file(node + "/of_node/compatible", std::string("rockchip,rk3588-mali\0arm,mali-valhall-csf\0", 43));
    if (!driver.empty()) link(node + "/driver", "../../../bus/platform/drivers/" + driver);
  }

  /// An RK3588 on which all is well.
  void rk3588() {
    gpu("panthor");
    file("/proc/sys/kernel/osrelease", std::string(release) + "\n");
    file(std::string("/lib/modules/") + release + "/modules.dep");
    file(std::string("/boot/config-") + release, "CONFIG_MODULES=y\nCONFIG_DRM_PANTHOR=m\n");
    file("/lib/firmware/arm/mali/arch10.8/mali_csffw.bin");
    file("/sys/class/devfreq/fb000000.gpu/cur_freq", "300000000\n");
    file("/sys/class/devfreq/fb000000.gpu/available_frequencies", "300000000 1000000000\n");
    file("/sys/class/devfreq/fb000000.gpu/governor", "simple_ondemand\n");
    file("/sys/class/regulator/regulator.7/name", "vdd_gpu_s0\n");
    file("/sys/class/regulator/regulator.7/microvolts", "675000\n");
    file("/sys/class/regulator/regulator.7/state", "enabled\n");
    file("/sys/bus/platform/devices/fb000000.gpu/power/runtime_status", "suspended\n");
    file("/sys/kernel/debug/pm_genpd/pm_genpd_summary", "domain status children\ngpu off-0 0\n");
    link("/sys/class/drm/renderD128/device/driver", "../../bus/platform/drivers/panthor");
    file("/dev/dri/renderD128");
    file("/run/user/1000/bus");
    file("/usr/share/vulkan/icd.d/panfrost_icd.aarch64.json",
         R"({"ICD": {"api_version": "1.4.0", "library_path": "libvulkan_panfrost.so"}})");
    board_.environment["XDG_RUNTIME_DIR"] = "/run/user/1000";
    board_.kernel_log_readable = true;
    board_.run_job = [] { return std::string(); };
  }

  [[nodiscard]] Finding look(std::string_view name) const {
    for (const Check& check : all_checks())
      if (check.name == name) return check.look(board_);
    ADD_FAILURE() << "no check is named " << name;
    return {};
  }

  FileTree tree_;
  BoardTree board_;
};

TEST_F(DoctorTest, AllIsWellOnAGoodBoard) {
  rk3588();
  for (const Check& check : all_checks()) {
    const Finding finding = check.look(board_);
    EXPECT_EQ(finding.level, Level::good) << check.name << ": " << finding.found;
    EXPECT_EQ(finding.fix, "") << check.name;
  }
}

TEST_F(DoctorTest, NamesTheVendorsBlob) {
  rk3588();
  fs::remove(board_.path("/sys/bus/platform/devices/fb000000.gpu/driver"));
  gpu("mali");
  const Finding finding = look("driver");
  EXPECT_EQ(finding.level, Level::bad);
  EXPECT_NE(finding.found.find("blob"), std::string::npos) << finding.found;
  EXPECT_NE(finding.fix.find("grub-reboot"), std::string::npos) << finding.fix;
}

TEST_F(DoctorTest, AnUnboundNodeAsksForTheModule) {
  gpu("");
  const Finding finding = look("driver");
  EXPECT_EQ(finding.found, "fb000000.gpu: no driver is bound");
  EXPECT_EQ(finding.fix.substr(0, 16), "modprobe panthor");
}

TEST_F(DoctorTest, DebugfsWithoutPowerDomainsNeedsNoMount) {
  rk3588();
  fs::remove_all(board_.path("/sys/kernel/debug/pm_genpd"));
  EXPECT_NE(look("power domain").fix.find("mount"), std::string::npos);
  file("/sys/kernel/debug/dri/0/name");
  EXPECT_EQ(look("power domain").level, Level::unknown);
  EXPECT_EQ(look("power domain").fix.find("mount"), std::string::npos);
}

TEST_F(DoctorTest, AMachineWithoutGpuSaysSoAndNothingThrows) {
  EXPECT_EQ(look("driver").found, "no Mali among the platform devices");
  EXPECT_EQ(look("render node").level, Level::bad);
  for (const Check& check : all_checks()) EXPECT_NO_THROW((void)check.look(board_)) << check.name;
}

TEST_F(DoctorTest, EveryBadLineSaysWhatToType) {
  for (const Check& check : all_checks()) {
    const Finding finding = check.look(board_);
    EXPECT_TRUE(finding.level != Level::bad || !finding.fix.empty()) << check.name;
  }
}

TEST_F(DoctorTest, TheVendorsKernelIsTooOld) {
  file("/proc/sys/kernel/osrelease", "6.1.75-npu-port\n");
  EXPECT_EQ(look("kernel").level, Level::bad);
}

TEST_F(DoctorTest, AKernelWithoutItsModulesIsAWarning) {
  rk3588();
  file("/proc/sys/kernel/osrelease", "7.0.0-rc3-dirty\n");
  EXPECT_EQ(look("kernel").level, Level::warning);
}

TEST_F(DoctorTest, FirmwareIsLookedForByTheGpusArchitecture) {
  rk3588();
  board_.gpu_id = 0xac74'0000;  // arch 10.12
  EXPECT_EQ(look("firmware").level, Level::bad);
  EXPECT_NE(look("firmware").found.find("arch10.12"), std::string::npos);
  file("/lib/firmware/arm/mali/arch10.12/mali_csffw.bin.zst");
  EXPECT_EQ(look("firmware").level, Level::good);
}

TEST_F(DoctorTest, AKernelWithoutPanthorIsBad) {
  rk3588();
  file(std::string("/boot/config-") + release, "# CONFIG_DRM_PANTHOR is not set\n");
  EXPECT_EQ(look("kernel config").level, Level::bad);
}

TEST_F(DoctorTest, TheLogTellsOfAWedge) {
  rk3588();
  board_.kernel_log = {"panthor fb000000.gpu: [drm] *ERROR* job timeout: pid=1, comm=x, seqno=3"};
  EXPECT_EQ(look("kernel log").level, Level::warning);
  board_.kernel_log_readable = false;
  EXPECT_EQ(look("kernel log").level, Level::unknown);
}

TEST_F(DoctorTest, AJobThatHangsIsBad) {
  rk3588();
  board_.run_job = [] { return std::string("fence of the job: not signalled"); };
  EXPECT_EQ(look("job").level, Level::bad);
}

TEST_F(DoctorTest, AnIcdWithoutItsLibraryIsBad) {
  rk3588();
  file("/opt/panvk.json", R"({"ICD": {"library_path": "/opt/libvulkan_panfrost.so"}})");
  board_.environment["VK_DRIVER_FILES"] = "/opt/panvk.json";
  EXPECT_EQ(look("Vulkan driver").level, Level::bad);
  file("/opt/libvulkan_panfrost.so");
  EXPECT_EQ(look("Vulkan driver").level, Level::good);
}

TEST_F(DoctorTest, AHostileManifestIsNoDriver) {
  rk3588();
  board_.environment["VK_DRIVER_FILES"] = "/opt/x.json:/opt/y.json";
  file("/opt/x.json", "[1, 2");
  file("/opt/y.json", R"({"ICD": 7})");
  EXPECT_EQ(look("Vulkan driver").level, Level::warning);
}

TEST_F(DoctorTest, WithoutRuntimeDirectoryItWarns) {
  rk3588();
  board_.environment.clear();
  EXPECT_EQ(look("XDG_RUNTIME_DIR").level, Level::warning);
}

}  // namespace
}  // namespace harness
