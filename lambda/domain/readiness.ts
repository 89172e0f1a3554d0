// Whether a stream can start, judged from stored facts alone, and for each thing that is missing what to do.
import type { IngestExcess } from './ingest-limits.ts';
import type { VideoCodec } from './video-format.ts';

export const readinessPaths = [
  'VIDEO',
  'AUDIO',
  'PLAYLIST',
  'DESTINATION',
  'MANAGED',
  'BILLING',
  'SCHEDULE',
  'STREAM',
] as const;
export const readinessStages = ['PREFLIGHT', 'PREPARATION'] as const;

export interface ReadinessIssue {
  readonly code: ReadinessCode;
  readonly error: string;
  readonly path: (typeof readinessPaths)[number];
  readonly stage: (typeof readinessStages)[number];
  readonly suggestion: string;
}

/**
 * Every issue there is: stable codes, with the part of the stream to look at and what to do about it. Those of stage PREFLIGHT keep the
 * stream from starting; those of PREPARATION say what the start will leave out.
 */
const issueTable = {
  no_video: ['VIDEO', 'The stream has nothing to show.', 'Set playlistIDs or videoUploadObjectID.'],
  upload_missing: ['VIDEO', 'The video upload does not exist.', 'Name an upload of yours in videoUploadObjectID.'],
  upload_not_uploaded: [
    'VIDEO',
    'The bytes of the video have not been uploaded.',
    'PUT them to the upload URL, then call complete; an import only has to finish.',
  ],
  upload_not_probed: ['VIDEO', 'The video is still being examined.', 'Wait until its probeState is completed.'],
  upload_unusable: ['VIDEO', 'The video cannot be played.', "Read the upload's failure, then upload another file."],
  upload_not_visual: [
    'VIDEO',
    'The upload named as video has no picture.',
    'Name a video or an image; use audioUploadObjectID for sound.',
  ],
  audio_missing: ['AUDIO', 'The audio upload does not exist.', 'Name an upload of yours in audioUploadObjectID.'],
  audio_not_uploaded: [
    'AUDIO',
    'The bytes of the audio have not been uploaded.',
    'PUT them to the upload URL, then call complete; an import only has to finish.',
  ],
  audio_not_probed: ['AUDIO', 'The audio is still being examined.', 'Wait until its probeState is completed.'],
  audio_unusable: ['AUDIO', 'The audio cannot be played.', "Read the upload's failure, then upload another file."],
  audio_silent: ['AUDIO', 'The upload named as audio has no sound.', 'Name an upload that has an audio track.'],
  playlist_missing: ['PLAYLIST', 'A playlist of the stream does not exist.', 'Name playlists of yours in playlistIDs.'],
  playlist_empty: ['PLAYLIST', 'A playlist of the stream has no items.', 'Add items with apply_playlist_operations.'],
  playlist_not_probed: [
    'PLAYLIST',
    'The items of a playlist are still being examined.',
    'Wait until the probeState of an upload in it is completed.',
  ],
  playlist_not_playable: [
    'PLAYLIST',
    'No item of a playlist can be played.',
    'Read the failure of each item in get_playlist, then replace the items.',
  ],
  destination_missing: ['DESTINATION', 'The stream has no destination.', 'Create a destination and set destinationID.'],
  destination_archived: ['DESTINATION', 'The destination is archived.', 'Choose another destination.'],
  destination_forbidden: [
    'DESTINATION',
    "The destination's address may not be used here.",
    'Use a public rtmp:// or rtmps:// address.',
  ],
  destination_limit: [
    'DESTINATION',
    'The destination does not take this quality, framerate or codec.',
    'Choose a lower quality or framerate, and videoCodec h264.',
  ],
  backup_url_missing: [
    'DESTINATION',
    'The destination has no backup address.',
    'Set backupRtmpURL on the destination, or runBackupStream to false.',
  ],
  managed_not_connected: [
    'MANAGED',
    'No managed connection is set up.',
    'Connect one, or use an RTMP destination instead.',
  ],
  no_credits: ['BILLING', 'There are no credits left.', 'Buy credits with create_top_up.'],
  schedule_end_past: ['SCHEDULE', "The schedule's end has passed.", 'Set a later scheduleEndAt, or clear it.'],
  playlist_items_pending: [
    'PLAYLIST',
    'Some items of a playlist are still being examined.',
    'Wait until they are, or start: they join the running stream then.',
    'PREPARATION',
  ],
  playlist_items_skipped: [
    'PLAYLIST',
    'Some items of a playlist cannot be played.',
    'Read the failure of each item in get_playlist, then replace or remove it. A start leaves them out.',
    'PREPARATION',
  ],
} as const satisfies Record<string, readonly [(typeof readinessPaths)[number], string, string, 'PREPARATION'?]>;

