// The tags of all resources of a stage: its name, its owner, and the cost center.
import type { StageSettings } from '../stage-settings.ts';

/**
 * The tag that separates costs and rights of stages. For costs, it first has to be activated for cost allocation by a
 * person with rights on the account's bills.
 */
export const stageTagKey = 'stage';

/** All tags of a stage, by key. */
export function stageTags(
  stageName: string,
  { owner, costCenter, tags }: StageSettings,
): Readonly<Record<string, string>> {
  return { ...tags, [stageTagKey]: stageName, owner, 'cost-center': costCenter };
}
