// Issues of programmes that a start does not mind: rules with nothing to play, and distances that cannot be kept.
import { outlookDays } from '../programme/outlook.ts';
import type { NamedRule, Warning } from '../programme/outlook.ts';
import type { UnmeetableRule } from '../programme/unmeetable-rules.ts';
import { issueOf } from './readiness-issues.ts';
import type { ReadinessIssue } from './readiness-issues.ts';

/** Issues of one code that are listed: a rule may concern each of many blocks. */
const mostOfCode = 10;

export function judgeOutlook(warnings: readonly Warning[]): ReadinessIssue[] {
  const byCode = Map.groupBy(warnings, ({ code }) => code);
  return [...byCode].flatMap(([code, each]) =>
    each.slice(0, mostOfCode).map((warning) => ({ ...issueOf(code), error: errorOf(warning) })),
  );
}

function errorOf(warning: Warning): string {
  switch (warning.code) {
    case 'collection_empty':
      return `${nameOf(warning.rule)} has nothing that can be played: its source is empty.`;
    case 'collection_cut':
      return `${nameOf(warning.rule)} does not draw from its whole collection: the programme has too many uploads.`;
    case 'never_plays':
      return `${nameOf(warning.rule)} plays nothing in the next ${outlookDays} days: no upload is valid at its times.`;
    case 'overlap_shadowed':
      return `${nameOf(warning.rule)} is never on in the next ${outlookDays} days: blocks before it have its times.`;
    case 'live_input_missing':
      return `${nameOf(warning.rule)} names a live input that is deleted.`;
    case 'live_needs_manifest':
      return `${nameOf(warning.rule)} is never live: the stream encodes while it sends.`;
    case 'insert_does_not_fit':
      return `${nameOf(warning.rule)} has no break: no item lasts ${warning.leastMinutes} minutes.`;
    case 'runs_empty':
      return `${nameOf(warning.rule)} has nothing more to play from ${new Date(warning.atMs).toISOString()} on.`;
    case 'rule_unmeetable':
      return unmeetableWords(warning);
  }
}

function nameOf({ kind, name, step }: NamedRule): string {
  if (kind === 'filler') return 'The filler';
  const part = step === undefined ? '' : `, part ${step},`;
  return kind === 'block' ? `Block “${name}”${part}` : `Insert “${name}”`;
}

function unmeetableWords({ block, by, value, share, mostShare, items, minutes }: UnmeetableRule): string {
  const distances = [items > 0 && `${items} items`, minutes > 0 && `${minutes} minutes`].filter(Boolean);
  const kind = by === 'upload' ? 'upload' : by;
  return (
    `Block “${block}”: the ${kind} “${value}” is ${percent(share)} of its items, ` +
    `and ${distances.join(' and ')} apart allows ${percent(mostShare)}. It plays too soon again, or less often.`
  );
}

const percent = (share: number) => `${Number((100 * share).toFixed(1))} %`;
