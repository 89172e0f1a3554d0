// Whether a stream can start, judged from stored facts alone, and for each thing that is missing what to do.

export const readinessPaths = ['VIDEO', 'AUDIO', 'PLAYLIST', 'DESTINATION', 'MANAGED', 'BILLING', 'SCHEDULE', 'STREAM'] as const;
export const readinessStages = ['PREFLIGHT', 'PREPARATION'] as const;

export interface ReadinessIssue {
  readonly code: ReadinessCode;
  readonly error: string;
  readonly path: (typeof readinessPaths)[number];
  readonly stage: (typeof readinessStages)[number];
  readonly suggestion: string;
}

/** Every issue there is: stable codes, with the part of the stream to look at and what to do about it. */
const issueTable = {
  no_video: ['VIDEO', 'The stream has nothing to show.', 'Set playlistIDs or videoUploadObjectID.'],
  upload_missing: ['VIDEO', 'The video upload does not exist.', 'Name an upload of yours in videoUploadObjectID.'],
  upload_not_uploaded: ['VIDEO', 'The bytes of the video have not been uploaded.', 'PUT them to the upload URL, then call complete; an import only has to finish.'],
  upload_not_probed: ['VIDEO', 'The video is still being examined.', 'Wait until its probeState is completed.'],
  upload_unusable: ['VIDEO', 'The video cannot be played.', "Read the upload's failure, then upload another file."],
  upload_not_visual: ['VIDEO', 'The upload named as video has no picture.', 'Name a video or an image; use audioUploadObjectID for sound.'],
  audio_missing: ['AUDIO', 'The audio upload does not exist.', 'Name an upload of yours in audioUploadObjectID.'],
  audio_not_uploaded: ['AUDIO', 'The bytes of the audio have not been uploaded.', 'PUT them to the upload URL, then call complete; an import only has to finish.'],
  audio_not_probed: ['AUDIO', 'The audio is still being examined.', 'Wait until its probeState is completed.'],
  audio_unusable: ['AUDIO', 'The audio cannot be played.', "Read the upload's failure, then upload another file."],
  audio_silent: ['AUDIO', 'The upload named as audio has no sound.', 'Name an upload that has an audio track.'],
  playlist_missing: ['PLAYLIST', 'A playlist of the stream does not exist.', 'Name playlists of yours in playlistIDs.'],
  playlist_empty: ['PLAYLIST', 'A playlist of the stream has no items.', 'Add items with apply_playlist_operations.'],
  playlist_not_playable: ['PLAYLIST', 'No item of the playlist can be played.', 'Wait until its uploads are probed, or replace those that failed.'],
  destination_missing: ['DESTINATION', 'The stream has no destination.', 'Create a destination and set destinationID.'],
  destination_archived: ['DESTINATION', 'The destination is archived.', 'Choose another destination.'],
  destination_forbidden: ['DESTINATION', "The destination's address may not be used here.", 'Use a public rtmp:// or rtmps:// address.'],
  backup_url_missing: ['DESTINATION', 'The destination has no backup address.', 'Set backupRtmpURL on the destination, or runBackupStream to false.'],
  managed_not_connected: ['MANAGED', 'No managed connection is set up.', 'Connect one, or use an RTMP destination instead.'],
  no_credits: ['BILLING', 'There are no credits left.', 'Buy credits with create_top_up.'],
  schedule_end_past: ['SCHEDULE', "The schedule's end has passed.", 'Set a later scheduleEndAt, or clear it.'],
} as const satisfies Record<string, readonly [(typeof readinessPaths)[number], string, string]>;

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

/** Everything that start and readiness look at. `null` stands for "named, but not there"; `undefined` for "not named". */
export interface StreamFacts {
  readonly playlists: readonly (PlaylistFacts | null)[];
  readonly videoUpload?: UploadFacts | null | undefined;
  readonly audioUpload?: UploadFacts | null | undefined;
  readonly destination?: { readonly archived: boolean; readonly allowed: boolean; readonly hasBackupURL: boolean } | null | undefined;
  readonly wantsBackup: boolean;
  readonly managed: boolean;
  readonly creditsLeft: number;
  readonly scheduleEndAt: Date | null;
}

/** The same judgement for GET readiness, start, PATCH status ACTIVE and a schedule that fires. An empty list means ready. */
export function judgeReadiness(facts: StreamFacts, now: Date): ReadinessIssue[] {
  const codes = [
    ...judgeVideo(facts),
    ...judgeAudio(facts),
    ...judgeDestination(facts),
    ...(facts.creditsLeft > 0 ? [] : (['no_credits'] as const)),
    ...(facts.scheduleEndAt !== null && facts.scheduleEndAt <= now ? (['schedule_end_past'] as const) : []),
  ];
  return [...new Set(codes)].map((code) => {
    const [path, error, suggestion] = issueTable[code];
    return { code, error, path, stage: 'PREFLIGHT', suggestion };
  });
}

function judgeVideo(facts: StreamFacts): ReadinessCode[] {
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

function judgeAudio(facts: StreamFacts): ReadinessCode[] {
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

/** One bad item never keeps a stream from starting; a playlist without a single playable one does. */
function judgePlaylist(playlist: PlaylistFacts | null): ReadinessCode[] {
  if (playlist === null) return ['playlist_missing'];
  if (playlist.items.length === 0) return ['playlist_empty'];
  return playlist.items.some((item) => isPlayable(item, playlist.kind)) ? [] : ['playlist_not_playable'];
}

/** Whether an item of a playlist of this kind can be played: probed, and with the picture or sound that the playlist is for. */
export function isPlayable(upload: UploadFacts | null, kind: 'video' | 'audio'): boolean {
  return upload !== null && upload.probeState === 'completed' && (kind === 'video' ? upload.hasVideo : upload.hasAudio);
}

function judgeDestination(facts: StreamFacts): ReadinessCode[] {
  if (facts.managed) return ['managed_not_connected'];
  const destination = facts.destination;
  if (destination === undefined || destination === null) return ['destination_missing'];
  return [
    ...(destination.archived ? (['destination_archived'] as const) : []),
    ...(destination.allowed ? [] : (['destination_forbidden'] as const)),
    ...(facts.wantsBackup && !destination.hasBackupURL ? (['backup_url_missing'] as const) : []),
  ];
}
