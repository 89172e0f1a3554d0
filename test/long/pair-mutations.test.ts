// Whether faults between two templates would be noticed: one random fault of each kind, and changes that are none.
import { expect, test } from 'vitest';
import { templateChanges } from '../../bin/deploy/template-changes/template-changes.ts';
import { presentTemplates } from '../support/release-before.ts';
import { type PairMutation, pairMutations, type Templates } from '../template-changes/pair-mutations.ts';

const seed = Number(process.env['MUTATIONS_SEED'] ?? 14);
const leastCaughtPercent = 90;
const standing = presentTemplates('.');

function findingsAfter({ applyTo }: Pick<PairMutation, 'applyTo'>): readonly string[] {
  const after: Templates = structuredClone(new Map(standing));
  applyTo(after);
  const { findings } = templateChanges({ before: standing, after });
  return findings.map(({ effect, subject }) => `${effect} ${subject}`);
}

/** The specification of CloudFormation has these changes as “maybe” or not at all. */
const unnoticed = new Set(['a database becomes another engine', 'a key becomes one of another kind']);

test('nearly every fault between two templates is found', () => {
  const chosen = Object.entries(pairMutations).map(([kind, mutationsOf], index) => {
    const possible = mutationsOf(standing);
    return { kind, mutation: possible[(seed * 7919 + index * 31) % possible.length]! };
  });
  const missed = chosen.filter(({ mutation }) => findingsAfter(mutation).length === 0);
  const survivors = missed.map(({ kind, mutation }) => `survived: ${kind}: ${mutation.fault}`);
  console.log([`${chosen.length - missed.length} of ${chosen.length} caught`, ...survivors].join('\n'));
  expect(chosen.length).toBeGreaterThanOrEqual(30);
  expect(chosen.length - missed.length).toBeGreaterThanOrEqual((chosen.length * leastCaughtPercent) / 100);
  expect(missed.map(({ kind }) => kind).filter((kind) => !unnoticed.has(kind))).toEqual([]);
});

test('the first ten faults of each other kind are found', () => {
  const missed = Object.entries(pairMutations)
    .filter(([kind]) => !unnoticed.has(kind))
    .flatMap(([kind, mutationsOf]) =>
      mutationsOf(standing)
        .slice(0, 10)
        .filter((mutation) => findingsAfter(mutation).length === 0)
        .map(({ fault }) => `${kind}: ${fault}`),
    );
  expect(missed).toEqual([]);
});

const harmless: Readonly<Record<string, (templates: Templates) => void>> = {
  nothing: () => {},
  'a new queue': (templates) => (templates.get('Publishing').Resources.More = { Type: 'AWS::SQS::Queue' }),
  'a new export with its importer': (templates) => {
    templates.get('Network').Outputs.More = { Value: 'x', Export: { Name: 'prod-Network:More' } };
    templates.get('Api').Outputs.More = { Value: { 'Fn::ImportValue': 'prod-Network:More' } };
  },
  'an export and its importer that go': (templates) => {
    const importer = templates.get('Monitoring');
    templates.set('Monitoring', { ...importer, Resources: {}, Outputs: {} });
    delete templates.get('Operate').Outputs.Function;
  },
  'a larger database': (templates) =>
    (templates.get('Database').Resources.DatabaseB269D8BB.Properties.AllocatedStorage = '200'),
  'a larger class': (templates) =>
    (templates.get('Database').Resources.DatabaseB269D8BB.Properties.DBInstanceClass = 'db.m8g.xlarge'),
  'new code': (templates) => {
    for (const [id, template] of templates)
      templates.set(id, JSON.parse(JSON.stringify(template).replaceAll('HASH', 'CODE')));
  },
};

test.each(Object.entries(harmless))('%s is no fault', (name, applyTo) => {
  const found = findingsAfter({ applyTo });
  // Data in Monitoring goes with all its resources.
  expect(name.includes('go') ? found.filter((finding) => !finding.includes('Monitoring/')) : found).toEqual([]);
});
