// The hostile destination as a separate process, which reports its sent bytes on request.
import { once } from 'node:events';
import { startHostileDestination } from './hostile-destination.ts';

export interface HostileOptions {
  /** Rate for each connection. */
  readonly bytesPerSecond: number;
}

const [{ bytesPerSecond }] = (await once(process, 'message')) as [HostileOptions];
const destination = await startHostileDestination(bytesPerSecond);
process.send!({ rtmpURL: destination.rtmpURL });
process.on('message', () => process.send!({ bytesSent: destination.bytesSent }));
process.on('disconnect', () => process.exit());
