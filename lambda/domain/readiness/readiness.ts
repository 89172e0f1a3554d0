// Readiness of a stream, judged from stored facts alone, with a remedy for each issue.
import type { FindingKind } from '../media/findings.ts';
import type { IngestExcess } from '../destinations/ingest-limits.ts';
import { judgeLogo } from './logo-readiness.ts';
import { judgeOverlays } from './overlay-readiness.ts';
import type { OverlayFacts } from './overlay-readiness.ts';
import { judgeStinger } from './stinger-readiness.ts';
import type { StingerFacts } from '../playout/stinger.ts';
import type { LogoFacts } from './logo-readiness.ts';
import { judgeManaged } from './managed-readiness.ts';
import type { ManagedFacts } from './managed-readiness.ts';
import { judgeOutlook } from './programme-readiness.ts';
import { isBlocking, issueOf } from './readiness-issues.ts';
import type { ReadinessCode, ReadinessIssue } from './readiness-issues.ts';
import type { Warning } from '../programme/outlook.ts';
import type { VideoCodec } from '../shared/video-format.ts';

/** Facts of an upload that a stream names. */
export interface UploadFacts {
  readonly uploaded: boolean;
  readonly probeState: 'pending' | 'completed' | 'failed';
  readonly hasVideo: boolean;
  readonly hasAudio: boolean;
  /** Findings so far, each kind once. */
  readonly findings: readonly FindingKind[];
}

/** Facts of a playlist that a stream plays: of its draft if the draft has items, else of its live snapshot. */
export interface PlaylistFacts {
  readonly kind: 'video' | 'audio';
  readonly items: readonly (UploadFacts | null)[];
  /** Whether the draft differs from the live version and its publishing was not requested. */
  readonly isDraftUnpublished: boolean;
}

/** Facts of a published programme, which the stream plays in place of playlists and uploads of this kind. */
export interface ProgrammeFacts {
  readonly kind: 'video' | 'audio';
  /** Rows that its beginning has, up to a few; 0: it has nothing to play. */
  readonly rows: number;
  /** Whether no block has the time now, and there is no filler. */
  readonly isGap: boolean;
  /** Empty for a start, which no warning blocks. */
  readonly warnings: readonly Warning[];
}

/** Facts of a destination. */
export interface DestinationFacts {
  /** The stream's output to it; null if the stream has only a deprecated stream key. */
  readonly outputID: string | null;
  readonly archived: boolean;
  readonly allowed: boolean;
  readonly hasBackupURL: boolean;
  /** Platforms at the stream's addresses that do not take its quality, framerate or codec. */
  readonly excesses: readonly IngestExcess[];
  /** Another stream of the user that is live on it; null: none. */
  readonly liveStream: { readonly id: string; readonly name: string | null; readonly endsAt: Date | null } | null;
}

/** Facts of an output other than the one that a start needs. */
export interface OutputFacts extends DestinationFacts {
  /** Name of the output, or of its destination. */
  readonly name: string;
}

/** Every fact that starts and readiness need. `null`: named by the stream, but missing. `undefined`: not named. */
export interface StreamFacts extends OverlayFacts {
  readonly playlists: readonly (PlaylistFacts | null)[];
  readonly programmes: readonly ProgrammeFacts[];
  readonly videoUpload?: UploadFacts | null | undefined;
  readonly audioUpload?: UploadFacts | null | undefined;
  readonly logo?: LogoFacts | null | undefined;
  /** Destination of the first enabled output. */
  readonly destination?: DestinationFacts | null | undefined;
  /** Facts of the other enabled outputs. */
  readonly otherOutputs: readonly OutputFacts[];
  readonly wantsBackup: boolean;
  /** Null if the stream goes to a destination of its own. */
  readonly managed: ManagedFacts | null;
  readonly creditsLeft: number;
  /** Null unless the account is at rest; then the reason for its user, which may be empty. */
  readonly accountRest: string | null;
  readonly scheduleEndAt: Date | null;
  /** Whether items of a sound track join otherwise than by cuts. */
  readonly joinsSound: boolean;
  /** In the form of `judgeStinger`. */
  readonly stinger: StingerFacts | null | undefined;
  /** Whether the sound of some videos is wanted under a sound track and will be missing. */
  readonly wantsSoundUnder: boolean;
  readonly missesSoundUnder: boolean;
  /** Whether items are brought to a loudness, so that none is too loud. */
  readonly isLevelled: boolean;
  /** Whether a recurrence starts it repeatedly and nothing ever ends a run. */
  readonly recursWithoutEnd: boolean;
  /** True from its start until its last replica has ended. A start publishes the drafts. */
  readonly isLive: boolean;
}

