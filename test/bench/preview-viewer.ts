// Somebody who looks at the preview of a stream, as players of HLS do: playlists, and each piece of them once.
import { setTimeout } from 'node:timers/promises';
import type { ApiClient } from '../support/local-run.ts';

export interface ViewerFigures {
  /** From the wish to look until there is the piece that a player begins with. */
  startedAfterMs: number;
  /** At each playlist: how long ago what a player shows then was due. */
  readonly behindMs: number[];
  readonly playlistMs: number[];
  pieces: number;
  /** Pieces that the playlist said are not there. */
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
/** Pieces from the end of a playlist on with which players begin: `EXT-X-START` of ours is two pieces. */
const beginWith = -2;

/** Looks at a stream until the signal aborts. */
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
  /** By their times: each playlist signs its addresses anew. */
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
