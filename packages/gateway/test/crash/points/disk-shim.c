/*
 * Preloaded into a gateway, for faults of its disk and of its clock.
 *
 * The n-th call of a kind for the database's files fails once. FAULT_KIND is write, sync, read, cut (ftruncate) or map
 * (mmap of the -shm file); FAULT_NTH the n; FAULT_ERROR the number of the error, or 0 for a short write. FAULT_MARK is
 * a file that gets the name of the file when the call has failed.
 *
 * FAULT_CONTROL is a file of three numbers of 64 bits, which a test may change at any time: by how many seconds the
 * clock is wrong, how many ms each sync takes, and the error of each write (0 for none).
 *
 * FAULT_LOG is a file that gets, in order, each change of a file in FAULT_FOLDER after it was made, each sync after it
 * has ended, and what goes to sockets before it goes.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#define REAL(name) static __typeof__(name) *real; if (!real) real = (__typeof__(name) *)dlsym(RTLD_NEXT, #name)
#define pathMax 4096

static const int64_t noControl[3];
static const volatile int64_t *control = noControl;
static int log_fd = -1;
static pthread_mutex_t log_lock = PTHREAD_MUTEX_INITIALIZER;
static atomic_long passes;

enum { clockSeconds, syncMs, writeError };

__attribute__((constructor)) static void prepare(void) {
  const char *name = getenv("FAULT_CONTROL");
  int fd = name ? open(name, O_RDONLY | O_CLOEXEC) : -1;
  if (fd >= 0) control = (int64_t *)syscall(SYS_mmap, 0, sizeof noControl, PROT_READ, MAP_SHARED, fd, 0);
  if (getenv("FAULT_LOG")) log_fd = open(getenv("FAULT_LOG"), O_CREAT | O_WRONLY | O_APPEND | O_CLOEXEC, 0600);
}

static const char *path_of(int fd, char path[pathMax]) {
  char link[64];
  snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  ssize_t length = readlink(link, path, pathMax - 1);
  path[length > 0 ? length : 0] = 0;
  return path;
}

static int ends_with(const char *path, const char *end) {
  size_t length = strlen(path), size = strlen(end);
  return length > size && strcmp(path + length - size, end) == 0;
}

static int is_of_database(const char *path) {
  return ends_with(path, "/morsel.db") || ends_with(path, "/morsel.db-wal") || ends_with(path, "/morsel.db-shm") ||
    ends_with(path, "/morsel.db-commits");
}

/* The error of this call; -1 for none. */
static int due(const char *kind, const char *path) {
  const char *wanted = getenv("FAULT_KIND");
  if (!wanted || strcmp(wanted, kind) != 0 || !is_of_database(path)) return -1;
  if (atomic_fetch_add(&passes, 1) + 1 != atol(getenv("FAULT_NTH"))) return -1;
  int mark = open(getenv("FAULT_MARK"), O_CREAT | O_WRONLY, 0600);
  if (syscall(SYS_write, mark, strrchr(path, '/') + 1, strlen(strrchr(path, '/') + 1)) < 0) abort();
  close(mark);
  return atoi(getenv("FAULT_ERROR"));
}

static int is_logged(const char *path) {
  const char *folder = getenv("FAULT_FOLDER");
  if (log_fd < 0 || ends_with(path, "-shm")) return 0;
  return strncmp(path, folder, strlen(folder)) == 0 || strncmp(path, "socket:", 7) == 0;
}

/* A record: kind, place, size of the name, size of the octets; then the name, and the octets. */
static void record(int64_t kind, int64_t at, const char *name, size_t name_size, const struct iovec *parts, int64_t size) {
  int64_t head[] = {kind, at, name_size, size};
  struct iovec all[18] = {{head, sizeof head}, {(void *)name, name_size}};
  int count = 2;
  for (int64_t left = size; left > 0; count++, parts++) {
    if (count == 18) abort();
    all[count] = *parts;
    if ((int64_t)all[count].iov_len > left) all[count].iov_len = left;
    left -= all[count].iov_len;
  }
  if (syscall(SYS_writev, log_fd, all, count) < 0) abort();
}

#define FAIL(error, result) do { errno = (error); return (result); } while (0)
#define LOCKED(path, call, kind, at, name, size) do { \
    if (!is_logged(path)) return call; \
    pthread_mutex_lock(&log_lock); \
    int result = call, error = errno; \
    if (result == 0) record(kind, at, name, size, 0, 0); \
    pthread_mutex_unlock(&log_lock); \
    FAIL(error, result); \
  } while (0)

static ssize_t really(int fd, const struct iovec *parts, int count, off64_t at) {
  return at < 0 ? syscall(SYS_writev, fd, parts, count) : syscall(SYS_pwritev, fd, parts, count, at, 0L);
}

