// A check of the account: a question to AWS or to the machine, and its findings.
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
  /** Lines of text: sentences, and commands to copy, which begin with `$ `. Empty if there is nothing to do. */
  readonly remedy: readonly string[];
}

/** The context of a check that does not query AWS. */
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

/** The options of `aws` for the account and region of the command. */
export function awsOptions({ settings, profile }: StageCommand): string {
  return `--region ${settings.region}${profileOption(profile)}`;
}

/** The command that the user typed for the stage, with the credentials. */
export function deployCommand({ stage, isShared, profile }: StageCommand): string {
  return `npm run deploy -- ${stage}${isShared ? '' : ' --own'}${profileOption(profile)}`;
}

export function profileOption(profile: string | undefined): string {
  return profile === undefined ? '' : ` --profile ${profile}`;
}

/** A warning about a question without an answer. */
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

/** For checks that continue without an answer. @returns the reason for a missing answer, instead of throwing it */
export async function orWhyNot<Answer>(answer: Promise<Answer>): Promise<Answer | Unanswered> {
  return answer.catch((error: unknown) => {
    if (error instanceof Unanswered) return error;
    throw error;
  });
}

/** @returns null if AWS answers with one of these errors, which mean that the resource does not exist */
export async function orAbsent<Answer>(answer: Promise<Answer>, ...codes: readonly string[]): Promise<Answer | null> {
  return answer.catch((error: unknown) => {
    if (error instanceof Unanswered && codes.includes(error.code)) return null;
    throw error;
  });
}

/** A list in XML: parsers cannot distinguish a list of one from its element. @param name name of each element */
export function xmlList<Item extends z.ZodType>(name: 'item' | 'member', item: Item) {
  const elements = (list: unknown): unknown => {
    const found: unknown = Object(list)[name] ?? [];
    return Array.isArray(found) ? found : [found];
  };
  return z.preprocess(elements, z.array(item));
}
