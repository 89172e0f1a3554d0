// Replaces a connection whose time is over: gets the next one ready, and keeps pictures coming meanwhile where it can.
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

/** What a connection goes on with where the one before it ended because its time was over. */
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
  /** Of the connection over the bridge. */
  readonly takeTurn: (plan: PublishPlan, target: PublishTarget, signal: AbortSignal) => Promise<() => void>;
  readonly steadyClock: () => number;
  readonly log: Log;
}

export class ConnectionReplacement {
  readonly #options: ConnectionReplacementOptions;
  /** Of the present connection; null before it begins to be replaced. */
  #preparation: Preparation | null = null;
  /** The last one that was made. It may still carry the stream while the next connection begins. */
  #bridge: Bridge | null = null;
  /** Begun as soon as the present connection knows with which frame it ends. */
  #continuing: Promise<Continuation> | null = null;
  #leavesOtherURL = false;

  constructor(options: ConnectionReplacementOptions) {
    this.#options = options;
  }

  /**
   * Begins to read what the next connection needs, and to bridge the time until it stands. Nothing happens when called
   * again.
   * @param mayBridge whether the destination's other URL may carry the stream meanwhile
   * @param signal ends the bridge
   */
  prepare({ mayBridge }: { readonly mayBridge: boolean }, signal: AbortSignal): void {
    if (this.#preparation) return;
    const { streamID, plan, log } = this.#options;
    let nextPlan: PublishPlan | null = null;
    const open = async () => {
      // Both are read before the connection ends: a database that does not answer must not come between the two.
      [nextPlan] = await Promise.all([plan.load(), plan.anchor()]);
      return mayBridge ? this.#bridgeOver(nextPlan) : null;
    };
    const onFailure = (error: unknown) => log('session_not_bridged', { streamID, error: String(error) });
    const bridge = new Bridge({ open, onFailure }, signal);
    this.#preparation = { bridge, nextPlan: () => nextPlan };
    this.#bridge = bridge;
  }

  /** Whether the present connection can end: the bridge stands, or there will be none. */
  get isPrepared(): boolean {
    return this.#preparation?.bridge.isSettled ?? false;
  }

  /**
   * Opens the media of the next connection.
   * @param frame with which it begins, and before which the present one ends
   */
  continueAt(frame: number, signal: AbortSignal): void {
    const openAt = async () => {
      const plan = this.#preparation?.nextPlan() ?? (await this.#options.plan.load());
      return { plan, open: await plan.media.open(frame, signal) };
    };
    this.#continuing = openAt();
    // Whoever takes the continuation meets its failure.
    this.#continuing.catch(() => {});
  }

  /**
   * Begins the next connection with what was prepared for it.
   * @returns null where nothing was prepared, or where that failed: then the connection begins at the present
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

  /** The destination takes media of the new connection: the bridge is needed no more. */
  connected(): void {
    this.#bridge?.leave();
  }

  /**
   * Gives up on the replacement, as the connection failed before its time: the next one begins at the present. Resolves
   * when nothing is left.
   */
  async drop(): Promise<void> {
    const dropped = this.#continuing;
    this.#continuing = null;
    const closed = dropped?.then(({ open }) => open.close()).catch(() => {});
    await Promise.all([closed, this.#bridge?.end()]);
  }

  /**
   * Leaves the destination's other URL to a successor. Resolves when no bridge is there any more; none comes there
   * again.
   */
  async leaveOtherURL(): Promise<void> {
    this.#leavesOtherURL = true;
    await this.#bridge?.end();
  }

  /** @returns the connection that carries the stream over the destination's other URL; null where there is none */
  #bridgeOver(nextPlan: PublishPlan): BridgeConnection | null {
    const { freeTarget: target, media, elapsedMs } = nextPlan;
    const { backend, client, plan, steadyClock, takeTurn } = this.#options;
    // With ffmpeg everything would be encoded twice, which could cost other streams their time.
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
