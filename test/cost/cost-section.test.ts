// `npm run cost`: lib/README.md has the tables of today's templates and prices, and wrong arguments are answered.
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { costSection, withCostSection } from '../../bin/cost/cost-section.ts';
import { templatesOf } from '../../bin/cost/stage-templates.ts';
import { stages } from '../../lib/stages.ts';

const root = join(import.meta.dirname, '../..');
const readme = readFileSync(join(root, 'lib/README.md'), 'utf8');
const cost = (...args: string[]) => spawnSync(process.execPath, ['bin/cost.ts', ...args], { cwd: root, encoding: 'utf8' });

describe('lib/README.md', () => {
  test('has the tables that `npm run cost -- --write` makes now', () => {
    const section = costSection(Object.entries(stages).map(([name, settings]) => [name, templatesOf(name, settings)]));
    expect(readme).toBe(withCostSection(readme, section));
  });

  test('is left alone if its marks are gone', () => {
    expect(() => withCostSection('# A README', 'tables')).toThrow('lib/README.md lacks the marks');
  });
});

describe('the command', () => {
  test('prints one stage', () => {
    const { status, stdout, stderr } = cost('dev');
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    expect(stdout).toMatch(/^\| Dollars a month \| dev \|$/m);
    expect(stdout).toMatch(/^\| 1080p30 \| 0\.39 \|/m);
  });

  test.each([[['qa']], [['--currency', 'EUR']], [['dev', '--write']]])('refuses %j and says which stages there are', (args) => {
    const { status, stdout, stderr } = cost(...args);
    expect({ status, stdout }).toEqual({ status: 2, stdout: '' });
    expect(stderr).toContain(`one stage: ${Object.keys(stages).join(', ')}`);
  });
});