/** A code, or a whole issue whose words fit the case better than those of its code. */
type Finding = ReadinessCode | ReadinessIssue;

/**
 * Judges a stream for GET readiness, start, PATCH status ACTIVE and a schedule. Issues that block the start come first.
 */
export function judgeReadiness(facts: StreamFacts, now: Date): ReadinessIssue[] {
  const findings: Finding[] = [
    ...judgeAccount(facts),
    ...judgeVideo(facts),
    ...judgeAudio(facts),
    ...judgeSoundUnder(facts),
    ...judgeLogo(facts.logo),
    ...judgeStinger(facts.stinger),
    ...judgeOverlays(facts),
    ...judgeDestination(facts),
    ...facts.otherOutputs.flatMap(judgeOutput),
    ...(facts.creditsLeft > 0 ? [] : (['no_credits'] as const)),
    ...(facts.scheduleEndAt !== null && facts.scheduleEndAt <= now ? (['schedule_end_past'] as const) : []),
    ...(facts.recursWithoutEnd ? (['recurrence_without_end'] as const) : []),
    ...(facts.isLive && facts.playlists.some((one) => one?.isDraftUnpublished)
      ? (['draft_not_published'] as const)
      : []),
  ];
  const issues = [...new Set(findings)].map((finding) => (typeof finding === 'string' ? issueOf(finding) : finding));
  return [...issues.filter(isBlocking), ...issues.filter((issue) => !isBlocking(issue))];
}

function judgeAccount({ accountRest }: StreamFacts): Finding[] {
  if (accountRest === null) return [];
  const issue = issueOf('account_at_rest');
  return [accountRest === '' ? issue : { ...issue, suggestion: accountRest }];
}

/** Findings that viewers notice, as words of a list; all others are left to the owner. */
const noticedWords = {
  black: 'black pictures',
  frozen: 'pictures that stand still',
  silent: 'silence',
  no_sound: 'no sound',
  loud: 'sound that is too loud',
  bitrate: 'a bitrate that is far off',
} as const satisfies Partial<Record<FindingKind, string>>;
type NoticedKind = keyof typeof noticedWords;
const noticedInPictures: readonly NoticedKind[] = ['black', 'frozen', 'bitrate'];
function noticedInSound({ isLevelled }: StreamFacts): readonly NoticedKind[] {
  return isLevelled ? ['silent', 'no_sound'] : ['silent', 'no_sound', 'loud'];
}

/** Whether a sound track replaces the sound of the videos. */
function hasOwnSound({ playlists, programmes, audioUpload }: StreamFacts): boolean {
  const isSound = (each: { readonly kind: string } | null) => each?.kind === 'audio';
  return (audioUpload !== undefined && audioUpload !== null) || playlists.some(isSound) || programmes.some(isSound);
}

/** @param where - place of the finding, as words of a sentence */
function noticedIn(
  code: ReadinessCode,
  where: string,
  uploads: readonly UploadFacts[],
  noticed: readonly NoticedKind[],
): Finding[] {
  const kinds = noticed.filter((kind) => uploads.some(({ findings }) => findings.includes(kind)));
  if (kinds.length === 0) return [];
  const words = kinds.map((kind) => noticedWords[kind]).join(', ');
  return [{ ...issueOf(code), error: `Viewers may notice flaws in ${where}: ${words}.` }];
}

