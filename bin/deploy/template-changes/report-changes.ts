// The result of a comparison of templates, in lines for people.
import type { DeploymentOrder } from './deployment-order.ts';
import type { Finding } from './finding.ts';

const marks: Readonly<Record<Finding['effect'], string>> = {
  refused: '✗',
  lost: '✗',
  interrupted: '!',
  'at risk': '!',
};

export function linesOfFindings(findings: readonly Finding[]): readonly string[] {
  return findings.flatMap(({ effect, subject, sentence, remedy }) => [
    `${marks[effect]}  ${effect} ${subject}: ${sentence}`,
    `      ${remedy}`,
  ]);
}

/** A sentence if the usual order of the stacks would be refused; null otherwise. */
export function sentenceOfOrder({ first }: DeploymentOrder): string | null {
  if (first.length === 0) return null;
  return `Other stacks import what goes, so these are deployed first: ${first.join(', ')}.`;
}
