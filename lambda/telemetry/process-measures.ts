// What Node measures of this process and its event loop.
import { monitorEventLoopDelay, performance } from 'node:perf_hooks';
import type { Measures } from './measures.ts';

/** Has them read with all others. What costs something while it is measured is measured once somebody has read. */
export function observeProcess(measures: Measures): void {
  const delay = monitorEventLoopDelay({ resolution: 20 });
  let last = performance.eventLoopUtilization();
  let counted = { user: 0, system: 0 };
  measures.observe((say) => {
    const used = process.cpuUsage();
    for (const mode of ['user', 'system'] as const)
      measures.add('process.cpu.time', (used[mode] - counted[mode]) / 1e6, { 'cpu.mode': mode });
    counted = used;
    say('process.memory.usage', process.memoryUsage.rss());
    say('process.uptime', process.uptime());
    const now = performance.eventLoopUtilization();
    say('nodejs.eventloop.utilization', performance.eventLoopUtilization(now, last).utilization);
    last = now;
    say('nodejs.eventloop.delay.p99', delay.percentile(99) / 1e9);
    say('nodejs.eventloop.delay.max', delay.max / 1e9);
    delay.enable();
    delay.reset();
  });
}

interface Pool {
  readonly totalCount: number;
  readonly idleCount: number;
  readonly waitingCount: number;
}

/** Has the connections of a pool read with all others. */
export function observePool(measures: Measures, pool: Pool): void {
  measures.observe((say) => {
    const state = 'db.client.connection.state';
    say('db.client.connection.count', pool.idleCount, { [state]: 'idle' });
    say('db.client.connection.count', pool.totalCount - pool.idleCount, { [state]: 'used' });
    say('db.client.connection.pending_requests', pool.waitingCount);
  });
}
