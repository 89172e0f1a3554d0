// Checks whether the account may create CloudFront distributions, which no API reports.
import type { Check } from '../check.ts';
import { stageStands } from '../standing-stage.ts';

export const cloudFront: Check = {
  name: 'CloudFront',
  async run(context) {
    if (await stageStands(context)) return [];
    return [
      {
        what: 'CloudFront',
        needed: 'an account that AWS has verified',
        found: 'not known: it cannot be asked',
        state: 'warning',
        remedy: ['Only if Dashboard fails with “Your account must be verified”: open a case with AWS Support.'],
      },
    ];
  },
};
