// The checks at synth: cdk-nag finds only accepted faults, and each acceptance has a reason and still applies.
import { Validations } from 'aws-cdk-lib';
import { AwsSolutionsChecks } from 'cdk-nag';
import type { IConstruct } from 'constructs';
import { describe, expect, test } from 'vitest';
import { stages } from '../../lib/stages.ts';
import { nagFindings } from '../support/nag-findings.ts';
import { synthesizeStage, testApp } from '../support/synth.ts';

interface Acceptance {
  readonly construct: IConstruct;
  readonly id: string;
  readonly reason: string;
}

const app = testApp({ validating: true });
const built = Object.entries(stages).map(([name, settings]) => synthesizeStage(app, name, settings).stage);
// Features that only some stages have: another region with copies in a second, a domain, and recipients of alarms.
synthesizeStage(app, 'complete', {
  ...stages.prod,
  account: '123456789012',
  region: 'eu-west-1',
  availabilityZones: ['eu-west-1a', 'eu-west-1b'],
  recoveryRegion: 'eu-central-1',
  domain: { name: 'live.example.com', hostedZoneId: 'Z0123456789ABC' },
  mailFrom: 'hello@example.com',
  alarmEmail: 'ops@example.com',
});
const assembly = app.synth();

function acceptancesIn(stage: IConstruct): Acceptance[] {
  return stage.node.findAll().flatMap((construct) =>
    construct.node.metadata
      .filter(({ type }) => type === Validations.ACKNOWLEDGED_RULES_METADATA_KEY)
      .flatMap(({ data }) => Object.entries<string>(data))
      .map(([id, reason]) => ({ construct, id: id.replace(/^annotation::/i, ''), reason })),
  );
}

/** The accepted findings of a stage, one line each, without the stage's name and physical names made from it. */
function acceptedIn(stageName: keyof typeof stages): string[] {
  return built
    .filter(({ node }) => node.id === stageName)
    .flatMap(acceptancesIn)
    .map(({ construct, id, reason }) => {
      const path = construct.node.path.slice(stageName.length + 1);
      const anyStage = id
        .replace(/schedule\/[^/]+/, 'schedule/GROUP')
        .replace(/cdk-\w+-assets/, 'cdk-QUALIFIER-assets')
        .replace(new RegExp(`([:/])${stageName}([-/]\\*)`), '$1STAGE$2');
      return `${path}: ${anyStage}: ${reason}`;
    });
}

describe('the assembly', () => {
  test('needs nothing to be looked up in an account', () => {
    expect(assembly.manifest.missing ?? []).toEqual([]);
  });
});

describe('AwsSolutions', () => {
  test('finds nothing that is not accepted', () => {
    expect(nagFindings(app)).toEqual([]);
  });

  test('would find everything that is accepted, if it were not', () => {
    const strict = new AwsSolutionsChecks(app);
    // This method is private in cdk-nag: only its replacement reveals all findings.
    Object.defineProperty(strict, 'isAcknowledged', { value: () => false });
    const findings = strict
      .validateScope(app)
      .violations.flatMap(({ ruleName, violatingResources }) =>
        violatingResources.map(({ constructPath }) => ({ ruleName, constructPath })),
      );
    const leftOver = built
      .flatMap(acceptancesIn)
      .filter(({ id }) => id.startsWith('AwsSolutions-'))
      .filter(
        ({ construct, id }) =>
          !findings.some(
            ({ ruleName, constructPath }) => ruleName === id && constructPath?.startsWith(construct.node.path),
          ),
      );
    expect(leftOver.map(({ construct, id }) => `${construct.node.path}: ${id}`)).toEqual([]);
  });

  test('has the same findings accepted in every stage, and more in those that are cheap', async () => {
    const isOfFirstCount = (accepted: string) => accepted.startsWith('Publishing/Agents/FirstCount/Function: ');
    const inProd = acceptedIn('prod');
    await expect(`${inProd.join('\n')}\n`).toMatchFileSnapshot('accepted-findings.txt');
    const inStaging = acceptedIn('staging');
    expect(inStaging.filter((accepted) => !isOfFirstCount(accepted))).toEqual(inProd);
    expect(inStaging.filter(isOfFirstCount)).toHaveLength(3);
    expect(acceptedIn('dev').filter((accepted) => !inStaging.includes(accepted))).toEqual([
      expect.stringMatching(/^Network\/Vpc\/PublishersSubnet1\/Nat\w{8}\/Machine: AwsSolutions-EC28: It keeps nothing/),
      expect.stringMatching(/^Network\/Vpc\/PublishersSubnet1\/Nat\w{8}\/Machine: AwsSolutions-EC29: It keeps nothing/),
      'Database/Database: AwsSolutions-RDS3: The stage does without a standby, to be cheap.',
      'Database/Database: AwsSolutions-RDS10: The stage is made to be destroyed.',
      'Publishing/Agents/Cluster: AwsSolutions-ECS4: Agents report what they carry by themselves.',
    ]);
  });
});
