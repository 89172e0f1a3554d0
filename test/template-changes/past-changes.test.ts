// The changes of templates that were made so far, forwards and backwards: which ones could not be taken back.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { templateChanges } from '../../bin/deploy/template-changes/template-changes.ts';
import type { StageTemplates } from '../../bin/deploy/template-changes/stage-templates.ts';
import { resource, type SmallStack, smallStage } from './small-stages.ts';

const [, ...records] = readFileSync(join(import.meta.dirname, 'past-changes.txt'), 'utf8').split(/^# /m);

const migration: SmallStack['resources'] = { Migration: resource('Custom::Trigger') };

/** The stage after each recorded change. */
const releases: { readonly title: string; readonly facts: ReadonlySet<string> }[] = [];
for (const record of records) {
  const [title = '', ...lines] = record.trim().split('\n');
  const facts = new Set(releases.at(-1)?.facts);
  for (const line of lines) {
    if (line.startsWith('- ')) facts.delete(line.slice(2));
    else facts.add(line.slice(2));
  }
  releases.push({ title, facts });
}

function stageOf(facts: ReadonlySet<string>): StageTemplates {
  const words = [...facts].map((fact) => fact.split(' '));
  const ids = words.filter(({ length }) => length === 1).map(([id = '']) => id);
  const named = (stack: string, verb: string) =>
    words.filter(([subject, action]) => subject === stack && action === verb).map(([, , name = '']) => name);
  return smallStage(
    Object.fromEntries(
      ids.map((stack) => [
        stack,
        {
          resources: facts.has(`${stack} migrates`) ? migration : {},
          exports: Object.fromEntries(named(stack, 'exports').map((name) => [name, name])),
          imports: named(stack, 'imports'),
          reads: named(stack, 'reads'),
          outputs: Object.fromEntries(named(stack, 'shows').map((name) => [name, name === 'Schema' ? '0001' : name])),
        },
      ]),
    ),
  );
}

/** Refusals, or the stacks that have to be deployed first; null if the usual order works. */
function verdictOn(before: ReadonlySet<string>, after: ReadonlySet<string>): string | null {
  const { findings, order } = templateChanges({ before: stageOf(before), after: stageOf(after) });
  const refused = findings.filter(({ effect }) => effect === 'refused').length;
  if (refused > 0) return `refused: ${refused}`;
  return order.first.length > 0 ? `first: ${order.first.join(', ')}` : null;
}

test('37 changes: one could not be deployed in one go, and five could not be taken back in the usual order', () => {
  const numbered = (facts: ReadonlySet<string>) => new Set([...facts, 'Database shows Schema']);
  const verdicts = releases.flatMap(({ title, facts }, index) => {
    const before = releases[index - 1]?.facts;
    if (!before || (facts.isSubsetOf(before) && before.isSubsetOf(facts))) return [];
    const [forwards, back] = [verdictOn(before, facts), verdictOn(facts, before)];
    const backWithNumber = verdictOn(numbered(facts), numbered(before));
    return forwards === null && back === null
      ? []
      : [{ change: title.slice(11, 60), forwards, back, 'back, if the schema had had its number': backWithNumber }];
  });
  expect(releases.length - 1).toBe(37);
  expect(verdicts).toMatchInlineSnapshot(`
    [
      {
        "back": "refused: 58",
        "back, if the schema had had its number": "refused: 58",
        "change": "Give every room one purpose, and mend what would ",
        "forwards": null,
      },
      {
        "back": "refused: 12",
        "back, if the schema had had its number": "refused: 12",
        "change": "Merge branch 'main' into capacity",
        "forwards": null,
      },
      {
        "back": "first: Database, Api, Operate, Monitoring",
        "back, if the schema had had its number": "first: Api, Operate, Monitoring",
        "change": "Merge branch 'managed'",
        "forwards": null,
      },
      {
        "back": "refused: 1",
        "back, if the schema had had its number": "first: Publishing, Api",
        "change": "Merge branch 'parts' into watch",
        "forwards": null,
      },
      {
        "back": "refused: 3",
        "back, if the schema had had its number": "refused: 1",
        "change": "Bring what one racing test held back: the dashboa",
        "forwards": "refused: 1",
      },
    ]
  `);
});
