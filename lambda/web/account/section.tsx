// A section of the account page: a heading, its rows (loading, empty or listed), and times.
import { useId } from 'react';
import type { ReactNode } from 'react';
import { words } from '#words';
import { formatMoment } from '../app/format.ts';
import { Failure } from '../form.tsx';
import type { Loaded } from '../use-loaded.ts';

interface SectionProps {
  readonly heading: string;
  /** The name that links have in their fragment. */
  readonly name?: string;
  /** The button that makes one of the rows. */
  readonly action?: ReactNode;
  readonly children: ReactNode;
}

export function Section({ heading, name, action, children }: SectionProps): ReactNode {
  const ownID = useId();
  const id = name ?? ownID;
  return (
    <section aria-labelledby={id}>
      <div className="heading">
        <h2 id={id}>{heading}</h2>
        {action}
      </div>
      {children}
    </section>
  );
}

interface RowsProps<Row> {
  readonly loaded: Loaded<{ readonly data: readonly Row[] }>;
  /** The text shown if there are no rows. */
  readonly none: string;
  readonly row: (row: Row) => ReactNode;
}

export function Rows<Row>({ loaded: { data, error }, none, row }: RowsProps<Row>): ReactNode {
  if (error !== null) return <Failure error={error} />;
  if (!data) return <p className="hint">{words.loading}</p>;
  if (data.data.length === 0) return <p className="hint">{none}</p>;
  return <ul className="rows">{data.data.map(row)}</ul>;
}

/** A time, formatted in the language of the page. */
export function Time({ at }: { readonly at: string }): ReactNode {
  return <time dateTime={at}>{formatMoment(at)}</time>;
}
