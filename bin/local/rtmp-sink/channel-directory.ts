// The channels of the sink: who may publish, and what is live.
import { createHash } from 'node:crypto';
import { Broadcast } from './broadcast.ts';
import type { Channel } from './channel.ts';
import type { PublisherHost } from './publisher-connection.ts';

/** Where there are more channels, those that have ended are forgotten, the oldest first. */
const maxRememberedChannels = 200;

interface ChannelEntry {
  readonly app: string;
  broadcast: Broadcast;
  live: boolean;
  connections: number;
}

/** There is a channel for each application and stream key, with one publisher at a time. */
export class ChannelDirectory implements PublisherHost {
  readonly #entries = new Map<string, ChannelEntry>();

  begin(app: string, streamKey: string): Broadcast | null {
    const id = createHash('sha256').update(`${app}/${streamKey}`).digest('hex').slice(0, 12);
    const known = this.#entries.get(id);
    if (known?.live) return null;
    const broadcast = new Broadcast();
    const connections = (known?.connections ?? 0) + 1;
    this.#entries.set(id, { app: app.replace(/\?.*$/s, ''), broadcast, live: true, connections });
    this.#forgetOldest();
    return broadcast;
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
