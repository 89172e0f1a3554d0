// A destination that fails in one way after the other, in front of an ingest that accepts everything.
import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import type { AddressInfo, Socket } from 'node:net';

/**
 * `stalled`: it reads nothing. `reset`: it ends each connection every few seconds. `silent`: it loses all data and
 * returns nothing. `hostile`: it floods its publisher.
 */
export const troubles = ['stalled', 'reset', 'silent', 'hostile'] as const;
export type Trouble = (typeof troubles)[number];

export interface ChangingDestination extends Disposable {
  readonly port: number;
  /** Sets the trouble of all its connections, new and old ones; null: none. */
  set(trouble: Trouble | null): void;
}

const resetEveryMs = 4000;

/** @param ports of the ingest and of the hostile destination */
export async function startChangingDestination(ports: {
  readonly ingest: number;
  readonly hostile: number;
}): Promise<ChangingDestination> {
  const pairs = new Set<{ readonly publisher: Socket; readonly server: Socket; readonly isHostile: boolean }>();
  let trouble: Trouble | null = null;
  const listening = createServer({ noDelay: true }, (publisher) => {
    const isHostile = trouble === 'hostile';
    const server = connect({ port: isHostile ? ports.hostile : ports.ingest, host: '127.0.0.1', noDelay: true });
    const pair = { publisher, server, isHostile };
    pairs.add(pair);
    for (const [socket, other] of [
      [publisher, server],
      [server, publisher],
    ] as const) {
      socket.on('data', (bytes) => {
        if (trouble !== 'silent' && !other.write(bytes)) socket.pause();
      });
      socket.on('drain', () => trouble !== 'stalled' && other.resume());
      socket.on('error', () => {});
      socket.once('close', () => {
        pairs.delete(pair);
        other.destroy();
      });
    }
    if (trouble === 'stalled') publisher.pause();
  });
  listening.listen(0, '127.0.0.1');
  await once(listening, 'listening');
  const resetAll = () => {
    for (const { publisher } of pairs) publisher.resetAndDestroy();
  };
  const resetting = setInterval(() => trouble === 'reset' && resetAll(), resetEveryMs);
  return {
    port: (listening.address() as AddressInfo).port,
    set(next) {
      // The ingest did not receive the lost data, so such a connection cannot continue.
      if (trouble === 'silent') resetAll();
      trouble = next;
      for (const { publisher, isHostile } of pairs) {
        if (isHostile !== (next === 'hostile')) publisher.resetAndDestroy();
        else if (next === 'stalled') publisher.pause();
        else publisher.resume();
      }
    },
    [Symbol.dispose]() {
      clearInterval(resetting);
      listening.close();
      for (const { publisher } of pairs) publisher.destroy();
    },
  };
}