function judgeVideo(facts: StreamFacts): Finding[] {
  const programme = facts.programmes.find(({ kind }) => kind === 'video');
  if (programme) return judgeProgramme(programme);
  const video = facts.playlists.filter((playlist) => playlist?.kind !== 'audio');
  const noticed = hasOwnSound(facts) ? noticedInPictures : [...noticedInPictures, ...noticedInSound(facts)];
  if (video.length > 0) return video.flatMap((playlist) => judgePlaylist(playlist, noticed));
  const upload = facts.videoUpload;
  if (upload === undefined) return ['no_video'];
  if (upload === null) return ['upload_missing'];
  if (upload.probeState === 'failed') return ['upload_unusable'];
  if (!upload.uploaded) return ['upload_not_uploaded'];
  if (upload.probeState !== 'completed') return ['upload_not_probed'];
  return upload.hasVideo ? noticedIn('video_findings', 'the video', [upload], noticed) : ['upload_not_visual'];
}

function judgeAudio(facts: StreamFacts): Finding[] {
  const programme = facts.programmes.find(({ kind }) => kind === 'audio');
  if (programme) return judgeProgramme(programme);
  const audio = facts.playlists.filter((playlist) => playlist?.kind === 'audio');
  if (audio.length > 0) return audio.flatMap((playlist) => judgePlaylist(playlist, noticedInSound(facts)));
  const upload = facts.audioUpload;
  if (upload === undefined) return facts.joinsSound ? ['join_without_track'] : [];
  if (upload === null) return ['audio_missing'];
  if (upload.probeState === 'failed') return ['audio_unusable'];
  if (!upload.uploaded) return ['audio_not_uploaded'];
  if (upload.probeState !== 'completed') return ['audio_not_probed'];
  return upload.hasAudio ? noticedIn('audio_findings', 'the audio', [upload], noticedInSound(facts)) : ['audio_silent'];
}

function judgeProgramme({ rows, isGap, warnings }: ProgrammeFacts): Finding[] {
  if (isGap) return ['programme_gap', ...judgeOutlook(warnings)];
  return rows === 0 ? ['nothing_to_plan'] : judgeOutlook(warnings);
}

function judgeSoundUnder(facts: StreamFacts): Finding[] {
  if (!facts.wantsSoundUnder) return [];
  if (!hasOwnSound(facts)) return ['under_without_track'];
  return facts.missesSoundUnder ? ['under_not_prepared'] : [];
}

/** An unplayable item never blocks a start, but is reported. A playlist without any playable item blocks it. */
function judgePlaylist(playlist: PlaylistFacts | null, noticed: readonly NoticedKind[]): Finding[] {
  if (playlist === null) return ['playlist_missing'];
  const { items, kind } = playlist;
  if (items.length === 0) return ['playlist_empty'];
  const pending = items.filter(isPending).length;
  const playable = items.filter((item) => isPlayable(item, kind)).length;
  const skipped = items.length - playable - pending;
  if (playable === 0) return [pending > 0 ? 'playlist_not_probed' : 'playlist_not_playable'];
  const told = (count: number) => `${count} of the ${items.length} items of the ${kind} playlist`;
  const issues: Finding[] = [];
  if (pending > 0)
    issues.push({ ...issueOf('playlist_items_pending'), error: `${told(pending)} are still being examined.` });
  if (skipped > 0) issues.push({ ...issueOf('playlist_items_skipped'), error: `${told(skipped)} cannot be played.` });
  const played = items.filter((item) => item !== null && isPlayable(item, kind)) as UploadFacts[];
  const found = played.filter(({ findings }) => noticed.some((each) => findings.includes(each)));
  return [...issues, ...noticedIn('playlist_findings', told(found.length), found, noticed)];
}

/** Whether the upload of an item is still being examined. */
export function isPending(upload: UploadFacts | null): boolean {
  return upload !== null && upload.uploaded && upload.probeState === 'pending';
}

