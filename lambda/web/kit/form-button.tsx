// A button that opens a form in a dialog.
import { useState } from 'react';
import type { ReactNode } from 'react';
import { Dismiss, Sheet } from './sheet.tsx';

/** The open dialog around a form. */
export interface FormDialog {
  /** Closes it, once the form is sent. */
  readonly close: () => void;
  /** The button that closes it without a change. It stands beside the button of the form. */
  readonly cancel: ReactNode;
}

interface FormButtonProps {
  /** The text of the button, and the title of the dialog. */
  readonly action: string;
  /** The accessible name of the button and the title of the dialog, if the text does not name the object. */
  readonly label?: string;
  readonly icon?: ReactNode;
  readonly tone?: 'primary' | 'plain';
  /** Whether the form has many fields, which need two columns. */
  readonly isWide?: boolean;
  readonly children: (dialog: FormDialog) => ReactNode;
}

export function FormButton({
  action,
  label,
  icon,
  tone = 'plain',
  isWide = false,
  children,
}: FormButtonProps): ReactNode {
  const [isOpen, setOpen] = useState(false);
  const close = () => setOpen(false);
  const cancel = <Dismiss onClose={close} />;
  return (
    <>
      <button type="button" className={tone} aria-label={label} onClick={() => setOpen(true)}>
        {icon}
        {action}
      </button>
      <Sheet title={label ?? action} isOpen={isOpen} onClose={close} isWide={isWide}>
        {children({ close, cancel })}
      </Sheet>
    </>
  );
}
