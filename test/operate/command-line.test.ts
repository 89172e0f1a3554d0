// The answers of `npm run operate` to arguments, and its safe output of strangers' texts.
import { describe, expect, it, test } from 'vitest';
import { readArguments } from '../../bin/operate/command-line.ts';
import { tableOf } from '../../bin/operate/print-reply.ts';
import { operatorCommands } from '../../lambda/operate/catalogue.ts';

const id = `op_${'0'.repeat(32)}`;
const read = (line: string) => readArguments(line.split(' ').filter(Boolean), id);

test('the help lists every command', () => {
  const help = read('--help');
  expect(help).toMatchObject({ exitCode: 0 });
  for (const { noun, verb, summary } of operatorCommands) {
    expect('text' in help && help.text).toContain(`${noun} ${verb}`);
    expect('text' in help && help.text).toContain(summary);
  }
});

it('reads a command', () => {
  expect(read('local user hold a@example.com --reason spam --told sorry --dry-run --json --data /tmp/x')).toMatchObject(
    {
      stage: 'local',
      dataFolder: '/tmp/x',
      isJson: true,
      request: {
        id,
        words: ['user', 'hold', 'a@example.com'],
        options: { told: 'sorry' },
        reason: 'spam',
        dryRun: true,
      },
    },
  );
});

describe('bad arguments', () => {
  it.each([
    ['', 'The stage is missing'],
    ['local', 'The command is missing'],
    ['local user', 'There is no command “user”.'],
    ['local user explode x', 'There is no command “user explode”.'],
    ['local user show', '“user show” takes USER, and 0 arguments were given.'],
    ['local user show a b', '“user show” takes USER, and 2 arguments were given.'],
    ['local user disable a', 'say why with --reason TEXT'],
    ['local user disable a --reason r --told x', '“user disable” has no option --told.'],
    ['local credits grant a -5 --reason r', "Unknown option '-5'"],
    ['local credits grant a 0 --reason r', 'CREDITS: “0” is nothing.'],
    ['local credits grant a 1e9 --reason r', 'CREDITS: “1e9” is no number of credits'],
    ['local user feature a flying on --reason r', 'FEATURE: “flying” is none of streamBackendEdit.'],
    ['local content block abc --reason r', 'CONTENT: “abc” is neither the SHA-256'],
    ['local dead-letters list letters', 'QUEUE: “letters” is none of publish-ffmpeg'],
    ['local record show --last 0', '--last: “0” is no number from 1 to 1000.'],
    ['local user show a --force', "Unknown option '--force'"],
  ])('“%s” get a sentence and the usage', (line, sentence) => {
    expect(read(line)).toMatchObject({
      exitCode: 2,
      text: expect.stringMatching(/^[^\n]+[^]*\n\n[^]*npm run operate -- STAGE COMMAND/),
    });
    expect(read(line)).toMatchObject({ text: expect.stringContaining(sentence) });
  });
});

test('a table shows what moves a cursor as what it is', () => {
  const lines = tableOf([
    { id: 'a', name: 'plain', credits: 5 },
    { id: 'bcd', name: 'red \u001b[31m\nnext \u202e', credits: null },
  ]);
  expect(lines).toEqual([
    '',
    '  id   name                             credits',
    '  a    plain                            5',
    '  bcd  red \\u001b[31m\\u000anext \\u202e  -',
  ]);
});
