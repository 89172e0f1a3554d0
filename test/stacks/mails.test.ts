// Functions that may send mails to users: two, from the stage's own address, which SES verifies and can pause in part.
import { runInNewContext } from 'node:vm';
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
  const sets = { funded: `${id}-mails`, unfunded: `${id}-unfunded-mails`, unconfirmed: `${id}-unconfirmed-mails` };
  return [name, synthesizeStage(app, id, { ...stages.dev, ...own }), sender, sets] as const;
});

describe.each(cases)('a stage with %s of its own', (_, stage, sender, sets) => {
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
    const identities = ':identity/*';
    const [funded, unfunded, unconfirmed] = Object.values(sets).map((set) => `:configuration-set/${set}`);
    const resources = [
      [funded, unfunded, identities],
      [funded, unconfirmed, unfunded, identities],
    ];
    const right = {
      Effect: 'Allow',
      Action: 'ses:SendEmail',
      Condition: { StringEquals: { 'ses:FromAddress': sender } },
    };
    expect(rights).toHaveLength(2);
    for (const [index, { Resource, ...others }] of rights.entries()) {
      expect(others).toEqual(right);
      const named = Resource.map(
        (arn: unknown) => /:(?:identity|configuration-set)\/[\w*-]+/.exec(JSON.stringify(arn))?.[0],
      );
      expect(named).toEqual(resources[index]);
    }
  });

  test('has SES verify it, and count the mails that come back or are called spam', () => {
    expect(ofType('AWS::SES::ConfigurationSet')).toEqual(
      [sets.unfunded, sets.unconfirmed, sets.funded].map((Name) => ({
        Name,
        SuppressionOptions: { SuppressedReasons: ['BOUNCE', 'COMPLAINT'] },
        Tags: expect.anything(),
      })),
    );
    const [{ ConfigurationSetAttributes: attributes }, ...others] = ofType('AWS::SES::EmailIdentity');
    expect(others).toEqual([]);
    const [id] = stage.resources().find(([, { Properties }]) => Properties?.Name === sets.funded)!;
    expect(attributes).toEqual({ ConfigurationSetName: { Ref: id } });
    const destinations = ofType('AWS::SES::ConfigurationSetEventDestination');
    expect(destinations).toHaveLength(3);
    for (const { EventDestination } of destinations)
      expect(EventDestination).toMatchObject({
        MatchingEventTypes: ['bounce', 'complaint'],
        CloudWatchDestination: { DimensionConfigurations: [{ DimensionName: 'ses:configuration-set' }] },
      });
    const watched = ofType('AWS::CloudWatch::Alarm').flatMap(({ Metrics = [] }) => Metrics);
    const dimensions = watched
      .map(({ MetricStat }) => MetricStat)
      .filter((stat) => stat?.Metric.Namespace === 'AWS/SES')
      .map(({ Period, Metric }) => [Metric.MetricName, Metric.Dimensions?.[0].Value ?? 'the account', Period]);
    expect(dimensions).toEqual([
      ['Bounce', sets.funded, 3600],
      ['Complaint', sets.funded, 3600],
      ...[sets.unconfirmed, sets.unfunded].flatMap((own, index) => [
        ...['Bounce', 'Complaint'].flatMap((event) => [
          [event, own, 86_400],
          [event, [sets.unfunded, sets.unconfirmed][index], 86_400],
        ]),
        ['Send', 'the account', 86_400],
      ]),
    ]);
  });

  test('sends mails to strangers, and to users without a purchase, with sets of their own', () => {
    const idOf = (name: string) => stage.resources().find(([, { Properties }]) => Properties?.Name === name)![0];
    const given = (variable: string) =>
      Object.fromEntries(
        stage.resources().flatMap(([id, { Properties }]) => {
          const value = Properties?.Environment?.Variables?.[variable];
          return value === undefined ? [] : [[id.slice(0, -8), value]];
        }),
      );
    expect(given('UNCONFIRMED_MAILS')).toEqual({ Auth: { Ref: idOf(sets.unconfirmed) } });
    expect(given('UNFUNDED_MAILS')).toEqual({ Auth: { Ref: idOf(sets.unfunded) }, Webhooks: sets.unfunded });
  });

  test.each([
    ['unconfirmed', 'UnconfirmedMails', 'MailPause'],
    ['unfunded', 'UnfundedMails', 'UnfundedMailPause'],
  ] as const)(
    'pauses %s mails alone while too many come back, and sends them again afterwards',
    (kind, name, pause) => {
      const monitoring = stage.resources('Monitoring');
      const only = (prefix: string, type: string) => {
        const found = monitoring.filter(([id, { Type }]) => id.startsWith(prefix) && Type === type);
        expect(found).toHaveLength(1);
        return found[0]!;
      };
      const [alarm] = only(`Alarms${name}`, 'AWS::CloudWatch::Alarm');
      const [machine, { Properties }] = only(`${pause}Machine`, 'AWS::StepFunctions::StateMachine');
      const [, rule] = only(`${pause}Changes`, 'AWS::Events::Rule');
      expect(rule.Properties).toMatchObject({
        State: 'ENABLED',
        EventPattern: {
          source: ['aws.cloudwatch'],
          'detail-type': ['CloudWatch Alarm State Change'],
          resources: [{ 'Fn::GetAtt': [alarm, 'Arn'] }],
          detail: { state: { value: ['ALARM', 'OK'] } },
        },
        Targets: [{ Arn: { Ref: machine } }],
      });
      const definition = JSON.parse(
        Properties.DefinitionString['Fn::Join'][1]
          .map((part: unknown) => (typeof part === 'string' ? part : 'aws'))
          .join(''),
      );
      expect(definition.States[definition.StartAt]).toMatchObject({
        QueryLanguage: 'JSONata',
        Type: 'Task',
        Resource: 'arn:aws:states:::aws-sdk:sesv2:putConfigurationSetSendingOptions',
        // The event is the input: https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/cloudwatch-and-eventbridge.html
        Arguments: {
          ConfigurationSetName: sets[kind],
          SendingEnabled: "{% $states.input.detail.state.value = 'OK' %}",
        },
        End: true,
      });
    },
  );

  test.each([
    ['unconfirmed', 'Sign-up mails paused'],
    ['unfunded', 'Mails without purchase paused'],
  ])('counts a day’s %s mails that come back as too many by number, and by share with the others', (_, runbook) => {
    const { Metrics, Threshold, EvaluationPeriods } = ofType('AWS::CloudWatch::Alarm').find(({ AlarmDescription }) =>
      AlarmDescription.includes(runbook),
    );
    expect([Threshold, EvaluationPeriods]).toEqual([1, 1]);
    const { Expression } = Metrics.find((query: any) => query.Expression);
    const isMany = (events: Readonly<Record<string, number>>) => evaluated(Expression, events);
    // As many as two networks can cause in a day, beside a thousand mails of users.
    expect(isMany({ bounces: 120, sent: 1120 })).toBe(1);
    expect(isMany({ bounces: 42, sent: 1042 })).toBe(1);
    expect(isMany({ bounces: 41, sent: 1042 })).toBe(0);
    expect(isMany({ bounces: 9, sent: 20 })).toBe(0);
    expect(isMany({ bounces: 10, sent: 20 })).toBe(1);
    expect(isMany({ bounces: 120, sent: 50_000 })).toBe(0);
    // SES counts all of them, so both together stay below its share, but only those are paused that come back.
    expect(isMany({ bounces: 21, bouncesOfOthers: 21, sent: 1042 })).toBe(1);
    expect(isMany({ bounces: 21, bouncesOfOthers: 20, sent: 1042 })).toBe(0);
    expect(isMany({ bounces: 9, bouncesOfOthers: 500, sent: 1042 })).toBe(0);
    expect(isMany({ complaints: 3, complaintsOfOthers: 1, sent: 1333 })).toBe(1);
    expect(isMany({ complaints: 2, complaintsOfOthers: 30, sent: 1000 })).toBe(0);
    expect(isMany({ complaints: 3, sent: 1000 })).toBe(1);
    expect(isMany({ complaints: 3, sent: 1001 })).toBe(0);
    expect(isMany({ complaints: 2, sent: 10 })).toBe(0);
    expect(isMany({})).toBe(0);
  });
});

test('a stage without an address has no set to pause', () => {
  const silent = synthesizeStage(app, 'silent', { ...stages.dev, mailFrom: null, domain: null });
  const types = silent.resources().map(([, { Type }]) => Type);
  expect(types.filter((type) => type.startsWith('AWS::SES'))).toEqual([]);
  expect(silent.resources('Monitoring').filter(([id]) => id.includes('MailPause'))).toEqual([]);
});

/** The value of an expression of CloudWatch whose metrics have these values. */
function evaluated(expression: string, events: Readonly<Record<string, number>>): number {
  const script = expression
    .replaceAll(/FILL\((\w+), 0\)/g, (_, name: string) => String(events[name] ?? 0))
    .replaceAll('AND', '&&')
    .replaceAll('OR', '||')
    .replace(/^IF\((.*), 1, 0\)$/, '$1 ? 1 : 0');
  return runInNewContext(script);
}
