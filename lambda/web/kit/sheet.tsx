// A dialog over the page. The Escape key and a click beside it close it.
import type { ReactNode } from 'react';
import { Dialog, Heading, Modal, ModalOverlay } from 'react-aria-components';
import { words } from '#words';

interface SheetProps {
  readonly title: string;
  readonly isOpen: boolean;
  readonly onClose: () => void;
  /** `alertdialog` for questions that an action asks. @default dialog */
  readonly role?: 'dialog' | 'alertdialog';
  /** The text of a button below the content that closes the dialog; absent: the content has its own buttons. */
  readonly dismiss?: string;
  /** Whether its form has many fields, which need two columns. @default false */
  readonly isWide?: boolean;
  readonly children: ReactNode;
}

export function Sheet({
  title,
  isOpen,
  onClose,
  role = 'dialog',
  dismiss,
  isWide = false,
  children,
}: SheetProps): ReactNode {
  const close = (open: boolean) => {
    if (!open) onClose();
  };
  return (
    <ModalOverlay className="veil" isOpen={isOpen} onOpenChange={close} isDismissable>
      <Modal className={isWide ? 'modal wide' : 'modal'}>
        <Dialog role={role}>
          <Heading slot="title">{title}</Heading>
          {children}
          {dismiss !== undefined && (
            <p className="buttons">
              <button type="button" onClick={onClose}>
                {dismiss}
              </button>
            </p>
          )}
        </Dialog>
      </Modal>
    </ModalOverlay>
  );
}

/** The button that closes a dialog without a change. It stands beside the button of the dialog's form. */
export function Dismiss({ onClose }: Pick<SheetProps, 'onClose'>): ReactNode {
  return (
    <button type="button" onClick={onClose}>
      {words.cancel}
    </button>
  );
}
