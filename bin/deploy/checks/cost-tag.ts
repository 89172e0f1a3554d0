// Checks whether costs are separated by stage: without that, the stage's budget stays at zero.
import { z } from 'zod';
import { stageTagKey } from '../../../lib/shared/stage-tags.ts';
import { type Check, profileOption } from '../check.ts';

// https://docs.aws.amazon.com/aws-cost-management/latest/APIReference/API_ListCostAllocationTags.html
const tagsAnswer = z.object({
  CostAllocationTags: z.array(z.object({ TagKey: z.string(), Type: z.string(), Status: z.string() })),
});

export const costTag: Check = {
  name: 'Cost allocation tag',
  async run({ command, ask }) {
    if (command.settings.monthlyBudgetUsd === null) return [];
    const { CostAllocationTags: tags } = await ask({
      service: 'ce',
      action: 'ListCostAllocationTags',
      input: { TagKeys: [stageTagKey] },
      answer: tagsAnswer,
    });
    // AWS has tags of its own, whose names have another prefix.
    const tag = tags.find(({ TagKey, Type }) => TagKey === stageTagKey && Type === 'UserDefined');
    const row = {
      what: 'Cost allocation tag',
      needed: `${stageTagKey}, activated`,
    };
    if (tag?.Status === 'Active') return [{ ...row, found: 'active', state: 'there', remedy: [] }];
    const activate =
      `$ aws ce update-cost-allocation-tags-status --cost-allocation-tags-status TagKey=${stageTagKey},Status=Active` +
      profileOption(command.profile);
    const when = tag
      ? []
      : ['A tag is listed up to a day after its first use, so do this the day after the deployment:'];
    return [{ ...row, found: tag ? 'not active' : 'never used', state: 'warning', remedy: [...when, activate] }];
  },
};
