// The Route 53 hosted zone that the name of a stage with a domain is in.
import { GetHostedZoneCommand, Route53Client } from '@aws-sdk/client-route-53';
import { absentIf, type Check, found } from '../check.ts';

export const hostedZone: Check = {
  name: 'Hosted zone',
  async run({ command: { settings, settingsOf }, aws }) {
    if (settings.domain === null) return [];
    const { name, hostedZoneId } = settings.domain;
    const answer = await new Route53Client(aws)
      .send(new GetHostedZoneCommand({ Id: hostedZoneId }))
      .catch(absentIf('NoSuchHostedZone'));
    const row = { what: 'Hosted zone', needed: `${hostedZoneId}, public, for ${name}` };
    const correct = `Correct domain of ${settingsOf} in lib/stages.ts.`;
    if (answer === null)
      return [
        found({ ...row, found: 'no zone with this ID in the account' }, 'missing', [
          `${correct} The account has these zones:`,
          '$ aws route53 list-hosted-zones',
        ]),
      ];
    const zoneName = answer.HostedZone?.Name?.replace(/\.$/, '') ?? '';
    const isPrivate = answer.HostedZone?.Config?.PrivateZone === true;
    const fits = !isPrivate && (name === zoneName || name.endsWith(`.${zoneName}`));
    return [
      found({ ...row, found: `${isPrivate ? 'private, ' : ''}for ${zoneName}` }, fits ? 'there' : 'missing', [correct]),
    ];
  },
};
