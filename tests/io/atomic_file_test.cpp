#include "rfnn/io/atomic_file.hpp"

#include <unistd.h>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include <csignal>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "io/support.hpp"

namespace rfnn::test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

mode_t mode_of(const std::string& path) {
  struct stat status {};
  ::stat(path.c_str(), &status);
  return status.st_mode & 07777U;
}

TEST(AtomicFile, AppearsWholeAtCommit) {
  const TempFolder folder;
  write_bytes(folder / "m", "old");
  {
    io::AtomicFile file(folder / "m");
    file.write("new ");
    file.write(std::string(1'000'000, 'x'));
    EXPECT_EQ(read_bytes(folder / "m"), "old");
    file.commit();
  }
  EXPECT_EQ(read_bytes(folder / "m"), "new " + std::string(1'000'000, 'x'));
  EXPECT_EQ(folder.files(), 1U);
}

TEST(AtomicFile, WithoutCommitTheOldFileStays) {
  const TempFolder folder;
  write_bytes(folder / "m", "old");
  {
    io::AtomicFile file(folder / "m");
    file.write(std::string(1'000'000, 'x'));
    EXPECT_EQ(read_bytes(folder / "m"), "old");
  }
  EXPECT_EQ(read_bytes(folder / "m"), "old");
  EXPECT_EQ(folder.files(), 1U);
}

TEST(AtomicFile, OverwritesWhatIsWritten) {
  const TempFolder folder;
  io::AtomicFile file(folder / "m");
  file.write("0123456789");
  file.overwrite(2, "ab");
  file.write("!");
  file.commit();
  EXPECT_EQ(read_bytes(folder / "m"), "01ab456789!");
}

TEST(AtomicFile, KeepsTheModeOfTheOldFileAndHonoursTheUmask) {
  const TempFolder folder;
  write_bytes(folder / "old", "x");
  ::chmod((folder / "old").c_str(), 0640);
  const auto write = [&](const char* name) {
    io::AtomicFile file(folder / name);
    file.write("y");
    file.commit();
  };
  write("old");
  EXPECT_EQ(mode_of(folder / "old"), 0640U);
  const mode_t before = ::umask(027);
  write("new");
  ::umask(before);
  EXPECT_EQ(mode_of(folder / "new"), 0640U);
}

TEST(AtomicFile, WritesThroughLinks) {
  const TempFolder folder;
  std::filesystem::create_directory(folder / "there");
  write_bytes(folder / "there/model", "old");
  ASSERT_EQ(::symlink("there/model", (folder / "link").c_str()), 0);
  ASSERT_EQ(::symlink("link", (folder / "link2").c_str()), 0);
  ASSERT_EQ(::symlink("there/fresh", (folder / "dangling").c_str()), 0);
  for (const char* name : {"link2", "dangling"}) {
    io::AtomicFile file(folder / name);
    file.write("new");
    file.commit();
    EXPECT_TRUE(std::filesystem::is_symlink(folder / name));
  }
  EXPECT_EQ(read_bytes(folder / "there/model"), "new");
  EXPECT_EQ(read_bytes(folder / "there/fresh"), "new");
  ASSERT_EQ(::symlink("circle", (folder / "circle").c_str()), 0);
  EXPECT_NE(input_error([&] { io::AtomicFile file(folder / "circle"); }), "");
}

