// The regions that a stage has stacks in.
import type { StageSettings } from '../stage-settings.ts';

/** CloudFront takes what it needs from there, whatever the region of a stage. */
export const cloudFrontRegion = 'us-east-1';

/** @returns the region of the stage first, then that of CloudFront, and that of copies if the stage has them */
export function regionsOf({
  region,
  recoveryRegion,
}: Pick<StageSettings, 'region' | 'recoveryRegion'>): readonly string[] {
  return [...new Set([region, cloudFrontRegion, ...(recoveryRegion === null ? [] : [recoveryRegion])])];
}
