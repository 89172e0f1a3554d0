// The door of the live ingest: admits contributors by their keys, and receives their sessions.
import { setTimeout as delay } from 'node:timers/promises';
import type { Pool } from 'pg';
import { databaseOn, inTransaction } from '../data/database.ts';
import type { InputOfStream, LiveInput } from '../data/live/live-inputs.ts';
import { formatOfRun } from '../data/streams/streams.ts';
import type { Stream } from '../data/streams/streams.ts';
import { keptSecondsAfter, placesOf } from '../domain/live/ingest-places.ts';
import type { IngestPlaces } from '../domain/live/ingest-places.ts';
import { hashLiveKey } from '../domain/live/live-key.ts';
import type { StoredSegments } from '../domain/live/segment-chain.ts';
import type { SessionEnd } from '../domain/live/session-end.ts';
import { sessionIDPrefix } from '../domain/live/session-ids.ts';
import { mayBeLost } from '../domain/live/signal-loss.ts';
import { framingOf } from '../domain/playout/look.ts';
import { targetOf } from '../domain/playout/sound.ts';
import { formatName } from '../domain/playout/rendition.ts';
import { isWithin } from '../domain/shared/network-address.ts';
import { livePassphrasePlace } from '../domain/shared/sealed-places.ts';
import type { VideoCodec } from '../domain/shared/video-format.ts';
import type { Log } from '../log.ts';
import { beginSession } from '../orchestration/live/begin-session.ts';
import { KeptBlockWindows } from '../orchestration/live/kept-block-windows.ts';
import { settleTakeovers } from '../orchestration/live/settle-takeovers.ts';
import { applySignal } from '../orchestration/live/signal-losses.ts';
import { applyStableSession, endSession, leaveLateSession, refusalOfStream } from '../orchestration/live/takeovers.ts';
import type { Sealer } from '../ports/sealer/sealer.ts';
import { encoderKind } from '../publisher/ffmpeg/encoder-arguments.ts';
import type { EncoderSettings } from '../publisher/ffmpeg/encoder-arguments.ts';
import type { MediaTools } from '../publisher/media/media-tools.ts';
import type {
  ContributionClaim,
  ContributionDoor,
  ContributionReceiver,
  ContributionRefusal,
  EncryptionFault,
} from './contribution.ts';
import { InputRests } from './input-rests.ts';
import { LivePlaces } from './live-places.ts';
import { ReceivedSession } from './received-session.ts';
import type { SegmentStore, SessionProgress, SessionRecords } from './received-session.ts';

export interface LiveIngestOptions {
  readonly pool: Pool;
  /** Opens passphrases of live inputs, and nothing else. Null: no contributor comes over SRT. */
  readonly sealer: Sealer | null;
  readonly objects: SegmentStore;
  readonly tools: MediaTools;
  readonly encoderFor: (videoCodec: VideoCodec) => Promise<EncoderSettings>;
  /** The places for the sessions that are received at once. */
  readonly places: IngestPlaces;
  /** Called with the number of running sessions, whenever it changes. */
  readonly onSessions?: (count: number) => void;
  readonly newID: (prefix: string) => string;
  readonly clock: () => Date;
  /** Milliseconds that never go back. */
  readonly steadyClock: () => number;
  readonly log: Log;
}

/** Refusals whose reasons the listener answers. */
const namedRefusals = [
  'share_used',
  'unfunded_share_used',
  'too_demanding',
  'resting',
  'wrong_passphrase',
  'unencrypted',
  'encrypted',
] as const;
/** Ends that lie with the contributor. Those by an overload do as well. */
const ownEnds: ReadonlySet<SessionEnd> = new Set([
  'disconnected',
  'replaced',
  'format_changed',
  'undecodable',
  'too_demanding',
]);
const settleEveryMs = 1000;
/** After an outage of the database, other ingests have this time to report before their sessions count as silent. */
const reportsWithinMs = 10_000;
/** An end that could not be recorded is recorded again after this time: no other process knows what was stored. */
const recordAgainMs = 1000;

export class LiveIngest implements ContributionDoor, AsyncDisposable {
  readonly #options: LiveIngestOptions;
  /** Running sessions by their inputs. */
  readonly #sessions = new Map<string, ReceivedSession>();
  readonly #places: LivePlaces;
  readonly #rests = new InputRests();
  readonly #settling: NodeJS.Timeout;
  /** Sessions whose ends are not recorded yet. */
  readonly #held = new Set<string>();
  #isSettling = false;
  readonly #windows = new KeptBlockWindows();
  #isOver = false;
  /** The last time at which the database did not answer. */
  #failedAtMs = -Infinity;
  #isLeaving = false;

  constructor(options: LiveIngestOptions) {
    this.#options = options;
    this.#places = new LivePlaces(options.places, options.steadyClock);
    this.#settling = setInterval(() => void this.#settle(), settleEveryMs);
  }

