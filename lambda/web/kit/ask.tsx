// A button for actions that cost, end or delete something: it asks for confirmation in a dialog.
import { useState } from 'react';
import type { ReactNode } from 'react';
import { useAttempt } from '../use-attempt.ts';
import { words } from '#words';
import { Sheet } from './sheet.tsx';

interface AskProps {
  /** The text of the button, and of the button that confirms. */
  readonly action: string;
  /** A picture before the text of the button. */
  readonly icon?: ReactNode;
  /** The accessible name of the button, if its text does not name the object. */
  readonly label?: string;
  readonly question: string;
  readonly explanation: string;
  /** Further content below the explanation. */
  readonly children?: ReactNode;
  readonly refuse?: string;
  readonly tone?: 'primary' | 'grave' | 'plain';
  readonly isDisabled?: boolean;
  /** The dialog closes when this resolves, and shows the message of an error that this throws. */
  readonly onYes: () => Promise<unknown>;
  /** Another way to say yes, with a button of its own. */
  readonly other?: { readonly action: string; readonly onYes: () => Promise<unknown> };
}

export function Ask(props: AskProps): ReactNode {
  const { action, icon, label, tone = 'plain', isDisabled } = props;
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <button type="button" className={tone} aria-label={label} disabled={isDisabled} onClick={() => setOpen(true)}>
        {icon}
        {action}
      </button>
      <Question {...props} isOpen={isOpen} onClose={() => setOpen(false)} />
    </>
  );
}

interface QuestionProps extends Omit<AskProps, 'label' | 'icon' | 'isDisabled'> {
  readonly isOpen: boolean;
  readonly onClose: () => void;
}

/** The dialog of `Ask` without its button, for an action of a menu. */
export function Question({ isOpen, onClose, ...question }: QuestionProps): ReactNode {
  const { attempt, error, isPending } = useAttempt(async (act: () => Promise<unknown>) => {
    await act();
    onClose();
  });
  const close = () => {
    if (!isPending) onClose();
  };
  const { action, explanation, children, refuse, tone = 'plain', onYes, other } = question;
  return (
    <Sheet role="alertdialog" title={question.question} isOpen={isOpen} onClose={close}>
      <p>{explanation}</p>
      {children}
      <div role="alert">{error !== null && <p className="error">{error}</p>}</div>
      <p className="buttons">
        <button type="button" disabled={isPending} onClick={onClose}>
          {refuse ?? words.cancel}
        </button>
        {other && (
          <button type="button" disabled={isPending} onClick={() => void attempt(other.onYes)}>
            {other.action}
          </button>
        )}
        <button
          type="button"
          className={tone === 'grave' ? 'grave solid' : 'primary'}
          disabled={isPending}
          aria-busy={isPending}
          onClick={() => void attempt(onYes)}
        >
          {action}
        </button>
      </p>
    </Sheet>
  );
}
