// The folders of the library: those inside the shown one, and the way back. A list with a search has all, if many.
import { ChevronsUpDown, Folder } from 'lucide-react';
import { useRef, useState } from 'react';
import type { ReactNode } from 'react';
import { Autocomplete, Dialog, Input, Menu, MenuItem, Popover, SearchField, useFilter } from 'react-aria-components';
import { setParameter } from '../app/router.tsx';
import { usePages } from '../app/use-pages.ts';
import type { Pages } from '../app/use-pages.ts';
import { words } from '#words';

interface FolderRow {
  readonly path: string;
  readonly name: string;
}

/** Folders that have a button each; of more than the second number, only the first ones have. */
const [shownOfMany, few] = [6, 8];

const open = (path: string): void => setParameter('folder', path);
const pathOf = ({ path }: FolderRow) => path;

export function Folders({ folder }: { readonly folder: string }): ReactNode {
  const path = `/uploads/folders?limit=100&folder=${encodeURIComponent(folder)}`;
  const pages = usePages<FolderRow>(path, undefined, pathOf);
  const above = folder.split('/').slice(0, -1).join('/');
  const { items, more } = pages;
  if (folder === '' && items.length === 0) return null;
  const isMany = items.length > few;
  return (
    <p className="folders" data-many={isMany}>
      {folder !== '' && (
        <button type="button" onClick={() => open(above)}>
          {above === '' ? words.library.allFolders : above}
        </button>
      )}
      {folder !== '' && <strong>{folder}</strong>}
      {items.slice(0, isMany ? shownOfMany : few).map((each) => (
        <button type="button" key={each.path} onClick={() => open(each.path)}>
          <Folder aria-hidden />
          {each.name}
        </button>
      ))}
      {isMany && <EveryFolder pages={pages} name={words.library.everyFolder(more === null ? items.length : null)} />}
    </p>
  );
}

interface EveryFolderProps {
  readonly pages: Pages<FolderRow>;
  readonly name: string;
}

function EveryFolder({ pages, name }: EveryFolderProps): ReactNode {
  const button = useRef<HTMLButtonElement>(null);
  const [isOpen, setOpen] = useState(false);
  const { contains } = useFilter({ sensitivity: 'base' });
  return (
    <>
      <button
        type="button"
        ref={button}
        aria-haspopup="dialog"
        aria-expanded={isOpen}
        onClick={() => {
          setOpen(true);
          // The search is over those that are read. Without an answer, those are in the list.
          pages.all().catch(() => null);
        }}
      >
        {name}
        <ChevronsUpDown aria-hidden />
      </button>
      {isOpen && (
        <Popover className="popover" placement="bottom start" triggerRef={button} isOpen onOpenChange={setOpen}>
          <Dialog aria-label={name}>
            <Autocomplete filter={contains}>
              <SearchField aria-label={words.find} className="search" autoFocus>
                <Input placeholder={words.find} />
              </SearchField>
              <Menu
                aria-label={name}
                items={pages.items}
                onAction={(path) => open(String(path))}
                onClose={() => setOpen(false)}
                renderEmptyState={() => <p className="hint">{words.library.noFolder}</p>}
              >
                {(each) => (
                  <MenuItem id={each.path} textValue={each.name}>
                    <Folder aria-hidden />
                    {each.name}
                  </MenuItem>
                )}
              </Menu>
            </Autocomplete>
          </Dialog>
        </Popover>
      )}
    </>
  );
}