  async admit(claim: ContributionClaim, disconnect: () => void): Promise<ContributionReceiver | ContributionRefusal> {
    const keySha256 = hashLiveKey(claim.key);
    const found = await databaseOn(this.#options.pool).liveInputs.ofKey(keySha256);
    if (!found) return 'unknown_key';
    if (this.#isLeaving) return this.#refuse(found, 'ingest_leaves');
    if (!isFromAllowed(found.input, claim.address)) return this.#refuse(found, 'address_not_allowed');
    const fault = await this.#encryptionFaultOf(found.input, claim);
    if (fault) return this.#refuse(found, fault);
    const offAir = refusalOfStream(found.stream) ?? (found.failsTooLong ? 'stream_failing' : null);
    if (offAir) return this.#refuse(found, offAir);
    if (this.#rests.isResting(found.input.id, this.#options.steadyClock())) return this.#refuse(found, 'resting');
    const encoder = await this.#options.encoderFor(formatOfRun(found.stream).videoCodec);
    // Those who are being admitted count, as several may come at once.
    const places = this.#takePlaces(found, encoder);
    if (typeof places === 'string') return this.#refuse(found, places);
    using taken = new DisposableStack();
    taken.use(places);
    const refusal = await this.#refusalOf(found.input);
    if (refusal) return this.#refuse(found, refusal);
    const received = await this.#begin(found, encoder, keySha256, claim, disconnect);
    if (typeof received === 'string') return this.#refuse(found, received);
    const held = taken.move();
    void received.finished.then(() => {
      places.keepFor(keptSecondsAfter(received.lostSeconds));
      held.dispose();
    });
    return received;
  }

  /** The places of running sessions, and of those that begin or end. */
  get placesInUse(): number {
    return this.#places.inUse;
  }

  #takePlaces({ input, stream }: InputOfStream, encoder: EncoderSettings): ReturnType<LivePlaces['take']> {
    const places = placesOf(formatOfRun(stream), { isOnGpu: !('preset' in encoder) });
    return this.#places.take({ id: input.id, userID: input.user_id, isFunded: input.is_funded, places });
  }

  #refuse({ input }: InputOfStream, reason: string): ContributionRefusal {
    const { id: liveInputID, user_id: userID } = input;
    this.#options.log('live_session_refused', { liveInputID, userID, reason });
    return namedRefusals.find((each) => each === reason) ?? 'not_wanted';
  }

  /** Compares a passphrase before the contributor takes a place, or replaces another one. */
  async #encryptionFaultOf(
    { id, has_passphrase: hasPassphrase }: LiveInput,
    { encryption }: ContributionClaim,
  ): Promise<EncryptionFault | null> {
    if (!encryption) return null;
    const { pool, sealer } = this.#options;
    const sealed = hasPassphrase ? await databaseOn(pool).liveInputs.sealedPassphraseOf(id) : null;
    if (sealed && !sealer) throw new Error('this ingest cannot open passphrases');
    return encryption.faultFor(sealed && sealer!.open(sealed, livePassphrasePlace(id)));
  }

