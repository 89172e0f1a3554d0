// `npm run cost`: lib/README.md has the tables of today's templates and prices, and wrong arguments are refused.
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { costSection, withCostSection } from '../../bin/cost/cost-section.ts';
import { stages } from '../../lib/stages.ts';

const root = join(import.meta.dirname, '../..');
const readme = readFileSync(join(root, 'lib/README.md'), 'utf8');

test('lib/README.md has the tables that `npm run cost -- --write` makes now', { timeout: 200_000 }, () => {
  expect(readme).toBe(withCostSection(readme, costSection(stages)));
});

test('lib/README.md is not written if its marks are gone', () => {
  expect(() => withCostSection('# A README', 'tables')).toThrow('lib/README.md lacks the marks');
});

test('an argument that the command does not know is refused', () => {
  const { status, stderr } = spawnSync(process.execPath, ['bin/cost.ts', 'dev'], { cwd: root, encoding: 'utf8' });
  expect([status, stderr]).toEqual([1, expect.stringContaining("'dev'")]);
});
