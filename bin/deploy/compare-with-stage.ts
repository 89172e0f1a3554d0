// The comparison of new templates with the stage that stands, before anything is changed.
// Decision D180.
import type { Terminal } from '../local/terminal.ts';
import type { CheckContext } from './check.ts';
import type { StageCommand } from './command-line.ts';
import { acceptedAs, readAcceptedChanges } from './template-changes/accepted-changes.ts';
import { readAssembledStage, templatesAfter } from './template-changes/assembled-stage.ts';
import { linesOfFindings, sentenceOfOrder } from './template-changes/report-changes.ts';
import { standingTemplates } from './template-changes/standing-templates.ts';
import { templateChanges } from './template-changes/template-changes.ts';

export interface Comparison {
  /** Whether the deployment would be refused or lose data, without being accepted. */
  readonly isBlocked: boolean;
  /** The stacks to deploy before all others. */
  readonly first: readonly string[];
}

const nothingFound: Comparison = { isBlocked: false, first: [] };

/**
 * @param assembly the folder of the CDK's output
 * @returns a comparison that blocks nothing if AWS does not show its templates; a line on the terminal has the reason
 */
export async function compareWithStage(
  command: StageCommand,
  assembly: string,
  aws: CheckContext['aws'],
  terminal: Terminal,
): Promise<Comparison> {
  const assembled = readAssembledStage(assembly, command.stage);
  const title = `Comparison with ${command.stage} as it stands`;
  const standing = await terminal
    .step(title, () => standingTemplates(command.stage, aws, assembled.regions))
    .catch(({ name, message }: Error) => {
      terminal.line(`!  Templates: not compared, because AWS does not show them (${name}: ${message}).`);
      return null;
    });
  if (standing === null || standing.size === 0) return nothingFound;
  const after = templatesAfter(standing, assembled, command.stack);
  const { findings, order } = templateChanges({ before: standing, after, waits: assembled.waits });
  const accepted = readAcceptedChanges();
  const lines = [...linesOfFindings(findings), sentenceOfOrder(order) ?? []].flat();
  for (const line of lines) terminal.line(line);
  const blocking = findings.filter(
    (finding) =>
      (finding.effect === 'refused' || finding.effect === 'lost') && !accepted.has(acceptedAs('forwards', finding)),
  );
  if (blocking.length > 0 && !command.despiteChanges)
    terminal.line(
      `${command.stage}: ${blocking.length} changes would be refused or lose data. ` +
        'With --despite-changes they are deployed all the same.',
    );
  return { isBlocked: blocking.length > 0 && !command.despiteChanges, first: order.first };
}
