// A stand-in for YouTube at an address, with a clock and an ingest that the test controls.
import { getRequestListener } from '@hono/node-server';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach } from 'vitest';
import { channelIDOf } from '../../bin/local/rtmp-sink/channel-directory.ts';
import type { Channel } from '../../bin/local/rtmp-sink/channel.ts';
import type { AdminAction } from '../../bin/local/youtube/admin.ts';
import type { IngestServer } from '../../bin/local/youtube/ingest.ts';
import type { StandInSettings } from '../../bin/local/youtube/life-cycle.ts';
import { createYoutubeStandIn, standInOrigins, youtubePath } from '../../bin/local/youtube/stand-in.ts';
import type { StandIn } from '../../bin/local/youtube/stand-in.ts';
import type { Grant, ManagedPlatform } from '../../lambda/ports/managed-platforms/managed-platform.ts';
import { createYoutubePlatform } from '../../lambda/ports/managed-platforms/youtube-platform.ts';

export const youtubeRedirectURI = 'http://127.0.0.1/v1/connections/callback';

/** The state that the admin page shows. */
export interface Shown {
  readonly quota: { readonly used: number; readonly daily: number };
  readonly channels: readonly object[];
  readonly broadcasts: readonly {
    readonly id: string;
    readonly title: string;
    readonly privacyStatus: string;
    readonly lifeCycle: string;
    readonly tags: readonly string[];
    readonly hasThumbnail: boolean;
    readonly actualStartTime: string | null;
    readonly actualEndTime: string | null;
  }[];
  readonly streams: readonly { readonly id: string; readonly title: string }[];
}

/** A received request, for statements about all of them. */
export interface SeenRequest {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly status: number;
}

export class TestYoutube {
  readonly seen: SeenRequest[] = [];
  readonly #server = createServer();
  readonly #settings: Partial<StandInSettings>;
  #channels: Channel[] = [];
  #standIn!: StandIn;
  #offsetMs = 0;
  platform!: ManagedPlatform;

  constructor(settings: Partial<StandInSettings>) {
    this.#settings = settings;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  readonly clock = () => new Date(Date.now() + this.#offsetMs);
  readonly client = { clientID: 'test', clientSecret: 'a client secret for tests', clock: this.clock };

  async start(): Promise<void> {
    const listener = getRequestListener(async (asked) => {
      // Google's client accepts another origin, but no path.
      const url = new URL(asked.url);
      if (!url.pathname.startsWith(youtubePath)) url.pathname = youtubePath + url.pathname;
      const request = new Request(url, asked);
      const response = await this.#standIn(request);
      const { pathname, searchParams: query } = url;
      this.seen.push({ method: request.method, path: pathname, query, status: response.status });
      return response;
    });
    this.#server.on('request', (request, response) => void listener(request, response));
    this.#server.listen(0, '127.0.0.1');
    await once(this.#server, 'listening');
    this.platform = createYoutubePlatform({ ...this.client, origins: standInOrigins(this.url) });
  }

  /** Resets everything to the initial state. */
  begin(stateFile?: string): void {
    this.#offsetMs = 0;
    this.#channels = [];
    this.seen.length = 0;
    this.#standIn = createYoutubeStandIn({
      ...this.client,
      redirectURI: youtubeRedirectURI,
      signingKey: 'test',
      settings: this.#settings,
      ...(stateFile !== undefined && { stateFile }),
    });
    this.#standIn.useIngest({ port: 1935, channels: () => this.#channels, requireKeys: () => {} });
  }

  /** Uses a real ingest in place of the one that the test controls. */
  useIngest(server: IngestServer): void {
    this.#standIn.useIngest(server);
  }

  stop(): void {
    this.#server.close();
    this.#server.closeAllConnections();
  }

  pass(seconds: number): void {
    this.#offsetMs += seconds * 1000;
  }

  /** Media arrive under a key. */
  publish(key: string, facts: Partial<Channel> = {}): void {
    this.#channels.push({
      id: channelIDOf('live2', key),
      app: 'live2',
      live: true,
      connections: 1,
      connectedAt: this.clock(),
      width: 1280,
      height: 720,
      framerate: 30,
      videoCodec: 'h264',
      audioCodec: 'aac',
      videoFrames: 100,
      audioFrames: 100,
      bytes: 1e6,
      bitrateKbps: 3000,
      firstVideoAt: this.clock(),
      lastTimestampMs: 1000,
      keyframeIntervalMs: 2000,
      timestampRegressions: 0,
      ...facts,
    });
  }

  unpublish(): void {
    this.#channels = [];
  }

  /** Carries out an action of the stand-in's page. */
  async admin(action: AdminAction): Promise<Shown> {
    const body = JSON.stringify(action);
    const headers = { 'content-type': 'application/json' };
    const response = await fetch(`${this.url}${youtubePath}/admin`, { method: 'POST', headers, body });
    return (await response.json()) as Shown;
  }

  async shown(): Promise<Shown> {
    return (await (await fetch(`${this.url}${youtubePath}/admin.json`)).json()) as Shown;
  }

  /** Consents on the page, as a user does. */
  async consent(channel = 'UC-local-loops', scopes = this.platform.scopes): Promise<Grant> {
    const verifier = 'a verifier that is as long as a verifier has to be for this';
    const challenge = Buffer.from(await crypto.subtle.digest('SHA-256', Buffer.from(verifier))).toString('base64url');
    const redirectURI = youtubeRedirectURI;
    const url = this.platform.authorizeURL({ state: 'a state', challenge, redirectURI });
    const form: [string, string][] = scopes.map((scope) => ['scope', scope]);
    const body = new URLSearchParams([...form, ['channel', channel], ['outcome', 'allow']]);
    const response = await fetch(url, { method: 'POST', body, redirect: 'manual' });
    const { searchParams: parameters } = new URL(response.headers.get('location')!);
    return this.platform.exchange({ parameters, verifier, redirectURI });
  }
}

/** Starts the stand-in for a test file, and resets it before each test. */
export function youtubeOfTest(settings: Partial<StandInSettings> = {}): TestYoutube {
  const youtube = new TestYoutube(settings);
  beforeAll(() => youtube.start());
  beforeEach(() => youtube.begin());
  afterAll(() => youtube.stop());
  return youtube;
}
