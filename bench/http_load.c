/* http_load: the client of the benchmarks: http_load PORT SECONDS RATE CONNECTIONS morsel|kannel LOADER TOKEN…
 *
 * Without a rate (0) each connection has one request in flight. With a rate each request has its scheduled time, whatever the
 * answers do, and waits for a connection if all are busy. Its latency counts from the scheduled time, so a gateway that stops
 * for a moment pays for every request that it should have answered meanwhile. After SECONDS no request is sent, but all answers
 * are read, so that the counts are exact. LOADER is a digit: each has its own receivers. The tokens take turns.
 * The result is one line of JSON after the word RESULT.
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum { IN_MAX = 8192, GRACE_SECONDS = 30 };
typedef struct { int fd; int is_busy; double due; size_t len; char in[IN_MAX + 1]; } Conn;
static int ep, port, num_tokens, loader, is_kannel;
static char **tokens;
static Conn *conns, **idle;
static size_t num_conns, num_idle, first_idle, num_waits, max_waits;
static long sent, answered, refused, broken;
static double *waits;

static double now(void) { struct timespec t; clock_gettime(CLOCK_MONOTONIC, &t); return t.tv_sec + t.tv_nsec / 1e9; }
static void open_conn(Conn *c) {
  struct sockaddr_in a = { .sin_family = AF_INET, .sin_port = htons(port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
  int one = 1;
  c->fd = socket(AF_INET, SOCK_STREAM, 0);
  if (connect(c->fd, (void *)&a, sizeof a)) { perror("connect"); exit(1); }
  setsockopt(c->fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
  fcntl(c->fd, F_SETFL, O_NONBLOCK);
  struct epoll_event ev = { .events = EPOLLIN, .data.ptr = c };
  epoll_ctl(ep, EPOLL_CTL_ADD, c->fd, &ev);
}
/* Connections take turns, as those of many clients would. */
static void end_request(Conn *c) { c->is_busy = 0; c->len = 0; idle[(first_idle + num_idle++) % num_conns] = c; }
static void send_request(double due) {
  char body[512], request[1024]; int n;
  Conn *c = idle[first_idle]; first_idle = (first_idle + 1) % num_conns; num_idle--;
  const char *token = tokens[sent++ % num_tokens];
  if (is_kannel) n = snprintf(request, sizeof request, "GET /cgi-bin/sendsms?username=t&password=%s&from=%%2B41791112233&to=%%2B417%d%07ld"
    "&text=Hello+your+code+is+123456&dlr-mask=31&dlr-url= HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n", token, loader, sent);
  else {
    int length = snprintf(body, sizeof body, "{\"auth\":\"%s\",\"sender\":\"+41791112233\",\"receiver\":\"+417%d%07ld\",\"text\":\"Hello your code is 123456\",\"dcs\":\"GSM\"}",
      token, loader, sent);
    n = snprintf(request, sizeof request, "POST /sms/send HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s", length, body);
  }
  c->is_busy = 1; c->due = due;
  /* The rest of a request that was not written would never be answered. The read then finds the closed connection. */
  if (write(c->fd, request, n) != n) shutdown(c->fd, SHUT_RDWR);
}
static void read_answer(Conn *c) {
  ssize_t r = read(c->fd, c->in + c->len, IN_MAX - c->len);
  if (r <= 0) {
    close(c->fd); open_conn(c);
    if (c->is_busy) { broken++; end_request(c); }
    return;
  }
  c->len += r; c->in[c->len] = 0;
  const char *end = strstr(c->in, "\r\n\r\n"), *length = strcasestr(c->in, "\r\ncontent-length:");
  if (!end || !length || c->len < (size_t)(end + 4 - c->in) + atol(length + 17) || !c->is_busy) return;
  if (c->in[9] == '2') answered++; else refused++;
  if (num_waits == max_waits) waits = realloc(waits, (max_waits = max_waits * 2 + 65536) * sizeof *waits);
  waits[num_waits++] = now() - c->due;
  end_request(c);
}
static int by_size(const void *one, const void *other) { double a = *(double *)one, b = *(double *)other; return (a > b) - (a < b); }
static double percentile(double share) { return num_waits ? waits[(size_t)(share * (num_waits - 1))] * 1e6 : 0; }

int main(int argc, char **argv) {
  if (argc < 8) { fputs("http_load PORT SECONDS RATE CONNECTIONS morsel|kannel LOADER TOKEN...\n", stderr); return 2; }
  port = atoi(argv[1]); double seconds = atof(argv[2]), rate = atof(argv[3]);
  num_conns = atoi(argv[4]); is_kannel = !strcmp(argv[5], "kannel"); loader = atoi(argv[6]);
  tokens = argv + 7; num_tokens = argc - 7;
  conns = calloc(num_conns, sizeof *conns); idle = calloc(num_conns, sizeof *idle);
  ep = epoll_create1(0);
  for (size_t i = 0; i < num_conns; i++) { open_conn(conns + i); end_request(conns + i); }
  double start = now(), stop = start + seconds, due = start;
  while ((due < stop || num_idle < num_conns) && now() < stop + GRACE_SECONDS) {
    double t = now();
    if (rate == 0) due = t;
    for (; due < stop && num_idle && due <= t; due = rate == 0 ? t : start + sent / rate) send_request(due);
    double wait = due < stop && num_idle ? due - now() : 0.1;
    struct timespec most = { .tv_nsec = wait < 0 ? 0 : wait > 0.1 ? 100000000 : wait * 1e9 };
    struct epoll_event evs[64]; int n = epoll_pwait2(ep, evs, 64, &most, 0);
    for (int i = 0; i < n; i++) read_answer(evs[i].data.ptr);
  }
  broken += sent - answered - refused - broken;
  qsort(waits, num_waits, sizeof *waits, by_size);
  printf("RESULT {\"sent\":%ld,\"answered\":%ld,\"refused\":%ld,\"broken\":%ld,\"p50\":%.0f,\"p99\":%.0f}\n",
    sent, answered, refused, broken, percentile(0.5), percentile(0.99));
}