TEST(AtomicFile, AKilledProcessLeavesNothing) {
  const TempFolder folder;
  const int nameless = ::open(folder.path().c_str(), O_TMPFILE | O_RDWR, 0600);
  if (nameless < 0) GTEST_SKIP() << "this file system has no files without names";
  ::close(nameless);
  const pid_t child = ::fork();
  if (child == 0) {
    io::AtomicFile file(folder / "m");
    file.write(std::string(1'000'000, 'x'));
    ::kill(::getpid(), SIGKILL);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  ASSERT_TRUE(WIFSIGNALED(status));
  EXPECT_EQ(folder.files(), 0U);
}

TEST(AtomicFile, RemovesWhatACrashedRunLeft) {
  const TempFolder folder;
  write_bytes(folder / ".m.rfnn-tmp.abc123", "nobody holds its lock");
  write_bytes(folder / ".other.rfnn-tmp.abc123", "of another place");
  write_bytes(folder / ".m.rfnn-tmp.toolong", "not one of ours");
  io::AtomicFile file(folder / "m");
  file.write("new");
  file.commit();
  EXPECT_EQ(folder.files(), 3U);
  EXPECT_TRUE(std::filesystem::exists(folder / ".other.rfnn-tmp.abc123"));
  EXPECT_TRUE(std::filesystem::exists(folder / ".m.rfnn-tmp.toolong"));
}

TEST(AtomicFile, LeavesFilesWhoseWriterLives) {
  const TempFolder folder;
  write_bytes(folder / ".m.rfnn-tmp.abc123", "somebody holds its lock");
  const int held = ::open((folder / ".m.rfnn-tmp.abc123").c_str(), O_RDONLY);
  ASSERT_EQ(::flock(held, LOCK_EX | LOCK_NB), 0);
  io::AtomicFile file(folder / "m");
  file.write("new");
  file.commit();
  EXPECT_TRUE(std::filesystem::exists(folder / ".m.rfnn-tmp.abc123"));
  ::close(held);
  io::AtomicFile again(folder / "m");
  EXPECT_FALSE(std::filesystem::exists(folder / ".m.rfnn-tmp.abc123"));
}

TEST(AtomicFile, RoomIsThatOfTheDisk) {
  const TempFolder folder;
  ASSERT_TRUE(io::room_at(folder / "m").has_value());
  EXPECT_FALSE(io::room_at("/dev/null").has_value());
  EXPECT_FALSE(io::room_at("-").has_value());
  EXPECT_FALSE(io::room_at(folder / "none/m").has_value());
}

TEST(AtomicFile, LeavesFilesThatAreBeingWritten) {
  const TempFolder folder;
  io::AtomicFile first(folder / "m");
  first.write("first");
  {
    io::AtomicFile second(folder / "m");
    second.write("second");
    second.commit();
  }
  EXPECT_EQ(read_bytes(folder / "m"), "second");
  first.commit();
  EXPECT_EQ(read_bytes(folder / "m"), "first");
}

TEST(AtomicFile, ManyAtOnceLeaveOneWholeFile) {
  const TempFolder folder;
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&, t] {
      for (int i = 0; i < 8; ++i) {
        io::AtomicFile file(folder / "m");
        file.write(std::string(10'000, static_cast<char>('a' + t)));
        file.commit();
      }
    });
  for (std::thread& thread : threads) thread.join();
  const std::string text = read_bytes(folder / "m");
  EXPECT_EQ(text, std::string(10'000, text.at(0)));
  EXPECT_EQ(folder.files(), 1U);
}

TEST(AtomicFile, FullDiskIsSaidAndTheOldFileSurvives) {
  EXPECT_THAT(input_error([] {
                io::AtomicFile file("/dev/full");
                file.write("x");
                file.commit();
              }),
              AllOf(HasSubstr("/dev/full"), HasSubstr("disk is full"), HasSubstr("Free some space")));
  // A limit on the size of files fails in the middle of writing, as a full disk does.
  const TempFolder folder;
  write_bytes(folder / "m", "old");
  const pid_t child = ::fork();
  if (child == 0) {
    const rlimit limit{300'000, 300'000};
    ::setrlimit(RLIMIT_FSIZE, &limit);
    std::signal(SIGXFSZ, SIG_IGN);
    const std::string message = input_error([&] {
      io::AtomicFile file(folder / "m");
      file.write(std::string(1'000'000, 'x'));
      file.commit();
    });
    ::_exit(message.find("cannot be written") != std::string::npos && folder.files() == 1 ? 0 : 1);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  EXPECT_EQ(read_bytes(folder / "m"), "old");
}

TEST(AtomicFile, PlacesThatCannotBeWritten) {
  const TempFolder folder;
  write_bytes(folder / "file", "x");
  const auto message = [](const std::string& path) {
    const std::string asked = input_error([&] { io::check_writable(path); });
    EXPECT_EQ(asked, input_error([&] { io::AtomicFile file(path); }));
    return asked;
  };
  EXPECT_THAT(message(folder / "none/m"), AllOf(HasSubstr("none does not exist"), HasSubstr("Create the folder")));
  EXPECT_THAT(message(folder / "file/m"), HasSubstr("is not a folder"));
  EXPECT_THAT(message(folder.path()), HasSubstr("is a folder"));
  EXPECT_THAT(message(folder.path() + "/"), HasSubstr("is a folder"));
  EXPECT_THAT(message(""), HasSubstr("empty"));
  EXPECT_NE(message(folder / std::string(300, 'n')), "");
  EXPECT_EQ(message(folder / std::string(250, 'n')), "") << "a long name that is just possible";
  EXPECT_EQ(message(folder / "fine"), "");
  EXPECT_EQ(message("/dev/null"), "");
  EXPECT_EQ(message("-"), "");
  if (::geteuid() != 0) {
    ::chmod((folder / "file").c_str(), 0444);
    EXPECT_THAT(message(folder / "file"), HasSubstr("may not be written"));
    ::chmod(folder.path().c_str(), 0555);
    EXPECT_THAT(message(folder / "fine"), HasSubstr("not writable"));
    ::chmod(folder.path().c_str(), 0755);
  }
  EXPECT_EQ(folder.files(), 1U);
}

TEST(AtomicFile, StreamsAreWrittenDirectly) {
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  {
    io::AtomicFile file("/dev/fd/" + std::to_string(ends[1]));
    EXPECT_TRUE(file.is_direct());
    file.write("hello");
    file.commit();
  }
  ::close(ends[1]);
  char text[16] = {};
  EXPECT_EQ(::read(ends[0], text, sizeof text), 5);
  EXPECT_STREQ(text, "hello");
  ::close(ends[0]);
}

}  // namespace
}  // namespace rfnn::test
