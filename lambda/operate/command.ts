// What a command of operators is: its words, its arguments and options, and what it does.
import * as z from 'zod';
import type { Database } from '../data/database.ts';
import type { DeadLetters } from '../ports/dead-letters/dead-letters.ts';

/** What a command works with. `data` is one transaction; it is undone where the command is dry or refused. */
export interface OperatorContext {
  readonly data: Database;
  readonly deadLetters: DeadLetters;
  readonly now: Date;
  /** Of this command: what it makes is named after it, so that nothing is made twice. */
  readonly commandID: string;
  readonly reason: string;
  readonly isDry: boolean;
}

/** One line of a table: every line has the same columns. */
export type Row = Readonly<Record<string, string | number | boolean | Date | null>>;

export interface Outcome {
  /** A sentence: what was found or done. With `--dry-run` it says what would be done, in the same words. */
  readonly says: string;
  readonly rows?: readonly Row[];
  /** The users, contents and streams that it was about, by which the record finds it. */
  readonly subjects?: readonly string[];
  /** The user whose account is settled after the commit, where an agent would do it within a second. */
  readonly settles?: string;
}

/** The operator's fault, in a sentence that says what to do. */
export class OperatorRefusal extends Error {
  override readonly name = 'OperatorRefusal';
}

type Fields = Readonly<Record<string, z.ZodType<unknown, string>>>;
type Values<Shape extends Fields> = { readonly [Name in keyof Shape]: z.output<Shape[Name]> };

export interface OperatorCommand {
  readonly noun: string;
  readonly verb: string;
  readonly summary: string;
  /** Whether it changes anything: then it takes a reason. */
  readonly changes: boolean;
  readonly args: Fields;
  readonly options: Readonly<Record<string, { readonly says: string; readonly value: z.ZodType<unknown, string> }>>;
  readonly handle: (context: OperatorContext, input: never) => Promise<Outcome>;
}

/** Declares a command. Arguments are given in the order of `args`; each is text that its schema reads. */
export function operatorCommand<const Args extends Fields>(
  definition: Omit<OperatorCommand, 'args' | 'handle' | 'options'> & {
    readonly args: Args;
    readonly options?: OperatorCommand['options'];
    readonly handle: (
      context: OperatorContext,
      input: Values<Args> & { readonly options: Readonly<Record<string, string>> },
    ) => Promise<Outcome>;
  },
): OperatorCommand {
  return { options: {}, ...definition };
}

/** Text that an operator types: bounded, and nothing that Postgres cannot hold. */
export const shortText = z
  .string()
  .min(1, 'is empty')
  .max(500, 'has more than 500 characters')
  .refine((text) => !text.includes('\0'), 'has a character that cannot be kept');
export const userArg = shortText;
export const contentArg = z
  .string()
  .regex(
    /^(?:[0-9a-f]{64}|upl_\w{1,40})$/,
    'is neither the SHA-256 of the bytes, as 64 digits, nor the id of an upload',
  );
