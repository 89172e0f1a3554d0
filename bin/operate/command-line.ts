// The arguments of `npm run operate`.
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { operatorCommands } from '../../lambda/operate/catalogue.ts';
import type { OperatorCommand } from '../../lambda/operate/command.ts';
import { OperatorRefusal } from '../../lambda/operate/command.ts';
import { readRequest } from '../../lambda/operate/read-request.ts';
import type { OperatorRequest } from '../../lambda/operate/read-request.ts';

export interface OperateArguments {
  /** `local`, or the name of a stage. */
  readonly stage: string;
  readonly request: OperatorRequest;
  readonly isJson: boolean;
  /** Folder of the local run. */
  readonly dataFolder: string;
  /** The profile of the AWS configuration; undefined: the default one. */
  readonly profile: string | undefined;
  /** Whether the stage is an engineer's own, and not in lib/stages.ts. */
  readonly isOwn: boolean;
}

const nameOf = ({ noun, verb, args }: OperatorCommand) =>
  [noun, verb, ...Object.keys(args).map((name) => name.toUpperCase())].join(' ');
const width = Math.max(...operatorCommands.map((command) => nameOf(command).length)) + 2;
const lines = operatorCommands.map((command) => {
  const options = Object.entries(command.options).map(
    ([name, { says }]) => `\n  ${`    --${name} TEXT`.padEnd(width)}${says}`,
  );
  return `  ${nameOf(command).padEnd(width)}${command.summary}${options.join('')}`;
});

const usage = `Runs commands of operators on a stage in AWS, or on the local run.

  npm run operate -- STAGE COMMAND [options]
  npm run operate -- local COMMAND [options]

Commands (USER is an address or an id, CONTENT the SHA-256 of bytes or the id of an upload):
${lines.join('\n')}

Options:
  --reason TEXT   the reason; required by commands that change something
  --dry-run       shows the effect, and changes nothing
  --json          prints the answer as JSON
  --data DIR      the folder of the local run, running or stopped (default .local)
  --own           the stage is your own, and not in lib/stages.ts
  --profile NAME  AWS credentials other than the default ones
  --help          this text

Every command is recorded for ever, also dry and refused ones: its operator, reason and outcome.
Example: npm run operate -- local user disable ada@example.com --reason "streams football" --dry-run`;

const known = new Set(['reason', 'dry-run', 'json', 'data', 'own', 'profile', 'help']);
const optionNames = [...new Set(operatorCommands.flatMap(({ options }) => Object.keys(options)))];

/**
 * @param id id of this command
 * @returns the request, or a text for the user: help (exit code 0), or the fault of the arguments (exit code 2)
 */
export function readArguments(
  args: readonly string[],
  id: string,
): OperateArguments | { readonly text: string; readonly exitCode: 0 | 2 } {
  try {
    const text = { type: 'string' } as const;
    const { values, positionals } = parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        ...(Object.fromEntries(optionNames.map((name) => [name, text])) as Record<string, typeof text>),
        reason: { type: 'string' },
        'dry-run': { type: 'boolean', default: false },
        json: { type: 'boolean', default: false },
        data: { type: 'string', default: '.local' },
        own: { type: 'boolean', default: false },
        profile: { type: 'string' },
        help: { type: 'boolean', short: 'h', default: false },
      },
    });
    if (values.help) return { text: usage, exitCode: 0 };
    const [stage, ...words] = positionals;
    if (stage === undefined) throw new OperatorRefusal('The stage is missing: it comes first.');
    if (words.length === 0) throw new OperatorRefusal('The command is missing: it comes after the stage.');
    if (values.data === '') throw new OperatorRefusal('--data takes the name of a folder.');
    const options = Object.fromEntries(Object.entries(values).filter(([name]) => !known.has(name))) as Record<
      string,
      string
    >;
    const request = { id, words, options, reason: values.reason ?? null, dryRun: values['dry-run'] };
    readRequest(request);
    return {
      stage,
      request,
      isJson: values.json,
      dataFolder: resolve(values.data),
      profile: values.profile,
      isOwn: values.own,
    };
  } catch (error) {
    return { text: `${(error as Error).message}\n\n${usage}`, exitCode: 2 };
  }
}
