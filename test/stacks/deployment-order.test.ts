// Order without passed values that CloudFormation keeps: at creation, and in reverse when a stage is destroyed.
import { describe, expect, test } from 'vitest';
import { stages } from '../../lib/stages.ts';
import { type Resource, synthesizeStage, testApp } from '../support/synth.ts';

const prod = synthesizeStage(testApp(), 'prod', stages.prod);
const withDomain = synthesizeStage(testApp(), 'named', {
  ...stages.prod,
  domain: { name: 'live.example.com', hostedZoneId: 'Z0123456789ABC' },
});

function idsOf(stackId: string, type: string): string[] {
  return prod
    .resources(stackId)
    .filter(([, { Type }]) => Type === type)
    .map(([id]) => id);
}

/** All resources that a resource waits for, directly or indirectly. They are deleted after it. */
function awaitedBy(stackId: string, id: string): ReadonlySet<string> {
  const { Resources: resources } = prod.template(stackId);
  const awaited = new Set<string>();
  const open = [id];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    for (const other of namedBy(resources[next])) {
      if (!(other in resources) || awaited.has(other)) continue;
      awaited.add(other);
      open.push(other);
    }
  }
  return awaited;
}

/** The logical ids and other words that a resource names by `Ref`, `Fn::GetAtt`, `Fn::Sub` or `DependsOn`. */
function namedBy(resource: Resource | undefined): string[] {
  const text = JSON.stringify([resource?.Properties, resource?.DependsOn].flat());
  return [...text.matchAll(/[A-Za-z0-9]+/g)].map(([word]) => word);
}

describe('the services on GPU machines', () => {
  const onPool = prod
    .resources('Publishing')
    .filter(([, { Type, Properties }]) => Type === 'AWS::ECS::Service' && Properties.CapacityProviderStrategy);

  // “A capacity provider must be associated with the cluster to be used in a capacity provider strategy.”
  // https://docs.aws.amazon.com/AmazonECS/latest/APIReference/API_CapacityProviderStrategyItem.html
  // An association that is deleted before a service fails: “The specified capacity provider is in use and cannot be
  // removed”.
  test('are made after the machines are associated with the cluster, and deleted before that ends', () => {
    const associations = idsOf('Publishing', 'AWS::ECS::ClusterCapacityProviderAssociations');
    expect(associations).toHaveLength(1);
    expect(onPool.map(([id]) => id)).toEqual([
      expect.stringMatching(/^AgentsFfmpeg/),
      expect.stringMatching(/^AgentsMediaWorkers/),
    ]);
    for (const [id] of onPool) expect([...awaitedBy('Publishing', id)]).toEqual(expect.arrayContaining(associations));
  });
});

describe('the proxy', () => {
  // An instance that has just become available is configured for some more minutes, and a proxy refuses it as a target
  // in this state. The migration, which connects to the instance, proves that it accepts connections.
  test('gets its target after the migration has made the role that the proxy signs in as', () => {
    const [target = ''] = idsOf('Database', 'AWS::RDS::DBProxyTargetGroup');
    const awaited = [...awaitedBy('Database', target)];
    expect(awaited).toEqual(expect.arrayContaining(idsOf('Database', 'Custom::Trigger')));
    const { DefaultPolicy } = Object.groupBy(awaited, (id) => /^ProxyRole(DefaultPolicy)/.exec(id)?.[1] ?? 'others');
    expect(DefaultPolicy).toHaveLength(1);
  });
});

describe('the stacks', () => {
  const producersOf = (stackId: string, stage = prod) =>
    stage.stacks.get(stackId)?.dependencies.map(({ node }) => node.id);

  test('end with the public address, after what is behind it, and the alarms, which would ring before that', () => {
    for (const stage of [prod, withDomain]) {
      expect(producersOf('Delivery', stage)).toContain('Dashboard');
      expect(producersOf('Monitoring', stage)).toContain('Delivery');
    }
  });

  // CloudFormation refuses to delete or replace resources that another stack imports. It does not check stacks that
  // read an output (`Fn::GetStackOutput`), and does not deploy them again when the output changes.
  test('import from each other, but for what CloudFront takes and for names of the distribution', () => {
    for (const stage of [prod, withDomain]) {
      const reading = [...stage.stacks.keys()].filter((stackId) =>
        JSON.stringify(stage.template(stackId)).includes('Fn::GetStackOutput'),
      );
      expect(reading).toEqual(['Dashboard', 'Monitoring']);
      const outputs = JSON.stringify(stage.template('Dashboard')).match(/"Fn::GetStackOutput":\{[^}]*\}/g) ?? [];
      expect(outputs.filter((output) => !output.includes(`"StackName":"${stage.stage.node.id}-Edge"`))).toEqual([]);
      expect(JSON.stringify(stage.template('Api'))).toContain('"Fn::ImportValue"');
    }
  });

  test('reach the distribution’s secret by an import within its dynamic reference', () => {
    const headers = prod
      .resources('Dashboard')
      .filter(([, { Type }]) => Type === 'AWS::CloudFront::Distribution')
      .flatMap(([, { Properties }]): any[] => Properties.DistributionConfig.Origins)
      .flatMap(({ OriginCustomHeaders = [] }): any[] => OriginCustomHeaders);
    expect(headers).toHaveLength(1);
    expect(headers[0].HeaderValue['Fn::Join'][1]).toEqual([
      '{{resolve:secretsmanager:',
      { 'Fn::ImportValue': expect.stringContaining('prod-Api:') },
      ':SecretString:::}}',
    ]);
  });
});
