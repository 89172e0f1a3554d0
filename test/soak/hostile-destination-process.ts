// The hostile destination as a process of its own, which says how much it has sent when it is asked.
import { once } from 'node:events';
import { startHostileDestination } from './hostile-destination.ts';

export interface HostileOptions {
  /** Of each connection. */
  readonly bytesPerSecond: number;
}

const [{ bytesPerSecond }] = (await once(process, 'message')) as [HostileOptions];
const destination = await startHostileDestination(bytesPerSecond);
process.send!({ rtmpURL: destination.rtmpURL });
process.on('message', () => process.send!({ bytesSent: destination.bytesSent }));
process.on('disconnect', () => process.exit());
