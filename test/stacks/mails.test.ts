// Functions that may send mails to users: two, from the stage's own address, which SES verifies.
import { describe, expect, test } from 'vitest';
import { stages } from '../../lib/stages.ts';
import { synthesizeStage, testApp } from '../support/synth.ts';

const app = testApp();

const settings = [
  ['an address', { mailFrom: 'hello@example.com' }, 'hello@example.com'],
  ['a domain', { domain: { name: 'stream.example.com', hostedZoneId: 'Z0123456789' } }, 'no-reply@stream.example.com'],
] as const;
const cases = settings.map(([name, own, sender]) => {
  const id = name.replace(' ', '-');
  return [name, synthesizeStage(app, id, { ...stages.dev, ...own }), sender, `${id}-mails`] as const;
});

describe.each(cases)('a stage with %s of its own', (_, stage, sender, configurationSet) => {
  const ofType = (type: string) =>
    stage.resources().flatMap(([, { Type, Properties }]) => (Type === type ? [Properties] : []));

  test('has two functions that may send from it, and no others', () => {
    const senders = stage
      .resources()
      .filter(([, { Properties }]) => Properties?.Environment?.Variables?.MAIL_FROM === sender)
      .map(([id]) => id.slice(0, -8));
    expect(senders.toSorted()).toEqual(['Auth', 'Webhooks']);
    const rights = [...ofType('AWS::IAM::Policy'), ...ofType('AWS::IAM::ManagedPolicy')]
      .flatMap(({ PolicyDocument }) => PolicyDocument.Statement)
      .filter(({ Action }: { Action: unknown }) => JSON.stringify(Action).includes('ses:Send'));
    // In the sandbox, SES also requires the right on the receiver's identity, and always that on the
    // configuration set. https://docs.aws.amazon.com/ses/latest/dg/control-user-access.html
    const resources = [
      expect.stringContaining(`:configuration-set/${configurationSet}`),
      expect.stringContaining(':identity/*'),
    ];
    const right = {
      Effect: 'Allow',
      Action: 'ses:SendEmail',
      Condition: { StringEquals: { 'ses:FromAddress': sender } },
    };
    expect(rights).toHaveLength(2);
    for (const { Resource, ...others } of rights) {
      expect(others).toEqual(right);
      expect(Resource.map((arn: unknown) => JSON.stringify(arn))).toEqual(resources);
    }
  });

  test('has SES verify it, and count the mails that come back or are called spam', () => {
    const [set] = ofType('AWS::SES::ConfigurationSet');
    expect(set).toMatchObject({
      Name: configurationSet,
      SuppressionOptions: { SuppressedReasons: ['BOUNCE', 'COMPLAINT'] },
    });
    expect(ofType('AWS::SES::EmailIdentity')).toEqual([
      expect.objectContaining({ ConfigurationSetAttributes: { ConfigurationSetName: { Ref: expect.any(String) } } }),
    ]);
    const [{ EventDestination: events }] = ofType('AWS::SES::ConfigurationSetEventDestination');
    expect(events).toMatchObject({
      MatchingEventTypes: ['bounce', 'complaint'],
      CloudWatchDestination: { DimensionConfigurations: [{ DimensionName: 'ses:configuration-set' }] },
    });
    const watched = ofType('AWS::CloudWatch::Alarm').flatMap(({ Metrics = [] }) => Metrics);
    const dimensions = watched
      .map(({ MetricStat }) => MetricStat?.Metric)
      .filter((metric) => metric?.Namespace === 'AWS/SES')
      .map(({ MetricName, Dimensions: [{ Value }] }) => [MetricName, Value]);
    expect(dimensions).toEqual([
      ['Bounce', configurationSet],
      ['Complaint', configurationSet],
    ]);
  });
});