/* Writes at a place, or where the file stands if it is -1. */
static ssize_t put(int fd, const struct iovec *parts, int count, off64_t at) {
  char path[pathMax];
  path_of(fd, path);
  int error = due("write", path);
  struct iovec half = {parts->iov_base, parts->iov_len / 2};
  if (error == 0) return really(fd, &half, 1, at);
  if (error < 0 && control[writeError] && is_of_database(path)) error = control[writeError];
  if (error > 0) FAIL(error, -1);
  if (!is_logged(path)) return really(fd, parts, count, at);
  int64_t size = 0;
  for (int part = 0; part < count; part++) size += parts[part].iov_len;
  pthread_mutex_lock(&log_lock);
  if (*path == 's') record('o', fd, "", 0, parts, size);
  off64_t from = *path == '/' && at < 0 ? lseek64(fd, 0, SEEK_CUR) : at;
  ssize_t written = really(fd, parts, count, at);
  error = errno;
  if (*path == '/' && written > 0) record('w', from, path, strlen(path), parts, written);
  pthread_mutex_unlock(&log_lock);
  FAIL(error, written);
}

#define ONE(octets, size) &(struct iovec){(void *)octets, size}, 1
ssize_t write(int fd, const void *octets, size_t size) { return put(fd, ONE(octets, size), -1); }
ssize_t pwrite(int fd, const void *octets, size_t size, off_t at) { return put(fd, ONE(octets, size), at); }
ssize_t pwrite64(int fd, const void *octets, size_t size, off64_t at) { return put(fd, ONE(octets, size), at); }
ssize_t writev(int fd, const struct iovec *parts, int count) { return put(fd, parts, count, -1); }
ssize_t pwritev(int fd, const struct iovec *parts, int count, off_t at) { return put(fd, parts, count, at); }
ssize_t pwritev64(int fd, const struct iovec *parts, int count, off64_t at) { return put(fd, parts, count, at); }

#define READ(name, parameters, ...) \
  ssize_t name parameters { \
    REAL(name); \
    char path[pathMax]; \
    int error = due("read", path_of(fd, path)); \
    if (error >= 0) FAIL(error, -1); \
    return real(__VA_ARGS__); \
  }
READ(read, (int fd, void *octets, size_t size), fd, octets, size)
READ(pread, (int fd, void *octets, size_t size, off_t at), fd, octets, size, at)
READ(pread64, (int fd, void *octets, size_t size, off64_t at), fd, octets, size, at)

#define SYNC(name) \
  int name(int fd) { \
    REAL(name); \
    char path[pathMax]; \
    int error = due("sync", path_of(fd, path)); \
    if (error >= 0) FAIL(error, -1); \
    if (is_of_database(path)) { \
      for (struct timespec left = {control[syncMs] / 1000, control[syncMs] % 1000 * 1000000}; nanosleep(&left, &left);) {} \
    } \
    LOCKED(path, real(fd), 's', 0, path, strlen(path)); \
  }
SYNC(fsync)
SYNC(fdatasync)

#define CUT(name, type) \
  int name(int fd, type size) { \
    REAL(name); \
    char path[pathMax]; \
    int error = due("cut", path_of(fd, path)); \
    if (error >= 0) FAIL(error, -1); \
    LOCKED(path, real(fd, size), 't', size, path, strlen(path)); \
  }
CUT(ftruncate, off_t)
CUT(ftruncate64, off64_t)

int unlink(const char *name) {
  REAL(unlink);
  LOCKED(name, real(name), 'u', 0, name, strlen(name));
}

int rename(const char *from, const char *to) {
  REAL(rename);
  char both[2 * pathMax];
  LOCKED(from, real(from, to), 'r', 0, both, (size_t)snprintf(both, sizeof both, "%s%c%s", from, 0, to));
}

#define MAP(name, type) \
  void *name(void *place, size_t size, int access, int flags, int fd, type at) { \
    REAL(name); \
    char path[pathMax]; \
    int error = fd < 0 || !ends_with(path_of(fd, path), "-shm") ? -1 : due("map", path); \
    if (error >= 0) FAIL(error, MAP_FAILED); \
    return real(place, size, access, flags, fd, at); \
  }
MAP(mmap, off_t)
MAP(mmap64, off64_t)

int clock_gettime(clockid_t clock, struct timespec *at) {
  REAL(clock_gettime);
  int result = real(clock, at);
  if (result != 0 || (clock != CLOCK_REALTIME && clock != CLOCK_REALTIME_COARSE)) return result;
  at->tv_sec += control[clockSeconds];
  return 0;
}

int gettimeofday(struct timeval *restrict at, void *restrict zone) {
  REAL(gettimeofday);
  int result = real(at, zone);
  at->tv_sec += control[clockSeconds];
  return result;
}
