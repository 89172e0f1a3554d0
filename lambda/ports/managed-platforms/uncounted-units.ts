// Quota of platforms that count no daily calls: they limit rates, and their refusals name the time of a retry.
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
