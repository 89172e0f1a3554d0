// Parses an operator's words: the command, its arguments, options and reason.
// The tool does so before it sends the request, and the function does so again.
import * as z from 'zod';
import { operatorCommands } from './catalogue.ts';
import { OperatorRefusal } from './command.ts';
import type { OperatorCommand } from './command.ts';

/** The request of the tool, with all that the operator typed. */
export const operatorRequest = z.strictObject({
  /** Chosen by the tool, so that the request runs only once. */
  id: z.string().regex(/^op_[0-9a-f]{32}$/),
  /** The noun, the verb, and the arguments. */
  words: z.array(z.string().max(500)).max(10),
  options: z.record(z.string().max(20), z.string().max(500)),
  reason: z.string().max(500).nullable(),
  dryRun: z.boolean(),
});
export type OperatorRequest = z.output<typeof operatorRequest>;

export interface ReadRequest {
  readonly command: OperatorCommand;
  readonly input: Readonly<Record<string, unknown>>;
}

/** @throws {OperatorRefusal} a sentence about the first fault */
export function readRequest({ words, options, reason }: OperatorRequest): ReadRequest {
  const [noun = '', verb = '', ...given] = words;
  const command = operatorCommands.find((candidate) => candidate.noun === noun && candidate.verb === verb);
  if (!command) throw new OperatorRefusal(`There is no command “${[noun, verb].join(' ').trim()}”.`);
  const names = Object.keys(command.args);
  if (given.length !== names.length) {
    const takes = names.map((name) => name.toUpperCase()).join(' and ') || 'nothing';
    throw new OperatorRefusal(`“${noun} ${verb}” takes ${takes}, and ${given.length} arguments were given.`);
  }
  const input = Object.fromEntries(
    Object.entries(command.args).map(([name, schema], index) => [
      name,
      read(schema, given[index]!, name.toUpperCase()),
    ]),
  );
  const checkedOptions = Object.fromEntries(
    Object.entries(options).map(([name, text]) => {
      const option = Object.hasOwn(command.options, name) ? command.options[name] : undefined;
      if (!option) throw new OperatorRefusal(`“${noun} ${verb}” has no option --${name}.`);
      return [name, read(option.value, text, `--${name}`)];
    }),
  );
  if (command.changes && !reason?.trim())
    throw new OperatorRefusal(`“${noun} ${verb}” changes something: say why with --reason TEXT.`);
  return { command, input: { ...input, options: checkedOptions } };
}

function read(schema: z.ZodType<unknown, string>, text: string, name: string): unknown {
  const parsed = schema.safeParse(text);
  if (parsed.success) return parsed.data;
  throw new OperatorRefusal(`${name}: “${text}” ${parsed.error.issues[0]!.message}.`);
}
