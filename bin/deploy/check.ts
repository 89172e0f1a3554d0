// A check of the account before a deployment: one question to AWS or to the machine, and its finding.
import type { Stack } from '@aws-sdk/client-cloudformation';
import type { fromNodeProviderChain } from '@aws-sdk/credential-providers';
import type { StageCommand } from './command-line.ts';
import type { StageNeeds } from './stage-needs.ts';

/** One row of the list. */
export interface Finding {
  readonly what: string;
  readonly needed: string;
  readonly found: string;
  /** `missing` blocks a deployment, `warning` does not. */
  readonly state: 'there' | 'missing' | 'warning';
  /** Lines: sentences, and commands to copy, which begin with `$ `. Empty if nothing has to be done. */
  readonly remedy: readonly string[];
}

export interface CheckContext {
  readonly command: StageCommand;
  /** 12 digits. */
  readonly account: string;
  /** Options of every SDK client: the stage's region, and the engineer's credentials. */
  readonly aws: {
    readonly region: string;
    readonly credentials: ReturnType<typeof fromNodeProviderChain>;
    readonly maxAttempts: number;
  };
  /** From the templates of the stage. */
  readonly needs: StageNeeds;
  /** The stacks of the stage that stand in its region, asked for once. */
  readonly ownStacks: () => Promise<readonly Stack[]>;
}

export interface Check {
  readonly name: string;
  /** @throws any error of the SDK, which becomes a warning */
  readonly run: (context: CheckContext) => Promise<readonly Finding[]>;
}

/** The finding of a check that needs one thing: present, or missing with its remedy. */
export function found(
  row: Pick<Finding, 'what' | 'needed' | 'found'>,
  state: Finding['state'],
  remedy: readonly string[] = [],
): Finding {
  return { ...row, state, remedy: state === 'there' ? [] : remedy };
}

/** The options of `aws` that reach the account and region which the command deploys to. */
export function awsOptions({ settings, profile }: StageCommand): string {
  return `--region ${settings.region}${profileOption(profile)}`;
}

/** The command as the user typed it, with the stage and the credentials. */
export function deployCommand({ stage, isShared, profile }: StageCommand): string {
  return `npm run deploy -- ${stage}${isShared ? '' : ' --own'}${profileOption(profile)}`;
}

export function profileOption(profile: string | undefined): string {
  return profile === undefined ? '' : ` --profile ${profile}`;
}

/** For `catch`: null for an error of one of these names, which says that there is no such thing. @throws others */
export function absentIf(...names: readonly string[]): (error: Error) => null {
  return (error) => {
    if (names.includes(error.name)) return null;
    throw error;
  };
}

/** The items of all pages of a list. */
export async function itemsOf<Page, Item>(
  pages: AsyncIterable<Page>,
  items: (page: Page) => readonly Item[] | undefined,
): Promise<readonly Item[]> {
  const found: Item[] = [];
  for await (const page of pages) found.push(...(items(page) ?? []));
  return found;
}
