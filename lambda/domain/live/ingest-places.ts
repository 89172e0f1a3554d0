// The places of a live ingest, each for a session that costs as much as one at 1080p30. Decision D261.
import { costOf } from '../fleet/capacity.ts';
import type { Lanes } from '../fleet/lanes.ts';
import type { PictureFormat } from '../playout/rendition.ts';

type FormatOfCost = Pick<PictureFormat, 'quality' | 'framerate' | 'videoCodec'>;

export interface IngestPlaces extends Lanes {
  /** The places that one session may take: as many as the machine has cores. */
  readonly ofSession: number;
}

/** The share of an ingest's places that one user may have, but at least one session. */
const shareOfUser = 1 / 4;
/** The share of all users together who are not funded, but at least one session. Decision D287. */
const shareOfUnfunded = 1 / 2;
/** Places of a small machine with a local run, and the share of its user, who leaves some to others. */
const local = { leastPlaces: 4, shareOfUser: 3 / 4 };

/** The places of an ingest for all users. @param cores of its machine */
export function ingestPlaces(cores: number): IngestPlaces {
  const part = (share: number) => Math.max(1, Math.floor(cores * share));
  return { count: cores, ofUser: part(shareOfUser), ofUnfunded: part(shareOfUnfunded), ofSession: cores };
}

/** The places of the ingest of a local run, which usually has one user. @param cores of the machine */
export function localPlaces(cores: number): IngestPlaces {
  const count = Math.max(local.leastPlaces, cores);
  return { count, ofUser: Math.floor(count * local.shareOfUser), ofUnfunded: count - 1, ofSession: cores };
}

/**
 * The places that a session takes, by the cores that an encoded stream of its format costs.
 * @param format of the run that it takes over
 */
export function placesOf(format: FormatOfCost, { isOnGpu }: { readonly isOnGpu: boolean }): number {
  const cost = isOnGpu ? sessionCost(format).coresBesideGpu : sessionCost(format).cores;
  return Math.max(1, Math.ceil(cost / coresOfPlace));
}

/**
 * The reason why an ingest admits no session of a stream, for users; null: there is none.
 * @param ingest.cores of its machine, whose processor encodes
 * @param isFunded whether the user of the stream is
 */
export function tooDemandingFor(
  { cores, coresOfUnfunded = cores }: { readonly cores: number; readonly coresOfUnfunded?: number },
  format: FormatOfCost,
  isFunded: boolean,
): { code: string; detail: string } | null {
  const places = placesOf(format, { isOnGpu: false });
  const code = 'live_too_demanding';
  const remedy = 'Use a smaller quality or framerate for the stream';
  const needs = `and one of this stream takes about ${places}`;
  if (places > cores)
    return { code, detail: `The platform has ${cores} cores for a contributor, ${needs}. ${remedy}.` };
  if (isFunded || places <= coresOfUnfunded) return null;
  const unfunded = `The platform has ${coresOfUnfunded} of ${cores} cores for contributors of users without a purchase`;
  return { code, detail: `${unfunded}, ${needs}. ${remedy}, or buy credits.` };
}

/** As long as a takeover waits as a rule for the next session (`grace_seconds`), and a few attempts of an encoder. */
const mostKeptSeconds = 15;
/** So that a stranger who comes and goes has little more than the places of the sessions. */
const keptShareOfSession = 1 / 4;

/**
 * The time for which places are kept for a contributor who was lost, in seconds.
 * @param sessionSeconds media of the session that is stored
 */
export function keptSecondsAfter(sessionSeconds: number): number {
  return Math.min(mostKeptSeconds, sessionSeconds * keptShareOfSession);
}

const sessionCost = ({ quality, framerate, videoCodec }: FormatOfCost) =>
  costOf({ backend: 'ffmpeg', quality, framerate, videoCodec, hasSoundTrack: false, url: null });

const coresOfPlace = sessionCost({ quality: 'q_1080p', framerate: 'f_30', videoCodec: 'h264' }).cores;
