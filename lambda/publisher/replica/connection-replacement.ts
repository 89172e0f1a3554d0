// Replaces a connection whose time is over by the next one, and keeps pictures coming meanwhile if it can.
// Decision D69.
//
// States, for one connection at a time:
// - idle: the connection's time is not over. `prepare` leads to preparing.
// - preparing: the plan of the next connection is read, and a bridge over the destination's other URL is built.
//   `isPrepared` turns true when the bridge carries pictures, or was given up.
// - continuing, from `continueAt`: the frame of the change is known, and the next media is being opened.
//   `take` hands it to the next connection, which begins in idle. The bridge still carries the stream.
// `connected` ends the bridge. `drop` returns to idle from any state: the connection failed before its time.
import type { StreamBackend } from '../../domain/streams/stream-words.ts';
import type { Log } from '../../log.ts';
import type { PublishTarget } from '../destination/publishing-ways.ts';
import type { PublishOptions } from '../destination/publisher.ts';
import { Bridge } from './bridge.ts';
import type { BridgeConnection } from './bridge.ts';
import { Figures } from './figures.ts';
import type { LastingPlan } from './lasting-plan.ts';
import type { PublishPlan } from './publish-plan.ts';
import type { OpenMedia } from './stream-media.ts';

/** The plan and the opened media of the next connection. */
export interface Continuation {
  readonly plan: PublishPlan;
  readonly open: OpenMedia;
}

interface Preparation {
  readonly bridge: Bridge;
  /** Null until it is read. */
  readonly nextPlan: () => PublishPlan | null;
}

export interface ConnectionReplacementOptions {
  readonly streamID: string;
  readonly backend: StreamBackend;
  readonly plan: LastingPlan;
  readonly client: PublishOptions;
  /** Waits for the turn of the bridge's connection. @returns the end of that turn */
  readonly takeTurn: (plan: PublishPlan, target: PublishTarget, signal: AbortSignal) => Promise<() => void>;
  readonly steadyClock: () => number;
  readonly log: Log;
}

export class ConnectionReplacement {
  readonly #options: ConnectionReplacementOptions;
  /** For the current connection; null while idle. */
  #preparation: Preparation | null = null;
  /** The last bridge. It may still carry the stream while the next connection begins. */
  #bridge: Bridge | null = null;
  /** The opening of the next media; null unless continuing. */
  #continuing: Promise<Continuation> | null = null;
  #leavesOtherURL = false;

  constructor(options: ConnectionReplacementOptions) {
    this.#options = options;
  }

  /**
   * Begins to read the next connection's plan, and to build a bridge. Further calls for the same connection do nothing.
   * @param mayBridge whether the destination's other URL may carry the stream meanwhile
   * @param signal ends the bridge
   */
  prepare({ mayBridge }: { readonly mayBridge: boolean }, signal: AbortSignal): void {
    if (this.#preparation) return;
    const { streamID, plan, log } = this.#options;
    let nextPlan: PublishPlan | null = null;
    const open = async () => {
      // Both are read before the connection ends, so that no database query delays the change.
      [nextPlan] = await Promise.all([plan.load(), plan.anchor()]);
      return mayBridge ? this.#bridgeOver(nextPlan) : null;
    };
    const onFailure = (error: unknown) => log('session_not_bridged', { streamID, error: String(error) });
    const bridge = new Bridge({ open, onFailure }, signal);
    this.#preparation = { bridge, nextPlan: () => nextPlan };
    this.#bridge = bridge;
  }

  /** Whether the current connection can end: the bridge carries pictures, or there will be none. */
  get isPrepared(): boolean {
    return this.#preparation?.bridge.isDecided ?? false;
  }

  /**
   * Opens the media of the next connection.
   * @param frame the first frame of the next connection, before which the current one ends
   */
  continueAt(frame: number, signal: AbortSignal): void {
    const openAt = async () => {
      const plan = this.#preparation?.nextPlan() ?? (await this.#options.plan.load());
      return { plan, open: await plan.media.open(frame, signal) };
    };
    this.#continuing = openAt();
    // `take` handles the failure.
    this.#continuing.catch(() => {});
  }

  /**
   * Takes the media that was prepared for the next connection.
   * @returns null if there is none or it failed to open: then the connection begins at the present
   */
  async take(): Promise<Continuation | null> {
    const continuing = this.#continuing;
    this.#continuing = null;
    this.#preparation = null;
    try {
      return await continuing;
    } catch (error) {
      const { streamID, log } = this.#options;
      log('session_not_continued', { streamID, error: String(error) });
      return null;
    }
  }

  /** The destination accepts media of the new connection, so the bridge is no longer needed. */
  connected(): void {
    this.#bridge?.leave();
  }

  /**
   * Gives up on the replacement because the connection failed before its time: the next one begins at the present.
   * Resolves when no bridge and no opened media is left.
   */
  async drop(): Promise<void> {
    const dropped = this.#continuing;
    this.#continuing = null;
    const closed = dropped?.then(({ open }) => open.close()).catch(() => {});
    await Promise.all([closed, this.#bridge?.end()]);
  }

  /**
   * Leaves the destination's other URL to a successor, for good. Resolves when no bridge is connected to it.
   */
  async leaveOtherURL(): Promise<void> {
    this.#leavesOtherURL = true;
    await this.#bridge?.end();
  }

  /** @returns the connection over the destination's other URL; null if there is no bridge */
  #bridgeOver(nextPlan: PublishPlan): BridgeConnection | null {
    const { freeTarget: target, media, elapsedMs } = nextPlan;
    const { backend, client, plan, steadyClock, takeTurn } = this.#options;
    // With ffmpeg everything would be encoded twice, and other streams could be late.
    const isCheap = backend !== 'ffmpeg';
    if (!target || this.#leavesOtherURL || !isCheap) return null;
    return {
      target,
      client,
      takeTurn: (signal) => takeTurn(nextPlan, target, signal),
      media,
      elapsedMs,
      steadyClock,
      anchor: () => plan.anchor(),
      figures: new Figures(),
      // Prepared media is never short.
      onShort: () => {},
      connectsFirst: false,
      isPlanned: false,
    };
  }
}
