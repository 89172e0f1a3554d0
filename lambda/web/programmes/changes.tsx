// The rows that a publish of the draft would change, and the rules that they change by.
import { useState } from 'react';
import type { ReactNode } from 'react';
import { call } from '../app/api.ts';
import type { ProgrammeComparison as Comparison } from '../app/types.ts';
import { Failure } from '../form.tsx';
import { useAttempt } from '../use-attempt.ts';
import { words as shared } from '#words';
import { programmeWords as words } from '#words/programmes.ts';
import { locale } from '../app/locale.ts';
import type { Rules } from './rules.ts';

type Difference = Comparison['differences'][number];
type Row = Difference['before'][number];

const mostDifferences = 12;
const mostRows = 8;

interface ChangesProps {
  readonly programmeID: string;
  readonly rules: Rules;
  /** Disables the comparison: the draft is not saved. */
  readonly isUnsaved: boolean;
}

export function Changes({ programmeID, rules, isUnsaved }: ChangesProps): ReactNode {
  const [comparison, setComparison] = useState<Comparison | null>(null);
  const { attempt, error, isPending } = useAttempt(async () =>
    setComparison(await call<Comparison>('GET', `/programmes/${programmeID}/comparison`)),
  );
  return (
    <section aria-labelledby="changes">
      <h2 id="changes">{words.changes}</h2>
      <p className="hint">{words.compareHint}</p>
      <p>
        <button type="button" disabled={isUnsaved || isPending} onClick={() => void attempt()}>
          {words.compare}
        </button>
      </p>
      <div role="status" className="stack" aria-busy={isPending}>
        {comparison && !isUnsaved && <Compared comparison={comparison} rules={rules} />}
      </div>
      <Failure error={error} />
    </section>
  );
}

function Compared({ comparison, rules }: { readonly comparison: Comparison; readonly rules: Rules }): ReactNode {
  const { changedRules, differences, sameRows, movedRows, hasMore } = comparison;
  const changed = changedRules.map((path) => ruleWords(path, rules));
  const format = new Intl.DateTimeFormat(locale, {
    timeZone: rules.timeZone,
    weekday: 'short',
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
  });
  return (
    <>
      {changed.length > 0 && <p>{words.changedRules(changed)}</p>}
      <p>
        {differences.length + movedRows === 0
          ? words.nothingChanges
          : words.changeSummary(sameRows, movedRows, differences.length)}
      </p>
      <ol className="rows">
        {differences.slice(0, mostDifferences).map((difference) => {
          const { startAt } = difference.before[0] ?? difference.after[0]!;
          return (
            <li key={startAt} className="tall">
              <div className="stack">
                <p className="hint">{causeWords(difference, comparison, rules)}</p>
                <div className="columns">
                  <RowsOf heading={words.before} rows={difference.before} format={format} />
                  <RowsOf heading={words.after} rows={difference.after} format={format} />
                </div>
              </div>
            </li>
          );
        })}
      </ol>
      {(hasMore || differences.length > mostDifferences) && <p className="hint">{words.moreChanges}</p>}
    </>
  );
}

function causeWords({ causes }: Difference, { changedRules }: Comparison, rules: Rules): string {
  if (causes.length > 0) return words.dueTo(causes.map((path) => ruleWords(path, rules)));
  const without = changedRules.filter((path) => !path.includes('/'));
  return without.length === 0 ? words.dueToEarlier : words.dueToOthers(without.map((path) => ruleWords(path, rules)));
}

/** @param path such as blocks/ID or separation */
function ruleWords(path: string, { blocks, inserts }: Rules): string {
  const [list, id] = path.split('/');
  if (id === undefined) return words.ruleNames[path] ?? path;
  const name = (list === 'blocks' ? blocks : inserts).find((rule) => rule.id === id)?.name;
  if (list === 'blocks') return name === undefined ? words.blockGone : words.blockNamed(name);
  return name === undefined ? words.insertGone : words.insertNamed(name);
}

interface RowsOfProps {
  readonly heading: string;
  readonly rows: readonly Row[];
  readonly format: Intl.DateTimeFormat;
}

function RowsOf({ heading, rows, format }: RowsOfProps): ReactNode {
  return (
    <div>
      <h3>{heading}</h3>
      {rows.length === 0 && <p className="hint">{words.nothing}</p>}
      <ul className="plain">
        {rows.slice(0, mostRows).map(({ startAt, kind, name, title }) => (
          <li key={startAt}>
            <span className="hint">{format.format(new Date(startAt))}</span> {title ?? name}
            {kind !== 'item' && <span className="hint"> · {shared.onAir.kinds[kind]}</span>}
          </li>
        ))}
      </ul>
      {rows.length > mostRows && <p className="hint">{words.further(rows.length - mostRows)}</p>}
    </div>
  );
}