/** Whether a playlist of this kind can play an item: its upload is examined, and has the needed picture or sound. */
export function isPlayable(upload: UploadFacts | null, kind: 'video' | 'audio'): boolean {
  if (upload === null || upload.probeState !== 'completed') return false;
  return kind === 'video' ? upload.hasVideo : upload.hasAudio;
}

/** Reason why a playlist of this kind skips an item; null if it is played, or if that is unknown yet. */
export function failureOfItem(
  upload: (UploadFacts & { readonly failure: { code: string; detail: string } | null }) | null,
  kind: 'video' | 'audio',
): { code: string; detail: string } | null {
  if (isPlayable(upload, kind) || isPending(upload)) return null;
  if (upload === null) return { code: 'upload_missing', detail: 'The upload no longer exists. Remove the item.' };
  if (!upload.uploaded) return { code: 'upload_not_uploaded', detail: issueOf('upload_not_uploaded').suggestion };
  if (upload.failure) return upload.failure;
  return kind === 'video'
    ? { code: 'upload_not_visual', detail: 'The upload has no picture. Put it into a playlist of kind audio.' }
    : { code: 'audio_silent', detail: 'The upload has no sound. Replace it with an upload that has sound.' };
}

function judgeDestination(facts: StreamFacts): Finding[] {
  if (facts.managed) {
    const excess = facts.managed.channel?.excess ?? null;
    return [...judgeManaged(facts.managed, facts.wantsBackup), ...(excess ? findExcess(excess) : [])];
  }
  const { destination, wantsBackup } = facts;
  if (destination === undefined || destination === null) return ['destination_missing'];
  const lacksBackup = wantsBackup && !destination.hasBackupURL;
  return ofOutput(destination, [...judgeAddress(destination), ...(lacksBackup ? [issueOf('backup_url_missing')] : [])]);
}

/** A fault of one output does not block the others. */
function judgeOutput(output: OutputFacts): Finding[] {
  return ofOutput(output, judgeAddress(output)).map((issue) => ({
    ...issue,
    error: `Output “${output.name}”: ${issue.error}`,
    stage: 'PREPARATION',
  }));
}

function judgeAddress({ archived, allowed, excesses, liveStream }: DestinationFacts): ReadinessIssue[] {
  return [
    ...(archived ? [issueOf('destination_archived')] : []),
    ...(liveStream ? [occupiedBy(liveStream)] : []),
    ...(allowed ? [] : [issueOf('destination_forbidden')]),
    ...excesses.flatMap(findExcess),
  ];
}

function occupiedBy({ id, name, endsAt }: NonNullable<DestinationFacts['liveStream']>): ReadinessIssue {
  const until = endsAt ? ` until ${endsAt.toISOString()}` : '';
  const error = `Your stream ${name ? `“${name}”` : id} is live on the destination${until}, which takes one at a time.`;
  return { ...issueOf('destination_live'), error };
}

function ofOutput({ outputID }: DestinationFacts, issues: readonly ReadinessIssue[]): ReadinessIssue[] {
  return issues.map((issue) => ({ ...issue, outputID }));
}

const codecNames: Record<VideoCodec, string> = { h264: 'H.264', hevc: 'HEVC', av1: 'AV1' };

/** One issue for the codec and one for the size of the picture, so that a user learns about both settings at once. */
function findExcess({ platform, videoCodecs, taken }: IngestExcess): ReadinessIssue[] {
  const limit = issueOf('destination_limit');
  const issues: ReadinessIssue[] = [];
  if (videoCodecs !== null) {
    const names = videoCodecs.map((codec) => codecNames[codec]).join(' and ');
    const suggestion = `Set videoCodec to ${videoCodecs.join(' or ')}.`;
    issues.push({ ...limit, error: `${platform} accepts only ${names}.`, suggestion });
  }
  if (taken !== null) {
    const choices = taken.map(({ quality, framerate }) => `${quality} with ${framerate}`).join(', ');
    const suggestion = `Set quality and framerate to one of these, or less: ${choices}.`;
    issues.push({
      ...limit,
      error: `${platform} does not accept a stream of this quality and framerate.`,
      suggestion,
    });
  }
  return issues;
}
