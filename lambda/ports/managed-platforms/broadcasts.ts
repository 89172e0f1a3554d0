// Port of a platform's broadcasts and ingests: calls and their answers.
import type { quotaShares } from '../../domain/channels/platform-quota.ts';

/** Kind of a call, for the platform's daily quota. */
export type PlatformCall = keyof typeof quotaShares;

/** Wanted state of a broadcast. */
export interface BroadcastDraft {
  /** Rendered from its template, without `<` and `>`, within the platform's length. */
  readonly title: string;
  readonly description: string;
  /** To the second: a broadcast whose creation was not answered is found by it. */
  readonly scheduledStartAt: Date;
  readonly privacy: 'public' | 'unlisted' | 'private';
  /** Null sets none. */
  readonly categoryID: string | null;
  readonly tags: readonly string[];
  readonly madeForKids: boolean;
  readonly latency: 'normal' | 'low' | 'ultraLow';
  readonly dvr: boolean;
  /** Whether the platform takes it live once its ingest has media, without a call of ours. */
  readonly autoStart: boolean;
}

export type BroadcastPhase = 'prepared' | 'starting' | 'live' | 'ended';

/** Destination of a stream. The key is a secret; no other answer of the port has it. */
export interface Ingest {
  /** Null if the platform has one ingest for each channel. */
  readonly externalID: string | null;
  readonly url: string;
  readonly backupURL: string | null;
  readonly key: string;
}

/** @property heldID externalID of the stream's ingest; null before the first */
export interface IngestRequest {
  /**
   * Name of the ingest at the platform, one for each stream: an ingest whose creation was not answered is found by it.
   */
  readonly label: string;
  readonly heldID: string | null;
  readonly accountID: string;
}

export interface InsertedBroadcast {
  readonly externalID: string;
  readonly watchURL: string;
}

export interface HealthIssue {
  /** The platform's own word, such as `gopSizeLong`. */
  readonly type: string;
  readonly severity: 'info' | 'warning' | 'error';
  /** The platform's own sentence, for people. */
  readonly detail: string;
}

export interface Health {
  readonly state: 'good' | 'ok' | 'bad' | 'no_data' | 'unknown';
  readonly issues: readonly HealthIssue[];
}

export interface Observation {
  readonly externalID: string;
  readonly phase: BroadcastPhase;
  readonly ingest: 'active' | 'inactive' | 'unknown';
  /** Null if the platform reports none, as before an ingest is bound. */
  readonly health: Health | null;
}

export interface ThumbnailImage {
  readonly mimeType: 'image/jpeg' | 'image/png';
  readonly bytes: Uint8Array;
}

/** All methods throw PlatformRefusal. Changes may be sent again, except `insert`. */
export interface Broadcasts {
  /** One call. An outcome `uncertain` is resolved by `find`, since a repetition may create a second broadcast. */
  insert(accessToken: string, draft: BroadcastDraft): Promise<InsertedBroadcast>;
  /**
   * Broadcasts with this scheduled start and title that have not ended. They may belong to other streams on the
   * same channel: leave out known ones.
   */
  find(accessToken: string, made: Pick<BroadcastDraft, 'title' | 'scheduledStartAt'>): Promise<InsertedBroadcast[]>;
  bind(accessToken: string, externalID: string, ingestID: string): Promise<void>;
  /** Sets the fields that the phase allows: always title, description and privacy, the rest while it is prepared. */
  update(accessToken: string, externalID: string, draft: BroadcastDraft, phase: BroadcastPhase): Promise<void>;
  /** Refused as `unavailable` for some seconds after `insert`, until the platform has made the broadcast's page. */
  setThumbnail(accessToken: string, externalID: string, image: ThumbnailImage): Promise<void>;
  /**
   * `waiting`: the ingest has no media yet. A refusal changes nothing: a prepared broadcast stays prepared.
   * @throws {PlatformRefusal} `rejected` with `invalidTransition` if the broadcast has ended
   */
  goLive(accessToken: string, externalID: string): Promise<'waiting' | 'starting' | 'live'>;
  /** Completes a broadcast, or deletes it if it was never live. One that has ended, or is gone, is no error. */
  end(accessToken: string, externalID: string, phase: BroadcastPhase): Promise<void>;
  /** @returns existing broadcasts; a missing one was deleted at the platform */
  observe(accessToken: string, externalIDs: readonly string[]): Promise<Observation[]>;
}

/** Title of the current item on a channel without broadcasts. Tags that the platform does not accept are left out. */
export interface ChannelDescription extends Pick<BroadcastDraft, 'title' | 'categoryID' | 'tags'> {
  readonly accountID: string;
}

export interface Audience {
  /** Null if the platform does not report it. */
  readonly live: boolean | null;
  /** Null if the platform does not report it, or hides it. */
  readonly viewers: number | null;
}
