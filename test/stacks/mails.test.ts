// Who may send mails to users: the functions that do, as the stage's own sender, which SES verifies.
import { expect, test } from 'vitest';
import { stages } from '../../lib/stages.ts';
import { synthesizeStage, testApp } from '../support/synth.ts';

const app = testApp();

const settings = [
  ['an address', { mailFrom: 'hello@example.com' }, 'hello@example.com', 'hello@example.com'],
  [
    'a domain',
    { domain: { name: 'stream.example.com', hostedZoneId: 'Z0123456789' } },
    'no-reply@stream.example.com',
    'stream.example.com',
  ],
] as const;
const cases = settings.map(
  ([name, own, ...expected]) =>
    [name, synthesizeStage(app, name.replace(' ', '-'), { ...stages.dev, ...own }), ...expected] as const,
);

test.each(cases)('with %s', (_, stage, sender, identity) => {
  const senders = stage
    .resources()
    .filter(([, { Properties }]) => Properties?.Environment?.Variables?.MAIL_FROM === sender)
    .map(([id]) => id.slice(0, -8));
  expect(senders.toSorted()).toEqual(['Auth', 'Webhooks']);
  const policies = stage
    .resources()
    .flatMap(([, { Type, Properties }]) =>
      /^AWS::IAM::(?:Managed)?Policy$/.test(Type) ? Properties.PolicyDocument.Statement : [],
    );
  const rights = policies.filter(({ Action }: { Action: unknown }) => JSON.stringify(Action).includes('ses:'));
  expect(rights.map(({ Action }: { Action: unknown }) => [Action].flat())).toEqual([
    expect.arrayContaining(['ses:SendEmail']),
    expect.arrayContaining(['ses:SendEmail']),
  ]);
  // One by what SES made, the other by its name.
  expect(JSON.stringify(rights)).toContain(`:identity/${identity}"`);
  expect(stage.resources().filter(([, { Type }]) => Type === 'AWS::SES::EmailIdentity')).toHaveLength(1);
});
