// The regions of a stage's stacks.
import type { StageSettings } from '../stage-settings.ts';

/** CloudFront requires some resources in this region, whatever the region of a stage. */
export const cloudFrontRegion = 'us-east-1';

/** @returns the region of the stage first, then that of CloudFront, then that of copies if the stage has copies */
export function regionsOf({
  region,
  recoveryRegion,
}: Pick<StageSettings, 'region' | 'recoveryRegion'>): readonly string[] {
  return [...new Set([region, cloudFrontRegion, ...(recoveryRegion === null ? [] : [recoveryRegion])])];
}
