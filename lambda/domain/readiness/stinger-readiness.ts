// Readiness issues of the stinger that a stream names.
import { canBeStinger } from '../playout/stinger.ts';
import type { StingerFacts } from '../playout/stinger.ts';
import type { ReadinessCode } from './readiness-issues.ts';

/**
 * Issues of a stinger. None of them blocks a start: without a stinger, items follow each other by a cut.
 * @param stinger null if the stream names none or its upload is missing; undefined if no join needs a stinger
 */
export function judgeStinger(stinger: StingerFacts | null | undefined): ReadinessCode[] {
  if (stinger === undefined) return [];
  if (stinger === null) return ['stinger_missing'];
  if (stinger.probeState === 'pending') return ['stinger_not_probed'];
  return canBeStinger(stinger) ? [] : ['stinger_unusable'];
}
