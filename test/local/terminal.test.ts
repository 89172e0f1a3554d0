// The terminal output of a local run is readable in a pipe, and one moving line on a terminal.
import { expect, test } from 'vitest';
import { openTerminal } from '../../bin/local/terminal.ts';

function recorder(isTTY: boolean) {
  const written: string[] = [];
  const terminal = openTerminal({
    isTTY,
    columns: 80,
    write: (text: string | Uint8Array) => written.push(String(text)) > 0,
  });
  return { terminal, text: () => written.join('') };
}
const withoutDurations = (text: string) => text.replaceAll(/\d+\.\d s/g, 'N s');

test('a pipe gets one plain line for each step, and aligned tables', async () => {
  const { terminal, text } = recorder(false);
  expect(await terminal.step('Starting Postgres', async (showDetail) => (showDetail('creating'), 18))).toBe(18);
  await expect(terminal.step('Finding ffmpeg', () => Promise.reject(new Error('none')))).rejects.toThrow('none');
  terminal.table([
    ['Page', 'http://127.0.0.1:8080/'],
    ['API key', 'in .local/api-key', 'secret'],
  ]);
  expect(withoutDurations(text())).toBe(
    [
      '✓ Starting Postgres (N s)',
      '✗ Finding ffmpeg',
      '  Page     http://127.0.0.1:8080/',
      '  API key  in .local/api-key       secret',
      '',
    ].join('\n'),
  );
});

test('a terminal shows the steps that run, and those that are done above them', async () => {
  const { terminal, text } = recorder(true);
  const slow = Promise.withResolvers<void>();
  const pending = terminal.step('Slow', () => slow.promise);
  await terminal.step('Quick', async () => {});
  expect(text()).toContain('Slow …, Quick …');
  expect(text()).toMatch(/✓\S* Quick .*\n\r\S*Slow …\S*$/);
  slow.resolve();
  await pending;
  expect(text()).toMatch(/✓\S* Slow .*\n$/);
});
