// The definition of an operator's command: its words, arguments, options, and handler.
import * as z from 'zod';
import type { Database } from '../data/database.ts';
import type { DeadLetters } from '../ports/dead-letters/dead-letters.ts';

/** The context of a command. `data` is one transaction, which is rolled back after a dry run or a refusal. */
export interface OperatorContext {
  readonly data: Database;
  readonly deadLetters: DeadLetters;
  readonly now: Date;
  /** The id of this command. Ids of created rows derive from it, so that a retry creates nothing twice. */
  readonly commandID: string;
  readonly reason: string;
  readonly isDry: boolean;
}

/** One row of a table. All rows have the same columns. */
export type Row = Readonly<Record<string, string | number | boolean | Date | null>>;

export interface Outcome {
  /** A sentence that describes the result. With `--dry-run` it describes in the same words what would be done. */
  readonly says: string;
  readonly rows?: readonly Row[];
  /** The ids of users, contents and streams that the command concerned, to find it in the record. */
  readonly subjects?: readonly string[];
  /** The user whose account rest is applied after the commit, instead of an agent that would do it within a second. */
  readonly settles?: string;
}

/** The operator's fault, with a sentence about the remedy. */
export class OperatorRefusal extends Error {
  override readonly name = 'OperatorRefusal';
}

type Fields = Readonly<Record<string, z.ZodType<unknown, string>>>;
type Values<Shape extends Fields> = { readonly [Name in keyof Shape]: z.output<Shape[Name]> };

export interface OperatorCommand {
  readonly noun: string;
  readonly verb: string;
  readonly summary: string;
  /** Whether it changes anything. If so, it requires a reason. */
  readonly changes: boolean;
  readonly args: Fields;
  readonly options: Readonly<Record<string, { readonly says: string; readonly value: z.ZodType<unknown, string> }>>;
  readonly handle: (context: OperatorContext, input: never) => Promise<Outcome>;
}

/** Declares a command. Arguments come in the order of `args`, and each schema parses its text. */
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

/** A text typed by an operator, with a limit of length and without characters that Postgres cannot store. */
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
