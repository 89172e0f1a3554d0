// The channels of the sink: who may publish, and which are live.
import { createHash } from 'node:crypto';
import { Broadcast } from './broadcast.ts';
import type { Channel } from './channel.ts';
import type { PublisherHost } from './publisher-connection.ts';

/** The most channels. Beyond that, ended channels are deleted, the oldest first. */
const maxRememberedChannels = 200;

interface ChannelEntry {
  readonly app: string;
  broadcast: Broadcast;
  live: boolean;
  connections: number;
}

/** The first 12 hexadecimal digits of the SHA-256 of APP/KEY. @param app with its query string */
export function channelIDOf(app: string, streamKey: string): string {
  return createHash('sha256').update(`${app}/${streamKey}`).digest('hex').slice(0, 12);
}

function withoutQuery(app: string): string {
  return app.replace(/\?.*$/s, '');
}

/** The channels: one for each application and stream key, with one publisher at a time. */
export class ChannelDirectory implements PublisherHost {
  readonly #entries = new Map<string, ChannelEntry>();
  readonly #keyChecks = new Map<string, (streamKey: string) => boolean>();

  begin(app: string, streamKey: string): Broadcast | null {
    const id = channelIDOf(app, streamKey);
    const known = this.#entries.get(id);
    if (known?.live) return null;
    const broadcast = new Broadcast();
    const connections = (known?.connections ?? 0) + 1;
    this.#entries.set(id, { app: withoutQuery(app), broadcast, live: true, connections });
    this.#forgetOldest();
    return broadcast;
  }

  /** From now on, an application accepts only the stream keys that `isKey` accepts. */
  requireKeys(app: string, isKey: (streamKey: string) => boolean): void {
    this.#keyChecks.set(app, isKey);
  }

  mayPublish(app: string, streamKey: string): boolean {
    return this.#keyChecks.get(withoutQuery(app))?.(streamKey) ?? true;
  }

  end(broadcast: Broadcast): void {
    for (const entry of this.#entries.values()) {
      if (entry.broadcast === broadcast) entry.live = false;
    }
    broadcast.end();
  }

  liveBroadcast(channelID: string): Broadcast | null {
    const entry = this.#entries.get(channelID);
    return entry?.live ? entry.broadcast : null;
  }

  channels(): Channel[] {
    const channels: Channel[] = [];
    for (const [id, { app, broadcast, live, connections }] of this.#entries) {
      channels.push({ id, app, live, connections, ...broadcast.facts() });
    }
    return channels;
  }

  #forgetOldest(): void {
    for (const [id, { live }] of this.#entries) {
      if (this.#entries.size <= maxRememberedChannels) return;
      if (!live) this.#entries.delete(id);
    }
  }
}
