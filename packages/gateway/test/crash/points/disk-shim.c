/*
 * Preloaded into a gateway: the n-th write, sync or read of the database's files fails once. FAULT_KIND is write, sync
 * or read; FAULT_NTH the n; FAULT_ERROR the number of the error, or 0 for a short write. FAULT_MARK is a file that is
 * made when the call has failed.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

static atomic_long passes;

static int is_of_database(int fd) {
  static const char *const ends[] = {"/morsel.db", "/morsel.db-wal", "/morsel.db-commits"};
  char link[64], path[4096];
  snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  ssize_t length = readlink(link, path, sizeof path - 1);
  if (length <= 0) return 0;
  path[length] = 0;
  for (size_t at = 0; at < sizeof ends / sizeof *ends; at++) {
    size_t end = strlen(ends[at]);
    if ((size_t)length > end && strcmp(path + length - end, ends[at]) == 0) return 1;
  }
  return 0;
}

/* Whether this call is to fail. */
static int is_due(const char *kind, int fd) {
  const char *wanted = getenv("FAULT_KIND");
  if (!wanted || strcmp(wanted, kind) != 0 || !is_of_database(fd)) return 0;
  if (atomic_fetch_add(&passes, 1) + 1 != atol(getenv("FAULT_NTH"))) return 0;
  close(open(getenv("FAULT_MARK"), O_CREAT | O_WRONLY, 0600));
  return 1;
}

static int fault(void) { return atoi(getenv("FAULT_ERROR")); }

#define REAL(name) static __typeof__(name) *real; if (!real) real = (__typeof__(name) *)dlsym(RTLD_NEXT, #name)
#define FAIL do { errno = fault(); return -1; } while (0)

#define WRITE(name, offset_type) \
  ssize_t name(int fd, const void *octets, size_t size, offset_type at) { \
    REAL(name); \
    if (!is_due("write", fd)) return real(fd, octets, size, at); \
    if (fault() == 0) return real(fd, octets, size / 2, at); \
    FAIL; \
  }
WRITE(pwrite, off_t)
WRITE(pwrite64, off64_t)

#define READ(name, offset_type) \
  ssize_t name(int fd, void *octets, size_t size, offset_type at) { \
    REAL(name); \
    if (!is_due("read", fd)) return real(fd, octets, size, at); \
    FAIL; \
  }
READ(pread, off_t)
READ(pread64, off64_t)

ssize_t write(int fd, const void *octets, size_t size) {
  REAL(write);
  if (!is_due("write", fd)) return real(fd, octets, size);
  if (fault() == 0) return real(fd, octets, size / 2);
  FAIL;
}

ssize_t read(int fd, void *octets, size_t size) {
  REAL(read);
  if (!is_due("read", fd)) return real(fd, octets, size);
  FAIL;
}

#define SYNC(name) \
  int name(int fd) { \
    REAL(name); \
    if (!is_due("sync", fd)) return real(fd); \
    FAIL; \
  }
SYNC(fsync)
SYNC(fdatasync)