export type ReadinessCode = keyof typeof issueTable;
export const readinessCodes = Object.keys(issueTable) as [ReadinessCode, ...ReadinessCode[]];

/** What is known of an upload that a stream names. */
export interface UploadFacts {
  readonly uploaded: boolean;
  readonly probeState: 'pending' | 'completed' | 'failed';
  readonly hasVideo: boolean;
  readonly hasAudio: boolean;
}

/** What is known of a playlist that a stream plays: its draft if that has items, else its live snapshot. */
export interface PlaylistFacts {
  readonly kind: 'video' | 'audio';
  readonly items: readonly (UploadFacts | null)[];
}

/** What is known of a destination. */
export interface DestinationFacts {
  readonly archived: boolean;
  readonly allowed: boolean;
  readonly hasBackupURL: boolean;
  /** Platforms behind the addresses that would be used which do not take the stream's quality, framerate or codec. */
  readonly excesses: readonly IngestExcess[];
}

/** Everything that start and readiness look at. `null` stands for "named, but not there"; `undefined` for "not named". */
export interface StreamFacts {
  readonly playlists: readonly (PlaylistFacts | null)[];
  readonly videoUpload?: UploadFacts | null | undefined;
  readonly audioUpload?: UploadFacts | null | undefined;
  readonly destination?: DestinationFacts | null | undefined;
  readonly wantsBackup: boolean;
  readonly managed: boolean;
  readonly creditsLeft: number;
  readonly scheduleEndAt: Date | null;
}

/** A code, where the case at hand has more to say with words of its own. */
type Finding = ReadinessCode | (Pick<ReadinessIssue, 'error' | 'suggestion'> & { readonly code: ReadinessCode });

/** The same judgement for GET readiness, start, PATCH status ACTIVE and a schedule that fires. What keeps the stream from starting comes first. */
export function judgeReadiness(facts: StreamFacts, now: Date): ReadinessIssue[] {
  const findings: Finding[] = [
    ...judgeVideo(facts),
    ...judgeAudio(facts),
    ...judgeDestination(facts),
    ...(facts.creditsLeft > 0 ? [] : (['no_credits'] as const)),
    ...(facts.scheduleEndAt !== null && facts.scheduleEndAt <= now ? (['schedule_end_past'] as const) : []),
  ];
  const issues = [...new Set(findings)].map((finding): ReadinessIssue => {
    const code = typeof finding === 'string' ? finding : finding.code;
    const [path, error, suggestion, stage = 'PREFLIGHT'] = issueTable[code];
    return { code, error, path, stage, suggestion, ...(typeof finding === 'string' ? {} : finding) };
  });
  return [...issues.filter(isBlocking), ...issues.filter((issue) => !isBlocking(issue))];
}

/** Whether an issue keeps the stream from starting. */
export function isBlocking(issue: ReadinessIssue): boolean {
  return issue.stage === 'PREFLIGHT';
}

function judgeVideo(facts: StreamFacts): Finding[] {
  const video = facts.playlists.filter((playlist) => playlist?.kind !== 'audio');
  if (video.length > 0) return video.flatMap(judgePlaylist);
  const upload = facts.videoUpload;
  if (upload === undefined) return ['no_video'];
  if (upload === null) return ['upload_missing'];
  if (upload.probeState === 'failed') return ['upload_unusable'];
  if (!upload.uploaded) return ['upload_not_uploaded'];
  if (upload.probeState !== 'completed') return ['upload_not_probed'];
  return upload.hasVideo ? [] : ['upload_not_visual'];
}

function judgeAudio(facts: StreamFacts): Finding[] {
  const audio = facts.playlists.filter((playlist) => playlist?.kind === 'audio');
  if (audio.length > 0) return audio.flatMap(judgePlaylist);
  const upload = facts.audioUpload;
  if (upload === undefined) return [];
  if (upload === null) return ['audio_missing'];
  if (upload.probeState === 'failed') return ['audio_unusable'];
  if (!upload.uploaded) return ['audio_not_uploaded'];
  if (upload.probeState !== 'completed') return ['audio_not_probed'];
  return upload.hasAudio ? [] : ['audio_silent'];
}

