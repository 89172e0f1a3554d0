// The least work of all: a C program that writes as many bytes to as many sockets, and prints the share of a core.
// usage: write-loop PORT STREAMS BYTES_PER_SECOND TURN_MS PHASES WARM_UP_SECONDS SECONDS
#include <arpa/inet.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

static double cpu_seconds(void) {
  struct rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  return usage.ru_utime.tv_sec + usage.ru_stime.tv_sec + (usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e6;
}

int main(int count, char **arguments) {
  if (count != 8) return 2;
  int port = atoi(arguments[1]), streams = atoi(arguments[2]);
  int turn_ms = atoi(arguments[4]), phases = atoi(arguments[5]);
  long turn_bytes = atol(arguments[3]) * turn_ms / 1000;
  int warm_up = atoi(arguments[6]), seconds = atoi(arguments[7]);
  int turns = 80;
  char *media = malloc(turns * turn_bytes);
  memset(media, 1, turns * turn_bytes);

  int *sockets = malloc(streams * sizeof *sockets);
  struct sockaddr_in address = {
    .sin_family = AF_INET,
    .sin_port = htons(port),
    .sin_addr.s_addr = htonl(INADDR_LOOPBACK),
  };
  for (int index = 0; index < streams; index++) {
    int yes = 1;
    sockets[index] = socket(AF_INET, SOCK_STREAM, 0);
    if (connect(sockets[index], (struct sockaddr *)&address, sizeof address) != 0) return 1;
    setsockopt(sockets[index], IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
  }

  struct timespec next;
  clock_gettime(CLOCK_MONOTONIC, &next);
  long wake_ups = (long)(warm_up + seconds) * 1000 * phases / turn_ms, warm = (long)warm_up * 1000 * phases / turn_ms;
  double before = 0;
  for (long wake_up = 0; wake_up < wake_ups; wake_up++) {
    if (wake_up == warm) before = cpu_seconds();
    const char *turn = media + (wake_up / phases) % turns * turn_bytes;
    for (int index = wake_up % phases; index < streams; index += phases) {
      for (long sent = 0; sent < turn_bytes;) {
        ssize_t taken = write(sockets[index], turn + sent, turn_bytes - sent);
        if (taken < 0) return 1;
        sent += taken;
      }
    }
    next.tv_nsec += (long)turn_ms * 1000000 / phases;
    next.tv_sec += next.tv_nsec / 1000000000;
    next.tv_nsec %= 1000000000;
    clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &next, NULL);
  }
  printf("%f\n", (cpu_seconds() - before) * 100 / seconds);
  return 0;
}
