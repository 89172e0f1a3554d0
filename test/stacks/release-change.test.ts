// The change since the release before: it can be deployed in one go and taken back, and loses nothing unaccepted.
// Decision D181.
import { describe, expect, test } from 'vitest';
import { acceptedAs, type Direction, readAcceptedChanges } from '../../bin/deploy/template-changes/accepted-changes.ts';
import { linesOfFindings, sentenceOfOrder } from '../../bin/deploy/template-changes/report-changes.ts';
import { templateChanges } from '../../bin/deploy/template-changes/template-changes.ts';
import { presentTemplates, releaseBefore } from '../support/release-before.ts';

// A run by hand has no change to compare with.
const base = process.env['RELEASE_BASE'] || undefined;
const before = releaseBefore(base);
const accepted = readAcceptedChanges();
const stages = [
  ['prod', '.'],
  ['dev', 'dev'],
] as const;

/** Findings that are not accepted. Going back always loses the data of resources that the release added. */
function unaccepted(stage: string, direction: Direction): readonly string[] {
  const [old, now] = [before!.templates(stage), presentTemplates(stage)];
  // A release before the first snapshot of this stage.
  if (old.size === 0) return [];
  const { findings, order } = templateChanges(
    direction === 'forwards' ? { before: old, after: now } : { before: now, after: old },
  );
  const fatal = findings.filter(({ effect }) =>
    direction === 'forwards' ? effect !== 'at risk' : effect === 'refused',
  );
  const told = findings.filter((finding) => !fatal.includes(finding));
  const lines = [...linesOfFindings(told), sentenceOfOrder(order) ?? []].flat();
  if (lines.length > 0) console.log([`${stage === '.' ? 'prod' : stage}, ${direction}:`, ...lines].join('\n'));
  return linesOfFindings(fatal.filter((finding) => !accepted.has(acceptedAs(direction, finding))));
}

describe.skipIf(before === null)(
  `the change since ${before?.name ?? 'the release before (skipped: git has no commit with other templates)'}`,
  () => {
    test.each(stages)('can be deployed to %s in one go, and loses nothing', (_, stage) => {
      expect(unaccepted(stage, 'forwards')).toEqual([]);
    });

    test.each(stages)('can be taken back from %s by deploying the release before', (_, stage) => {
      expect(unaccepted(stage, 'back')).toEqual([]);
    });
  },
);

test('a finding is accepted by a line with a reason', () => {
  const lines = (text: string) => readAcceptedChanges(`Head\n\n${text}\n`);
  expect([...lines('forwards: lost Media/Uploads — the bucket moves\nback: refused A/B — once')]).toEqual([
    'forwards: lost Media/Uploads',
    'back: refused A/B',
  ]);
  expect(() => lines('forwards: lost Media/Uploads')).toThrow('lacks its reason');
});