/** One bad item never keeps a stream from starting, but is not passed over in silence; a playlist without a single playable one does. */
function judgePlaylist(playlist: PlaylistFacts | null): Finding[] {
  if (playlist === null) return ['playlist_missing'];
  const { items, kind } = playlist;
  if (items.length === 0) return ['playlist_empty'];
  const pending = items.filter(isPending).length;
  const playable = items.filter((item) => isPlayable(item, kind)).length;
  const skipped = items.length - playable - pending;
  if (playable === 0) return [pending > 0 ? 'playlist_not_probed' : 'playlist_not_playable'];
  const countOf = (code: 'playlist_items_pending' | 'playlist_items_skipped', count: number, what: string): Finding[] =>
    count === 0
      ? []
      : [
          {
            code,
            error: `${count} of the ${items.length} items of the ${kind} playlist ${what}.`,
            suggestion: issueTable[code][2],
          },
        ];
  return [
    ...countOf('playlist_items_pending', pending, 'are still being examined'),
    ...countOf('playlist_items_skipped', skipped, 'cannot be played'),
  ];
}

/** Whether it will be known soon if an item can be played. */
export function isPending(upload: UploadFacts | null): boolean {
  return upload !== null && upload.uploaded && upload.probeState === 'pending';
}

/** Whether an item of a playlist of this kind can be played: probed, and with the picture or sound that the playlist is for. */
export function isPlayable(upload: UploadFacts | null, kind: 'video' | 'audio'): boolean {
  return upload !== null && upload.probeState === 'completed' && (kind === 'video' ? upload.hasVideo : upload.hasAudio);
}

/** Why an item of a playlist of this kind is left out; null when it is played, or when that is not known yet. */
export function failureOfItem(
  upload: (UploadFacts & { readonly failure: { code: string; detail: string } | null }) | null,
  kind: 'video' | 'audio',
): { code: string; detail: string } | null {
  if (isPlayable(upload, kind) || isPending(upload)) return null;
  if (upload === null)
    return { code: 'upload_missing', detail: 'The upload does not exist any more. Remove the item.' };
  if (!upload.uploaded) return { code: 'upload_not_uploaded', detail: issueTable.upload_not_uploaded[2] };
  if (upload.failure) return upload.failure;
  return kind === 'video'
    ? { code: 'upload_not_visual', detail: 'The upload has no picture. Put it into a playlist of kind audio.' }
    : { code: 'audio_silent', detail: 'The upload has no sound. Replace it by one that has.' };
}

function judgeDestination(facts: StreamFacts): Finding[] {
  if (facts.managed) return ['managed_not_connected'];
  const destination = facts.destination;
  if (destination === undefined || destination === null) return ['destination_missing'];
  return [
    ...(destination.archived ? (['destination_archived'] as const) : []),
    ...(destination.allowed ? [] : (['destination_forbidden'] as const)),
    ...destination.excesses.flatMap(findExcess),
    ...(facts.wantsBackup && !destination.hasBackupURL ? (['backup_url_missing'] as const) : []),
  ];
}

const codecNames: Record<VideoCodec, string> = { h264: 'H.264', hevc: 'HEVC', av1: 'AV1' };

/** One issue for each setting that is to be changed: both are said at once. */
function findExcess({ platform, videoCodecs, taken }: IngestExcess): Finding[] {
  const codec: Finding[] =
    videoCodecs === null
      ? []
      : [
          {
            code: 'destination_limit',
            error: `${platform} takes ${videoCodecs.map((each) => codecNames[each]).join(' and ')} only.`,
            suggestion: `Set videoCodec to ${videoCodecs.join(' or ')}.`,
          },
        ];
  const size: Finding[] =
    taken === null
      ? []
      : [
          {
            code: 'destination_limit',
            error: `${platform} does not take a stream of this quality and framerate.`,
            suggestion: `Set quality and framerate to what it takes: ${taken.map(({ quality, framerate }) => `${quality} with ${framerate}`).join(', ')}, or less.`,
          },
        ];
  return [...codec, ...size];
}
