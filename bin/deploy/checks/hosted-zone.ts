// Checks the Route 53 hosted zone of the domain of a stage.
import { z } from 'zod';
import { type Check, orAbsent } from '../check.ts';

const zoneAnswer = z.object({
  GetHostedZoneResponse: z.object({
    HostedZone: z.object({ Name: z.string(), Config: z.object({ PrivateZone: z.string() }).partial().catch({}) }),
  }),
});

export const hostedZone: Check = {
  name: 'Hosted zone',
  async run({ command: { settings, settingsOf }, ask }) {
    if (settings.domain === null) return [];
    const { name, hostedZoneId } = settings.domain;
    const question = ask({
      service: 'route53',
      action: 'GetHostedZone',
      path: `/2013-04-01/hostedzone/${hostedZoneId}`,
      answer: zoneAnswer,
    });
    const zone = (await orAbsent(question, 'NoSuchHostedZone'))?.GetHostedZoneResponse.HostedZone;
    const row = { what: 'Hosted zone', needed: `${hostedZoneId}, public, for ${name}` };
    if (zone === undefined)
      return [
        {
          ...row,
          found: 'none of this id in the account',
          state: 'missing',
          remedy: [
            `Correct domain of ${settingsOf} in lib/stages.ts. The zones there are:`,
            '$ aws route53 list-hosted-zones',
          ],
        },
      ];
    const zoneName = zone.Name.replace(/\.$/, '');
    const isPublic = zone.Config.PrivateZone !== 'true';
    const fits = isPublic && (name === zoneName || name.endsWith(`.${zoneName}`));
    const found = `${isPublic ? '' : 'private, '}for ${zoneName}`;
    if (fits) return [{ ...row, found, state: 'there', remedy: [] }];
    return [{ ...row, found, state: 'missing', remedy: [`Correct domain of ${settingsOf} in lib/stages.ts.`] }];
  },
};
