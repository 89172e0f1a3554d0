// The command that reads the record of commands.
import * as z from 'zod';
import { operatorCommand, shortText } from '../command.ts';

const defaultCount = 20;

export const showRecord = operatorCommand({
  noun: 'record',
  verb: 'show',
  summary: 'lists the last commands of operators: who, why, and how they ended',
  changes: false,
  args: {},
  options: {
    about: { says: 'only those about this id or hash', value: shortText },
    last: {
      says: `how many, up to 1000 (default ${defaultCount})`,
      value: z.string().regex(/^(?:[1-9]\d{0,2}|1000)$/, 'is no number from 1 to 1000'),
    },
  },
  async handle({ data, commandID }, { options }) {
    const count = Number(options['last'] ?? defaultCount);
    const kept = await data.operatorCommands.last(count, options['about'] ?? null, commandID);
    return {
      says: `The last commands: ${kept.length}.`,
      rows: kept.map((command) => ({
        at: command.at,
        operator: command.operator,
        command: command.words.join(' '),
        reason: command.reason,
        outcome: command.outcome ?? 'did not end',
        says: command.says,
      })),
    };
  },
});
