// Accepted findings about changes of templates, each with a reason.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Finding } from './finding.ts';

/** `back`: the release before is deployed over this one. */
export type Direction = 'forwards' | 'back';

/** The beginning of a line of the file: `forwards: lost Media/Uploads`. */
export function acceptedAs(direction: Direction, { effect, subject }: Finding): string {
  return `${direction}: ${effect} ${subject}`;
}

/** @throws if a line of the file has no reason */
export function readAcceptedChanges(
  text = readFileSync(join(import.meta.dirname, 'accepted-changes.txt'), 'utf8'),
): ReadonlySet<string> {
  const [, ...lines] = text.trim().split(/\n\s*\n/);
  return new Set(
    lines
      .flatMap((block) => block.split('\n'))
      .map((line) => {
        const [, finding] = /^((?:forwards|back): .+?) — \S/.exec(line) ?? [];
        if (finding === undefined) throw new Error(`accepted-changes.txt: a line lacks its reason: ${line}`);
        return finding;
      }),
  );
}
