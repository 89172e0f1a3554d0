// What we ask of a platform about a channel's broadcasts and ingests, and what it tells us of them.

/** A kind of call, for the platform's daily quota. */
export type PlatformCall =
  | 'ensureIngest'
  | 'insert'
  | 'bind'
  | 'find'
  | 'goLive'
  | 'end'
  | 'update'
  | 'thumbnail'
  | 'describe'
  | 'observe'
  | 'audience'
  | 'delete';

/** A broadcast as it should be. */
export interface BroadcastDraft {
  /** As rendered from its template: without `<` and `>`, no longer than the platform takes. */
  readonly title: string;
  readonly description: string;
  /** To the second: the fingerprint by which a broadcast is found whose making was not answered. */
  readonly scheduledStartAt: Date;
  readonly privacy: 'public' | 'unlisted' | 'private';
  readonly categoryID: string | null;
  readonly tags: readonly string[];
  readonly madeForKids: boolean;
  readonly latency: 'normal' | 'low' | 'ultraLow';
  readonly dvr: boolean;
  /** Whether the platform takes it live as soon as its ingest has media, without a call of ours. */
  readonly autoStart: boolean;
}

export type BroadcastPhase = 'prepared' | 'starting' | 'live' | 'ended';

/** Where a stream is sent. The key is a secret: it is in no other answer of the port. */
export interface Ingest {
  /** Null where the platform has one ingest for each channel. */
  readonly externalID: string | null;
  readonly url: string;
  readonly backupURL: string | null;
  readonly key: string;
}

/** @property heldID the externalID of the ingest that the stream has had; null before the first */
export interface IngestRequest {
  /** Names the ingest at the platform, once for each stream: one whose making was not answered is found by it. */
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
  /** Null where the platform tells nothing, as before an ingest is bound. */
  readonly health: Health | null;
}

export interface ThumbnailImage {
  readonly mimeType: 'image/jpeg' | 'image/png';
  readonly bytes: Uint8Array;
}

/** All of these throw PlatformRefusal. Those that change something may be sent again, but for `insert`. */
export interface Broadcasts {
  /** One call. An outcome `uncertain` is resolved by `find`, since sending it again may make a second one. */
  insert(accessToken: string, draft: BroadcastDraft): Promise<InsertedBroadcast>;
  /**
   * The broadcasts with a draft's scheduled start and title that have not ended. Other streams may have such ones on
   * the same channel: leave out those that are known.
   */
  find(accessToken: string, draft: BroadcastDraft): Promise<InsertedBroadcast[]>;
  bind(accessToken: string, externalID: string, ingestID: string): Promise<void>;
  /** Sets what the phase allows: title, description and privacy always, the rest while it is prepared. */
  update(accessToken: string, externalID: string, draft: BroadcastDraft, phase: BroadcastPhase): Promise<void>;
  /** Refused as `unavailable` while the platform has not made the broadcast's page yet: seconds after `insert`. */
  setThumbnail(accessToken: string, externalID: string, image: ThumbnailImage): Promise<void>;
  /**
   * `waiting`: the ingest has no media yet. A refusal changes nothing: a broadcast that was prepared stays so.
   * @throws {PlatformRefusal} `rejected` with `invalidTransition` where the broadcast has ended
   */
  goLive(accessToken: string, externalID: string): Promise<'waiting' | 'starting' | 'live'>;
  /** Completes it, or deletes it if it was never live. One that has ended, or is gone, is no error. */
  end(accessToken: string, externalID: string, phase: BroadcastPhase): Promise<void>;
  /** @returns what there is; a broadcast that is missing was deleted at the platform */
  observe(accessToken: string, externalIDs: readonly string[]): Promise<Observation[]>;
}

/** Names what is on air on a channel without broadcasts. */
export interface ChannelDescription {
  readonly accountID: string;
  readonly title: string;
  /** Null sets none. */
  readonly categoryID: string | null;
  /** What the platform does not take as a tag is left out. */
  readonly tags: readonly string[];
}

export interface Audience {
  /** Null where the platform does not say. */
  readonly live: boolean | null;
  /** Null where the platform does not say, or hides it. */
  readonly viewers: number | null;
}
