// A menu of rare actions behind a button of three dots.
import { Ellipsis } from 'lucide-react';
import type { LucideIcon } from 'lucide-react';
import type { ReactNode } from 'react';
import { Button, Menu, MenuItem, MenuTrigger, Popover } from 'react-aria-components';

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

export function ActionsMenu({ label, isGhost = false, actions }: ActionsMenuProps): ReactNode {
  return (
    <MenuTrigger>
      <Button className={isGhost ? 'icon ghost' : 'icon'} aria-label={label}>
        <Ellipsis aria-hidden />
      </Button>
      <Popover className="popover" placement="bottom end">
        <Menu aria-label={label}>
          {actions.map(({ icon: Icon, name, isDisabled = false, onAction }) => (
            <MenuItem key={name} isDisabled={isDisabled} onAction={onAction}>
              <Icon aria-hidden />
              {name}
            </MenuItem>
          ))}
        </Menu>
      </Popover>
    </MenuTrigger>
  );
}
