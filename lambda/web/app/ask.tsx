// A button for actions that cost, end or delete something: it asks for confirmation in a dialog.
import { useId, useRef } from 'react';
import type { ReactNode } from 'react';
import { useAttempt } from '../use-attempt.ts';
import { words } from '../words/en.ts';

interface AskProps {
  /** The text of the button, and of the button that confirms. */
  readonly action: string;
  /** The accessible name of the button, if its text does not name the object. */
  readonly label?: string;
  readonly question: string;
  readonly explanation: string;
  readonly refuse?: string;
  readonly tone?: 'primary' | 'grave' | 'plain';
  readonly isDisabled?: boolean;
  /** The dialog closes when this resolves, and shows the message of an error that this throws. */
  readonly onYes: () => Promise<unknown>;
  /** Another way to say yes, with a button of its own. */
  readonly other?: { readonly action: string; readonly onYes: () => Promise<unknown> };
}

export function Ask({
  action,
  label,
  question,
  explanation,
  refuse,
  tone = 'plain',
  isDisabled,
  onYes,
  other,
}: AskProps): ReactNode {
  const id = useId();
  const dialog = useRef<HTMLDialogElement>(null);
  const { attempt, error, isPending } = useAttempt(async (act: () => Promise<unknown>) => {
    await act();
    dialog.current?.close();
  });
  return (
    <>
      <button
        type="button"
        className={tone}
        aria-label={label}
        disabled={isDisabled}
        onClick={() => dialog.current?.showModal()}
      >
        {action}
      </button>
      <dialog ref={dialog} aria-labelledby={`${id}-question`} aria-describedby={`${id}-text`}>
        <h2 id={`${id}-question`}>{question}</h2>
        <p id={`${id}-text`}>{explanation}</p>
        <div role="alert">{error !== null && <p className="error">{error}</p>}</div>
        <p className="buttons">
          <button type="button" onClick={() => dialog.current?.close()}>
            {refuse ?? words.cancel}
          </button>
          {other && (
            <button type="button" disabled={isPending} onClick={() => void attempt(other.onYes)}>
              {other.action}
            </button>
          )}
          <button
            type="button"
            className={tone === 'plain' ? 'primary' : tone}
            disabled={isPending}
            onClick={() => void attempt(onYes)}
          >
            {action}
          </button>
        </p>
      </dialog>
    </>
  );
}
