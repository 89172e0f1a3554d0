// Checks the prerequisites of a stage before the CDK starts: credentials, and the checks of `all-checks.ts`.
import { createInterface } from 'node:readline/promises';
import type { Terminal } from '../local/terminal.ts';
import { allChecks, localChecks } from './all-checks.ts';
import { openAws, Unanswered } from './ask-aws.ts';
import { type CheckContext, deployCommand, type Finding, orWhyNot } from './check.ts';
import { linkedRoleFinding, makeLinkedRole, missingLinkedRoles } from './checks/linked-roles.ts';
import type { StageCommand } from './command-line.ts';
import { openAccount } from './credentials.ts';
import { printFindings } from './findings-table.ts';
import { runChecks } from './run-checks.ts';

/** Columns for a file or a pipe, whose lines may be long. */
const pipeColumns = 200;

/** Asks the user at the terminal. */
export type AskUser = (question: string) => Promise<string>;

/**
 * @param askUser null: there is no user at the terminal
 * @throws if the credentials cannot be used; the message contains the remedy
 * @returns whether nothing is missing
 */
export async function checkPrerequisites(
  command: StageCommand,
  terminal: Terminal,
  askUser: AskUser | null,
): Promise<boolean> {
  if (!command.needsCredentials) return true;
  const { stage, settings, checkOnly } = command;
  // The CDK asks for its own MFA code, and a device shows each code once: so a deployment does not ask for another.
  const askForCode = askUser !== null && checkOnly ? (device: string) => askUser(`MFA code of ${device}: `) : null;
  const { id: account, credentials } = await terminal.step(`Credentials for ${stage}`, () =>
    openAccount(command, askForCode),
  );
  if (account === null) return checkWithoutAccount(command, terminal);
  terminal.line(`  account ${account}, region ${settings.region}`);

  const context: CheckContext = { command, account, ask: openAws(settings.region, credentials) };
  const findings = await terminal.step('What the account offers', (showDetail) =>
    runChecks(allChecks, context, showDetail),
  );
  const made = await makeMissingRoles(context, findings, terminal, askUser);
  const current = findings.map((finding) => made.get(finding) ?? finding);
  return report(command, current, terminal);
}

/** Runs the local checks if the profile requires an MFA code, which the CDK asks for later. */
async function checkWithoutAccount(command: StageCommand, terminal: Terminal): Promise<boolean> {
  terminal.line(
    command.checkOnly
      ? '  The profile asks for an MFA code, which only a terminal can take.'
      : `  The profile asks for an MFA code, so the account is not checked: ${deployCommand(command)} --check does it.`,
  );
  const complete = report(command, await runChecks(localChecks, { command }, () => {}), terminal);
  return complete && !command.checkOnly;
}

/** Prints the findings. @returns whether nothing is missing */
function report({ stage, checkOnly }: StageCommand, findings: readonly Finding[], terminal: Terminal): boolean {
  const shown = findings.filter(({ state }) => checkOnly || state !== 'there');
  const count = (wanted: Finding['state']) => findings.filter(({ state }) => state === wanted).length;
  if (shown.length > 0) {
    terminal.line();
    printFindings(shown, terminal, process.stdout.columns ?? pipeColumns);
    terminal.line();
  }
  terminal.line(`${stage}: ${count('missing')} missing, ${count('warning')} to know, ${count('there')} there.`);
  return count('missing') === 0;
}

/** Offers to create the missing service-linked roles. @returns the new findings by the findings that they replace */
async function makeMissingRoles(
  context: CheckContext,
  findings: readonly Finding[],
  terminal: Terminal,
  askUser: AskUser | null,
): Promise<ReadonlyMap<Finding, Finding>> {
  const { checkOnly, cdkArgs } = context.command;
  const made = new Map<Finding, Finding>();
  if (askUser === null || checkOnly || cdkArgs[0] !== 'deploy') return made;
  const missing = await orWhyNot(missingLinkedRoles(context));
  if (missing instanceof Unanswered || missing.length === 0) return made;
  const question = `Make the service-linked roles of ${missing.join(', ')} in account ${context.account}? [y/N] `;
  if (!/^y(es)?$/i.test((await askUser(question)).trim())) return made;
  for (const service of missing) {
    try {
      await terminal.step(`Service-linked role of ${service}`, () => makeLinkedRole(service, context));
    } catch (error) {
      if (!(error instanceof Unanswered)) throw error;
      terminal.line(`  ${error.message}`);
      continue;
    }
    const before = findings.find(({ what, needed }) => what === 'Service-linked role' && needed === service);
    if (before) made.set(before, { ...linkedRoleFinding(service, { isThere: true }, context), found: 'made now' });
  }
  return made;
}

/** @returns null without a user, in a pipe or a workflow */
export function userAtTerminal(): AskUser | null {
  if (!process.stdin.isTTY || !process.stdout.isTTY) return null;
  return async (question) => {
    const lines = createInterface({ input: process.stdin, output: process.stdout });
    try {
      return await lines.question(question);
    } finally {
      lines.close();
    }
  };
}
