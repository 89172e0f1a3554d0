// The arguments of `npm start`: their meaning, and a refusal of each with the allowed numbers.
import { resolve } from 'node:path';
import { describe, expect, test } from 'vitest';
import { readOptions } from '../../bin/local/options.ts';

describe('the arguments of npm start', () => {
  test('have defaults', () => {
    expect(readOptions([])).toEqual({
      port: null,
      dataFolder: resolve('.local'),
      demo: true,
      synthetic: false,
      fresh: false,
      agents: null,
      credits: 100_000,
    });
  });

  test.each([
    ['--port', '1', { port: 1 }],
    ['--port', '65535', { port: 65_535 }],
    ['--agents', '0', { agents: 0 }],
    ['--agents', '16', { agents: 16 }],
    ['--credits', '0', { credits: 0 }],
    ['--credits', '42', { credits: 42 }],
  ])('%s takes %s', (name, value, expected) => {
    expect(readOptions([name, value])).toMatchObject(expected);
  });

  test.each([
    ['--port', '0', '--port takes a number from 1 to 65535.'],
    ['--port', '65536', '--port takes a number from 1 to 65535.'],
    ['--agents', '-1', '--agents takes a number from 0 to 64.'],
    ['--agents', '', '--agents takes a number from 0 to 64.'],
    ['--agents', '65', '--agents takes a number from 0 to 64.'],
    ['--credits', '-1', '--credits takes a number from 0 to 1000000000.'],
    ['--credits', '1.5', '--credits takes a number from 0 to 1000000000.'],
    ['--credits', '', '--credits takes a number from 0 to 1000000000.'],
    ['--data', '', '--data takes the name of a folder.'],
  ])('%s does not take “%s”, and says what it takes', (name, value, message) => {
    expect(readOptions([`${name}=${value}`])).toEqual({
      text: expect.stringMatching(new RegExp(`^${message.replaceAll('.', '\\.')}\n`)),
      exitCode: 2,
    });
  });
});
