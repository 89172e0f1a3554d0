// The regions that a stage has stacks in.
import type { StageSettings } from '../stage-settings.ts';

/** CloudFront takes what it needs from there, whatever the region of a stage. */
export const cloudFrontRegion = 'us-east-1';

/** @returns that of the stage first, then that of CloudFront and that of copies, where it has them */
export function regionsOf({
  region,
  frontDoor,
  recoveryRegion,
}: Pick<StageSettings, 'region' | 'frontDoor' | 'recoveryRegion'>): readonly string[] {
  const further = [frontDoor === 'cloudfront' ? cloudFrontRegion : null, recoveryRegion];
  return [...new Set([region, ...further.filter((each) => each !== null)])];
}
