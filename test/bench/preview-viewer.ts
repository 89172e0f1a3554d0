// A viewer of a stream's preview, which works as HLS players do: it fetches playlists, and each piece once.
import { setTimeout } from 'node:timers/promises';
import type { ApiClient } from '../support/local-run.ts';

export interface ViewerFigures {
  /** Time from the request of the preview until a player's first piece exists. */
  startedAfterMs: number;
  /** Delay of the picture that a player shows, at each playlist. */
  readonly behindMs: number[];
  readonly playlistMs: number[];
  pieces: number;
  /** Pieces that are missing although a playlist names them. */
  missing: number;
  failures: number;
  bytes: number;
}

interface ListedPiece {
  readonly url: string;
  readonly headerURL: string;
  readonly startsAtMs: number;
}

const everyMs = 2000;
/** Position in a playlist at which players begin: our `EXT-X-START` is two pieces before the end. */
const beginWith = -2;

/** Views a stream until the signal aborts. */
export async function openPreview(api: ApiClient, streamID: string, signal: AbortSignal): Promise<ViewerFigures> {
  const beganMs = Date.now();
  const figures: ViewerFigures = {
    startedAfterMs: NaN,
    behindMs: [],
    playlistMs: [],
    pieces: 0,
    missing: 0,
    failures: 0,
    bytes: 0,
  };
  const { playlistURL } = await api('POST', `/streams/${streamID}/preview`);
  /** Pieces by their times, because each playlist signs new URLs. */
  const seen = new Set<number>();
  let header = '';
  while (!signal.aborted) {
    const askedMs = Date.now();
    const playlist = await load(playlistURL, figures);
    figures.playlistMs.push(Date.now() - askedMs);
    const text = playlist?.toString() ?? '';
    figures.missing = Math.max(figures.missing, text.match(/EXT-X-GAP/g)?.length ?? 0);
    const listed = piecesOf(text);
    const shown = listed.at(beginWith);
    for (const { url, headerURL, startsAtMs } of listed.slice(beginWith)) {
      if (seen.has(startsAtMs)) continue;
      seen.add(startsAtMs);
      const name = new URL(headerURL).pathname;
      if (name !== header) await load(headerURL, figures);
      header = name;
      if (!(await load(url, figures))) continue;
      figures.pieces++;
      if (Number.isNaN(figures.startedAfterMs)) figures.startedAfterMs = Date.now() - beganMs;
    }
    if (shown) figures.behindMs.push(Date.now() - shown.startsAtMs);
    await setTimeout(Math.max(0, askedMs + everyMs - Date.now()), undefined, { signal }).catch(() => {});
  }
  return figures;
}

function piecesOf(playlist: string): ListedPiece[] {
  const pieces: ListedPiece[] = [];
  let [headerURL, startsAtMs] = ['', NaN];
  for (const line of playlist.split('\n')) {
    headerURL = /^#EXT-X-MAP:URI="(.+)"$/.exec(line)?.[1] ?? headerURL;
    const time = /^#EXT-X-PROGRAM-DATE-TIME:(.+)$/.exec(line)?.[1];
    if (time) startsAtMs = Date.parse(time);
    if (line.startsWith('http')) pieces.push({ url: line, headerURL, startsAtMs });
  }
  return pieces;
}

async function load(url: string, figures: ViewerFigures): Promise<Buffer | null> {
  const answer = await fetch(url).catch(() => null);
  const bytes = answer?.ok ? Buffer.from(await answer.arrayBuffer()) : null;
  if (bytes === null) figures.failures++;
  else figures.bytes += bytes.length;
  return bytes;
}
