// Metrics of this process and its event loop, from Node, and of its connection pool.
import { monitorEventLoopDelay, performance } from 'node:perf_hooks';
import type { Measures } from './measures.ts';

/** Adds the metrics of the process. Costly ones are only measured after the first read. */
export function observeProcess(measures: Measures): void {
  const delay = monitorEventLoopDelay({ resolution: 20 });
  let last = performance.eventLoopUtilization();
  let counted = { user: 0, system: 0 };
  measures.observe((report) => {
    const used = process.cpuUsage();
    for (const mode of ['user', 'system'] as const)
      measures.add('process.cpu.time', (used[mode] - counted[mode]) / 1e6, { 'cpu.mode': mode });
    counted = used;
    report('process.memory.usage', process.memoryUsage.rss());
    report('process.uptime', process.uptime());
    const now = performance.eventLoopUtilization();
    report('nodejs.eventloop.utilization', performance.eventLoopUtilization(now, last).utilization);
    last = now;
    report('nodejs.eventloop.delay.p99', delay.percentile(99) / 1e9);
    report('nodejs.eventloop.delay.max', delay.max / 1e9);
    delay.enable();
    delay.reset();
  });
}

interface Pool {
  readonly totalCount: number;
  readonly idleCount: number;
  readonly waitingCount: number;
}

/** Adds the metrics of a connection pool. */
export function observePool(measures: Measures, pool: Pool): void {
  measures.observe((report) => {
    const state = 'db.client.connection.state';
    report('db.client.connection.count', pool.idleCount, { [state]: 'idle' });
    report('db.client.connection.count', pool.totalCount - pool.idleCount, { [state]: 'used' });
    report('db.client.connection.pending_requests', pool.waitingCount);
  });
}
