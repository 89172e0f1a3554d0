// What a check of the account is: a question to AWS or to the machine, and what it found.
import { z } from 'zod';
import { type AskAws, type Reason, Unanswered } from './ask-aws.ts';
import type { StageCommand } from './command-line.ts';

/** One row of the table. */
export interface Finding {
  readonly what: string;
  readonly needed: string;
  readonly found: string;
  /** `missing` blocks a deployment, `warning` does not. */
  readonly state: 'there' | 'missing' | 'warning';
  /** Lines: sentences, and commands to copy, which begin with `$ `. Empty where nothing has to be done. */
  readonly remedy: readonly string[];
}

/** What a check has that asks AWS nothing. */
export interface LocalContext {
  readonly command: StageCommand;
}

export interface CheckContext extends LocalContext {
  /** 12 digits. */
  readonly account: string;
  readonly ask: AskAws;
}

export interface Check<Context extends LocalContext = CheckContext> {
  readonly name: string;
  /** @throws {Unanswered} which becomes a warning */
  readonly run: (context: Context) => Promise<readonly Finding[]>;
}

export type LocalCheck = Check<LocalContext>;

/** The options of `aws` that reach the account and region which the command deploys to. */
export function awsOptions({ settings, profile }: StageCommand): string {
  return `--region ${settings.region}${profileOption(profile)}`;
}

/** How the user typed the stage, with the credentials. */
export function deployCommand({ stage, isShared, profile }: StageCommand): string {
  return `npm run deploy -- ${stage}${isShared ? '' : ' --own'}${profileOption(profile)}`;
}

export function profileOption(profile: string | undefined): string {
  return profile === undefined ? '' : ` --profile ${profile}`;
}

/** A warning that something could not be asked. */
export function unansweredFinding(what: string, { right, reason, code, message }: Unanswered): Finding {
  const answers: Readonly<Record<Reason, readonly [found: string, remedy: string]>> = {
    forbidden: [
      `not known: ${code}`,
      `The right ${right} is missing: ask whoever manages the account for it, or look by hand.`,
    ],
    busy: [`not known: ${code}`, 'AWS is busy: try again.'],
    unreachable: ['not known: no connection', `${message}. Try again.`],
    refused: [`not known: ${code}`, `${message}.`],
    unreadable: ['not known: an answer of another shape', `Look by hand, and correct this check (${right}).`],
  };
  const [found, remedy] = answers[reason];
  return { what, needed: 'an answer of AWS', found, state: 'warning', remedy: [remedy] };
}

/** Where a check goes on without an answer. @returns why there is none, instead of throwing it */
export async function orWhyNot<Answer>(answer: Promise<Answer>): Promise<Answer | Unanswered> {
  return answer.catch((error: unknown) => {
    if (error instanceof Unanswered) return error;
    throw error;
  });
}

/** @returns null if AWS answers with one of these errors, which say that there is no such thing */
export async function orAbsent<Answer>(answer: Promise<Answer>, ...codes: readonly string[]): Promise<Answer | null> {
  return answer.catch((error: unknown) => {
    if (error instanceof Unanswered && codes.includes(error.code)) return null;
    throw error;
  });
}

/** A list in XML: parsers cannot tell a list of one from its element. @param name of each element */
export function xmlList<Item extends z.ZodType>(name: 'item' | 'member', item: Item) {
  const elements = (list: unknown): unknown => {
    const found: unknown = Object(list)[name] ?? [];
    return Array.isArray(found) ? found : [found];
  };
  return z.preprocess(elements, z.array(item));
}
