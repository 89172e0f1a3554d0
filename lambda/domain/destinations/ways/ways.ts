// The ways out: every protocol that streams leave over, by its name.
import { hlsWay } from './hls.ts';
import { rtmpWay } from './rtmp.ts';
import { srtWay } from './srt.ts';
import type { WayOut } from './way-out.ts';

export const ways = { rtmp: rtmpWay, srt: srtWay, hls: hlsWay } satisfies Readonly<Record<string, WayOut>>;

export type WayName = keyof typeof ways;

export const wayNames = Object.keys(ways) as readonly WayName[];

/** @returns null for an address with a scheme that no way has */
export function wayNameOf(url: string): WayName | null {
  const scheme = /^([a-z][a-z0-9+.-]*):/i.exec(url)?.[1]?.toLowerCase();
  return wayNames.find((name) => scheme !== undefined && ways[name].schemes.includes(scheme)) ?? null;
}

/** @returns null for an address with a scheme that no way has */
export function wayOf(url: string): WayOut | null {
  const name = wayNameOf(url);
  return name && ways[name];
}