  /** Refuses further contributors. Resolves when all running sessions have ended. */
  async leave(): Promise<void> {
    this.#isLeaving = true;
    while (this.#sessions.size > 0) await Promise.all([...this.#sessions.values()].map(({ finished }) => finished));
  }

  /** Ends all sessions. */
  async [Symbol.asyncDispose](): Promise<void> {
    clearInterval(this.#settling);
    this.#isOver = true;
    const sessions = [...this.#sessions.values()];
    for (const session of sessions) session.leave('lost');
    await Promise.all(sessions.map(({ finished }) => finished));
  }

  /** The reason to refuse a contributor of an input beside another one; null: there is none. */
  async #refusalOf(input: LiveInput): Promise<string | null> {
    // A contributor who comes back at once is not a second one.
    const before = this.#sessions.get(input.id);
    if (before?.isOver) await before.finished;
    const running = await databaseOn(this.#options.pool).liveSessions.runningOf(input.id);
    if (running && input.second_publisher === 'refuse') return 'second_publisher';
    if (running) await this.#replace(input, running.id);
    return null;
  }

  async #replace(input: LiveInput, sessionID: string): Promise<void> {
    const session = this.#sessions.get(input.id);
    session?.leave('replaced');
    if (session) await session.finished;
    else await this.#end(sessionID, 'replaced', null);
  }

  async #begin(
    { input, stream }: InputOfStream,
    encoder: EncoderSettings,
    keySha256: Buffer,
    { protocol, address }: ContributionClaim,
    disconnect: () => void,
  ): Promise<ReceivedSession | string> {
    const { pool, newID, onSessions, log } = this.#options;
    const id = newID(sessionIDPrefix);
    const format = formatOfRun(stream);
    const framing = framingOf(null, stream.look, null);
    const made = { format: formatName(format), encoder: encoderKind(encoder) };
    const session = { id, liveInputID: input.id, protocol, address, ...made };
    const refusal = await inTransaction(pool, (data) => beginSession(data, input, session));
    if (refusal) return refusal;
    log('live_session_began', { sessionID: id, liveInputID: input.id, streamID: stream.id, protocol });
    const records = this.#recordsOf(id, input, stream, keySha256);
    const received = new ReceivedSession({
      ...this.#options,
      id,
      format: { ...format, ...(framing !== undefined && { framing }) },
      encoder,
      targetLUFS: targetOf(null, stream.sound),
      records,
      disconnect,
    });
    this.#sessions.set(input.id, received);
    void this.#noteEnd(input.id, received);
    this.#held.add(id);
    onSessions?.(this.#sessions.size);
    void received.finished.then(() => {
      if (this.#sessions.get(input.id) === received) this.#sessions.delete(input.id);
      onSessions?.(this.#sessions.size);
    });
    return received;
  }

  /** Lets an input rest whose sessions end soon, or are too much for this machine, again and again. */
  async #noteEnd(inputID: string, session: ReceivedSession): Promise<void> {
    const { steadyClock } = this.#options;
    const beganAtMs = steadyClock();
    const end = await session.left;
    const { isOverloaded } = session;
    if (isOverloaded || ownEnds.has(end)) this.#rests.note(inputID, { beganAtMs, isOverloaded }, steadyClock());
  }

  #recordsOf(id: string, input: LiveInput, stream: Stream, keySha256: Buffer): SessionRecords {
    const { pool } = this.#options;
    let [isStable, isLost] = [false, false];
    return {
      report: async (progress: SessionProgress) => {
        const report = { id, ...progress };
        const end = await databaseOn(pool).liveSessions.report(report, keySha256);
        const isWanted = end === null;
        isLost ||= mayBeLost(progress.signal);
        if (isLost && isWanted) isLost = await this.#applySignal(id, input, stream, progress);
        if (isLost) isStable = false;
        else if (isStable) isStable = !(await this.#leaveLate(id, stream, progress));
        else isStable = isWanted && (await this.#becomeStable(input, stream));
        return end;
      },
      end: (reason, stored) => this.#endForSure(id, reason, stored),
    };
  }

  /** Lets a session take over once it is stable. @returns whether it is */
  async #becomeStable(input: LiveInput, stream: Stream): Promise<boolean> {
    const { pool, newID, clock } = this.#options;
    return inTransaction(pool, async (data) => {
      const locked = await data.streams.lock(stream.user_id, stream.id);
      const current = await data.liveInputs.find(input.user_id, input.id);
      if (!locked || !current) return false;
      return applyStableSession(data, locked, current, { id: newID('tko'), now: clock() });
    });
  }

  /** Loses a session that is silent or black for too long, or lets it return. @returns whether it is lost */
  async #applySignal(
    sessionID: string,
    input: LiveInput,
    stream: Stream,
    { signal }: SessionProgress,
  ): Promise<boolean> {
    const { pool, clock } = this.#options;
    return inTransaction(pool, async (data) => {
      const locked = await data.streams.lock(stream.user_id, stream.id);
      const current = await data.liveInputs.find(input.user_id, input.id);
      if (!locked || !current) return false;
      return applySignal(data, locked, current, { sessionID, signal, now: clock() });
    });
  }

  /** @returns whether the stream has left the session, as its segments come too late */
  async #leaveLate(sessionID: string, stream: Stream, { stored }: SessionProgress): Promise<boolean> {
    const { pool, clock } = this.#options;
    return inTransaction(pool, async (data) => {
      const locked = await data.streams.lock(stream.user_id, stream.id);
      const late = { sessionID, segmentCount: stored.count, now: clock() };
      return locked !== null && leaveLateSession(data, locked, late);
    });
  }

  /** Ends a session, also if the database is away for long. */
  async #endForSure(id: string, reason: SessionEnd, stored: StoredSegments): Promise<void> {
    for (;;) {
      try {
        await this.#end(id, reason, stored);
        this.#held.delete(id);
        return;
      } catch (error) {
        if (this.#isOver) throw error;
        await delay(recordAgainMs);
      }
    }
  }

  async #end(id: string, reason: SessionEnd, stored: StoredSegments | null): Promise<void> {
    const { pool, clock, log } = this.#options;
    log('live_session_ended', { sessionID: id, reason, segments: stored?.count });
    await inTransaction(pool, (data) => endSession(data, id, { reason, stored, now: clock() }));
  }

  async #settle(): Promise<void> {
    if (this.#isSettling) return;
    this.#isSettling = true;
    const { pool, newID, clock, steadyClock, log } = this.#options;
    const endsSilent = steadyClock() - this.#failedAtMs > reportsWithinMs;
    const settling = { own: this.#held, windows: this.#windows, endsSilent };
    const failures = await settleTakeovers(pool, { newID, clock }, settling).catch((error: unknown) => {
      this.#failedAtMs = steadyClock();
      log('takeovers_not_settled', { error: String(error) });
      return [];
    });
    for (const { id, error } of failures) log('takeover_not_settled', { id, error: String(error) });
    this.#isSettling = false;
  }
}

function isFromAllowed({ allow }: LiveInput, address: string): boolean {
  return allow.length === 0 || isWithin(address, allow);
}
