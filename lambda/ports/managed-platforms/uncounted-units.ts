// The quota of platforms that count no calls of a day: they have rates, whose refusals say when to come back.
import type { PlatformCall } from './broadcasts.ts';

export const uncountedUnits: Readonly<Record<PlatformCall, number>> = {
  ensureIngest: 0,
  insert: 0,
  bind: 0,
  find: 0,
  goLive: 0,
  end: 0,
  update: 0,
  thumbnail: 0,
  describe: 0,
  observe: 0,
  audience: 0,
  delete: 0,
};
