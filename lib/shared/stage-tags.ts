// The tags of everything that a stage has: whose it is, who answers for it, and who pays for it.
import type { StageSettings } from '../stage-settings.ts';

/**
 * The tag by which costs and rights of stages are told apart. Costs are, once somebody with rights on the account's
 * bills has activated the tag for cost allocation.
 */
export const stageTagKey = 'stage';

/** All tags of a stage, by key. */
export function stageTags(
  stageName: string,
  { owner, costCenter, tags }: StageSettings,
): Readonly<Record<string, string>> {
  return { ...tags, [stageTagKey]: stageName, owner, 'cost-center': costCenter };
}
