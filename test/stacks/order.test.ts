// The order in which CloudFormation creates resources and, in reverse, destroys a stage: every pair has its reason.
import { describe, expect, test } from 'vitest';
import { stages } from '../../lib/stages.ts';
import { completeDev } from '../support/complete-dev.ts';
import { synthesizeStage, testApp } from '../support/synth.ts';
import { TemplateGraph } from '../support/template-graph.ts';
import { faultsOfOrder, orderedPairs, pairsOf } from './order-pairs.ts';

const app = testApp();
const built = [
  ['dev', completeDev],
  ['prod', stages.prod],
  ['named', { ...stages.prod, domain: { name: 'live.example.com', hostedZoneId: 'Z0123456789ABC' } }],
] as const;

describe.each(built)('stage %s', (name, settings) => {
  test('waits for what it needs, and for nothing that waits for it', { timeout: 60_000 }, () => {
    expect(faultsOfOrder(new TemplateGraph(synthesizeStage(app, name, settings)))).toEqual([]);
  });
});

test('a stage that does without something waits for what it needs all the same', { timeout: 60_000 }, () => {
  const faults = faultsOfOrder(new TemplateGraph(synthesizeStage(app, 'idle', stages.dev)));
  expect(faults.filter((fault) => !fault.startsWith('nothing to order'))).toEqual([]);
});

/** A graph of one stack with these resources. */
function graphOf(resources: Record<string, object>, dependencies: object[] = []): TemplateGraph {
  const template = { Resources: resources };
  return new TemplateGraph({
    stacks: new Map([['Only', { stackName: 'only', dependencies }]]) as never,
    template: () => template as never,
  });
}

describe('the graph', () => {
  test.each([
    ['Ref', { Properties: { Name: { Ref: 'First' } } }],
    ['Fn::GetAtt', { Properties: { Name: [{ 'Fn::GetAtt': ['First', 'Arn'] }] } }],
    ['Fn::GetAtt of a text', { Properties: { Name: { 'Fn::GetAtt': 'First.Arn' } } }],
    ['Fn::Sub', { Properties: { Name: { 'Fn::Sub': 'a-${First.Arn}-${AWS::Region}' } } }],
    ['a variable of Fn::Sub', { Properties: { Name: { 'Fn::Sub': ['${Own}', { Own: { Ref: 'First' } }] } } }],
    ['DependsOn', { DependsOn: ['First'] }],
    ['DependsOn of one', { DependsOn: 'First' }],
  ])('has what waits by %s, however many are in between', (_way, waiting) => {
    const graph = graphOf({ First: {}, Second: waiting, Third: { DependsOn: ['Second'] }, Apart: {} });
    expect(graph.awaitedBy('Only/Third')).toEqual(new Set(['Only/First', 'Only/Second', 'Only begins']));
    expect(graph.awaitedBy('Only/Apart').has('Only/First')).toBe(false);
    expect(graph.cycles()).toEqual([]);
  });

  test('finds what waits for itself', () => {
    const graph = graphOf({ First: { DependsOn: ['Second'] }, Second: { Properties: { Name: { Ref: 'First' } } } });
    expect(graph.cycles()).toEqual(['Only/First', 'Only/Second']);
  });

  test('refuses a name that no template has', () => {
    expect(() => graphOf({ First: { Properties: { Name: { Ref: 'Nothing' } } } })).toThrow('has no Nothing');
  });
});

test('each entry of the list stands for pairs of its own', () => {
  const graph = new TemplateGraph(synthesizeStage(testApp(), 'counted', completeDev));
  const counts = orderedPairs.map((pair) => pairsOf(graph, pair).length);
  expect(Math.min(...counts)).toBeGreaterThan(0);
  console.log(`${orderedPairs.length} rules of order stand for ${counts.reduce((sum, count) => sum + count, 0)} pairs`);
}, 60_000);
