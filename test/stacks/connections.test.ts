// The connections of a stage: those of its database, their share-out, and the refusal of a stage with too few.
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { connectionBudget, maxConnections, sumOf } from '../../lib/database/connection-budget.ts';
import { checkStage } from '../../lib/stage-settings.ts';
import { stages } from '../../lib/stages.ts';
import { synthesizeStage, testApp } from '../support/synth.ts';

const { dev, prod } = stages;

test.each([
  ['t4g.micro', 112],
  ['t4g.medium', 450],
  ['m8g.large', 901],
  ['m8g.xlarge', 1802],
  ['r8g.large', 1802],
  ['m8g.4xlarge', 5000],
  ['mac2.metal', null],
])('Postgres on %s allows %j', (instanceClass, connections) => {
  expect(maxConnections(instanceClass)).toBe(connections);
});

describe('a stage is refused', () => {
  const refusal = (settings: typeof dev) => {
    try {
      checkStage('mine', settings);
    } catch (error) {
      return (error as Error).message;
    }
    return null;
  };

  test('if its agents have too many transactions at once, with the sum, the limit and the settings to change', () => {
    expect(refusal({ ...prod, ffmpegAgentsMax: 46 })).toBe(
      'stage "mine": at their maximum, tasks and functions have 815 transactions at once ' +
        '(agents 430, media workers 50, import workers 40, webhooks 40, platforms 40, timers 10, ' +
        'jobs and operators 5, requests 200), and the database db.m8g.large has connections for 810: choose a larger ' +
        'databaseInstanceClass, or lower ffmpegAgentsMax, manifestAgentsMax, mediaWorkersMax, importWorkersMax or ' +
        'apiRequestsPerSecond',
    );
    expect(refusal({ ...prod, ffmpegAgentsMax: 46, databaseInstanceClass: 'm8g.xlarge' })).toBeNull();
  });

  test('if its requests have, and is told of the proxy that it lacks', () => {
    expect(refusal({ ...dev, apiRequestsPerSecond: 200 })).toMatch(/requests 20\).+turn databaseProxy on, or lower/);
    expect(refusal({ ...dev, apiRequestsPerSecond: 190 })).toBeNull();
  });

  test('if the memory of its instance class is unknown', () => {
    expect(refusal({ ...dev, databaseInstanceClass: 'c9g.large' })).toContain('databaseInstanceClass c9g.large');
  });
});

test.each(Object.entries(stages))(
  '%s shares its connections out to its agents, with at least three each',
  (_, stage) => {
    const { shared, agentPool, uses } = connectionBudget(stage);
    expect(agentPool).toBeGreaterThanOrEqual(3);
    expect(sumOf(uses)).toBeLessThanOrEqual(shared);
  },
);

test('a larger database gives agents larger pools, of at most ten', () => {
  const poolOn = (databaseInstanceClass: string) => connectionBudget({ ...prod, databaseInstanceClass }).agentPool;
  expect(['m8g.large', 'm8g.xlarge', 'm8g.2xlarge'].map(poolOn)).toEqual([3, 10, 10]);
});

test('agents and media workers are told the size of their pool, and RDS Proxy may open every connection', () => {
  const app = testApp();
  const stage = synthesizeStage(app, 'staging', stages.staging);
  const containers = stage
    .resources('Publishing')
    .flatMap(([, { Properties }]) => Properties?.ContainerDefinitions ?? [])
    .flatMap(({ Environment }) => Environment as { readonly Name: string; readonly Value: unknown }[]);
  const told = containers.filter(({ Name }) => Name === 'AGENT_DATABASE_CONNECTIONS').map(({ Value }) => Value);
  expect(told).toEqual(['10', '10', '10']);
  const [, group] = stage.resources('Database').find(([, { Type }]) => Type === 'AWS::RDS::DBProxyTargetGroup')!;
  expect(group.Properties.ConnectionPoolConfigurationInfo).toEqual({});
});

test.each(Object.entries(stages))(
  'Postgres of %s is told how many it allows, and an alarm watches four fifths',
  (_, settings) => {
    const stage = synthesizeStage(testApp(), 'mine', settings);
    const { allowed } = connectionBudget(settings);
    const [, group] = stage.resources('Database').find(([, { Type }]) => Type === 'AWS::RDS::DBParameterGroup')!;
    expect(group.Properties.Parameters.max_connections).toBe(String(allowed));
    const [, alarm] = stage.resources('Monitoring').find(([id]) => id.startsWith('AlarmsDatabaseConnections'))!;
    expect(alarm.Properties.Threshold).toBe(Math.floor(0.8 * allowed));
  },
);

// The conditions of AWS' page “Avoiding pinning an RDS Proxy” for PostgreSQL.
test('only known statements make RDS Proxy pin a connection, as the README says', () => {
  const lambda = join(import.meta.dirname, '../../lambda');
  const calls = /\b(nextval|setval|currval|set_config|pg_advisory_(?:un)?lock|pg_try_advisory_lock)\(/gi;
  const statements = /[`';] ?(set local|set session|listen|prepare|create temp) \w/gi;
  const found = globSync('**/*.ts', { cwd: lambda })
    .map((file) => [file, readFileSync(join(lambda, file), 'utf8')] as const)
    .flatMap(([file, text]) =>
      [...text.matchAll(calls), ...text.matchAll(statements)].map(([, what]) => `${file}: ${what!.toLowerCase()}`),
    );
  const isBesideProxy = (text: string) =>
    // The migration connects to the instance itself; the others belong to the queue of a local run.
    /^(?:migrate|ports\/command-queue\/(?:postgres-command-queue|outbox-listener))\b/.test(text);
  expect([...new Set(found.filter((text) => !isBesideProxy(text)))].toSorted()).toEqual([
    'data/database.ts: set local',
    'data/shared/places.ts: set_config',
    'data/streams/stream-moves.ts: nextval',
  ]);
});
