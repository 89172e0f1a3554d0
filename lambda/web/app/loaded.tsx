// Shows an answer: nothing at first, a skeleton after a moment, an error message, or the data.
import type { ReactNode } from 'react';
import { Failure } from '../form.tsx';
import { words } from '#words';
import { isPassing, refresh } from './live-data.ts';
import type { Live } from './live-data.ts';

interface LoadedProps<Data> {
  readonly live: Live<Data>;
  /** The path that the retry button reads again. */
  readonly path: string;
  readonly children: (data: Data) => ReactNode;
}

/** One or two failures are likely to pass without a message. */
const failuresUntilShown = 3;

/** Known data stays while it is read again, and while the API does not answer; the shell reports a lost connection. */
export function Loaded<Data>({ live, path, children }: LoadedProps<Data>): ReactNode {
  const { data, error } = live;
  if (data !== undefined)
    return (
      <>
        {lasts(live) && <Failure error={error!.message} />}
        {children(data)}
      </>
    );
  if (error === null)
    return (
      <div className="skeleton" role="status">
        <span className="hidden">{words.loading}</span>
      </div>
    );
  return (
    <div role="alert" className="error">
      <p>{error.message}</p>
      <button type="button" onClick={() => refresh(path)}>
        {words.retry}
      </button>
    </div>
  );
}

function lasts({ error, failures }: Live<unknown>): boolean {
  if (error === null || error.status === 0) return false;
  return !isPassing(error) || failures >= failuresUntilShown;
}
