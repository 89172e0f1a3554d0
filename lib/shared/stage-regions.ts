// The regions that a stage has stacks in.
import type { StageSettings } from '../stage-settings.ts';

/** CloudFront takes what it needs from there, whatever the region of a stage. */
export const cloudFrontRegion = 'us-east-1';

export function regionsOf({ region, frontDoor }: Pick<StageSettings, 'region' | 'frontDoor'>): readonly string[] {
  return [...new Set([region, ...(frontDoor === 'cloudfront' ? [cloudFrontRegion] : [])])];
}
