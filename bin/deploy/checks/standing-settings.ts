// Settings that cannot change as wanted on the stage that stands: refused before anything is deployed.
import { readParameter } from '../../../lambda/ports/aws/call-aws.ts';
import { nameOfStandingSettings, refusedChanges, type StandingSettings } from '../../../lib/setting-changes.ts';
import { absentIf, type Check, found } from '../check.ts';

export const standingSettings: Check = {
  name: 'Settings of the stage that stands',
  async run({ command: { stage, settings, settingsOf }, aws, ownStacks }) {
    if ((await ownStacks()).length === 0) return [];
    const place = { region: aws.region, credentials: await aws.credentials() };
    const kept = await readParameter(nameOfStandingSettings(stage), place).catch(absentIf('ParameterNotFound'));
    const row = { what: 'Changes of settings', needed: 'possible on the stage that stands' };
    if (kept === null)
      return [
        found({ ...row, found: 'unknown' }, 'warning', [
          'The stage has not kept its settings: its first deployment is not complete, or is of an earlier release.',
          'Compare them by hand with lib/README.md, “Change a setting”.',
        ]),
      ];
    const refused = refusedChanges(JSON.parse(kept) as StandingSettings, settings);
    if (refused.length === 0) return [found({ ...row, found: 'possible' }, 'there')];
    return refused.map(({ setting, standing, wanted, instead }) =>
      found({ ...row, found: `${setting}: ${shown(standing)} → ${shown(wanted)}` }, 'missing', [
        `${settingsOf} cannot change ${setting} like this. ${instead}`,
      ]),
    );
  },
};

const shown = (value: unknown) => JSON.stringify(value);
