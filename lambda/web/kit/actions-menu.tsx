// A menu of rare actions behind a button of three dots. Only the open menu has parts of the library. Decision D284.
import { Ellipsis } from 'lucide-react';
import type { LucideIcon } from 'lucide-react';
import { useRef, useState } from 'react';
import type { KeyboardEvent, ReactNode } from 'react';
import { Menu, MenuItem, Popover } from 'react-aria-components';

export interface Action {
  readonly icon: LucideIcon;
  readonly name: string;
  readonly isDisabled?: boolean;
  readonly onAction: () => void;
}

interface ActionsMenuProps {
  /** The name of the button and of the menu, for screen readers. */
  readonly label: string;
  /** Whether the button has neither border nor ground, as in rows of a list. */
  readonly isGhost?: boolean;
  readonly actions: readonly Action[];
}

/** The item that has the focus first; the arrow keys open a menu at its start or at its end. */
type First = 'first' | 'last';
const firstByKey: Readonly<Record<string, First>> = { ArrowDown: 'first', ArrowUp: 'last' };

export function ActionsMenu({ label, isGhost = false, actions }: ActionsMenuProps): ReactNode {
  const button = useRef<HTMLButtonElement>(null);
  const [opened, setOpened] = useState<First | null>(null);
  const openByKey = (event: KeyboardEvent): void => {
    const first = firstByKey[event.key];
    if (first === undefined) return;
    event.preventDefault();
    setOpened(first);
  };
  return (
    <>
      <button
        type="button"
        ref={button}
        className={isGhost ? 'icon ghost' : 'icon'}
        aria-label={label}
        aria-haspopup="menu"
        aria-expanded={opened !== null}
        onClick={() => setOpened('first')}
        onKeyDown={openByKey}
      >
        <Ellipsis aria-hidden />
      </button>
      {opened !== null && (
        <Popover
          className="popover"
          placement="bottom end"
          trigger="MenuTrigger"
          triggerRef={button}
          isOpen
          onOpenChange={() => setOpened(null)}
        >
          <Menu aria-label={label} autoFocus={opened} onClose={() => setOpened(null)}>
            {actions.map(({ icon: Icon, name, isDisabled = false, onAction }) => (
              <MenuItem key={name} isDisabled={isDisabled} onAction={onAction}>
                <Icon aria-hidden />
                {name}
              </MenuItem>
            ))}
          </Menu>
        </Popover>
      )}
    </>
  );
}
