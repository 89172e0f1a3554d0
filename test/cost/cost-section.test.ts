// `npm run cost`: lib/README.md has the tables of today's templates and prices, and wrong arguments are refused.
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { costSection, withCostSection } from '../../bin/cost/cost-section.ts';
import { idleRows } from '../../bin/cost/idle-rows.ts';
import { readOptions } from '../../bin/cost/options.ts';
import { templatesOf } from '../../bin/cost/stage-templates.ts';
import { stages } from '../../lib/stages.ts';

const root = join(import.meta.dirname, '../..');
const readme = readFileSync(join(root, 'lib/README.md'), 'utf8');
const synthTimeoutMs = 200_000;

describe('lib/README.md', () => {
  test('has the tables that `npm run cost -- --write` makes now', { timeout: synthTimeoutMs }, () => {
    const every = Object.entries(stages);
    const templates = every.map(([name, settings]) => [name, templatesOf(name, settings)] as const);
    const section = costSection(templates, idleRows(every));
    expect(readme).toBe(withCostSection(readme, section));
  });

  test('is not written if its marks are gone', () => {
    expect(() => withCostSection('# A README', 'tables')).toThrow('lib/README.md lacks the marks');
  });
});

describe('the command', () => {
  test('prints one stage, and nothing else', { timeout: synthTimeoutMs }, () => {
    const { status, stdout, stderr } = spawnSync(process.execPath, ['bin/cost.ts', 'dev'], {
      cwd: root,
      encoding: 'utf8',
    });
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    expect(stdout).toMatch(/^\| Dollars a month \| dev \|$/m);
    expect(stdout).toMatch(/^\| 1080p30 \| 0\.39 \|/m);
  });

  test('computes every stage, or the one that is named', () => {
    expect(readOptions(['--write'])).toEqual({ stages: Object.entries(stages), write: true });
    expect(readOptions(['staging'])).toEqual({ stages: [['staging', stages.staging]], write: false });
  });

  test.each([
    [['qa'], 'There is no stage qa.'],
    [['--currency', 'EUR'], '--currency'],
    [['dev', '--write'], '--write takes no stage'],
  ])('refuses %j', (args, reason) => {
    expect(readOptions(args)).toEqual({ text: expect.stringContaining(reason), exitCode: 2 });
    expect(readOptions(args)).toHaveProperty(
      'text',
      expect.stringContaining(`one stage: ${Object.keys(stages).join(', ')}`),
    );
  });
});
