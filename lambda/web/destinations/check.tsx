// The reachability check of a destination: a button that requests it, and its result in words.
import type { ReactNode } from 'react';
import { Age } from '../app/age.tsx';
import { change } from '../app/live-data.ts';
import type { Destination } from '../app/types.ts';
import { useAttempt } from '../use-attempt.ts';
import { destinationsWords } from '#words/destinations.ts';

/** The button, and the result of the last check. */
export function useCheck({ id, name, lastCheck }: Destination): Readonly<Record<'button' | 'found', ReactNode>> {
  const { attempt: check, error } = useAttempt(() => change('POST', `/destinations/${id}/check`, ['/destinations']));
  const button = (
    <button
      type="button"
      aria-label={destinationsWords.checkOf(name)}
      disabled={lastCheck?.state === 'pending'}
      onClick={() => void check()}
    >
      {destinationsWords.check}
    </button>
  );
  const found = (
    <>
      <div role="alert">{error !== null && <p className="error">{error}</p>}</div>
      <div role="status" className="found">
        {lastCheck && <Found check={lastCheck} />}
      </div>
    </>
  );
  return { button, found };
}

function Found({ check }: { readonly check: NonNullable<Destination['lastCheck']> }): ReactNode {
  const { state, isReachable, detail, askedAt, feeds } = check;
  if (state === 'pending') return <p className="hint">{destinationsWords.checking}</p>;
  return (
    <>
      <p className={isReachable === true ? '' : 'error'}>{detail}</p>
      {feeds.map(({ isBackup, steps }) => (
        <p key={String(isBackup)} className="hint">
          {isBackup && `${destinationsWords.backup}: `}
          {steps.map(({ step, isDone, ms }) => destinationsWords.step(step, isDone, ms)).join(' · ')}
        </p>
      ))}
      <p className="hint">
        {destinationsWords.checked} <Age at={askedAt} />
      </p>
    </>
  );
}
