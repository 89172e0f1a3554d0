// The command palette: streams, files, playlists, places and actions by their names, from the keyboard.
import { CalendarPlus, CreditCard, FileVideo, ListMusic, MapPin, Plus, RadioTower, Send, Upload } from 'lucide-react';
import type { LucideIcon } from 'lucide-react';
import { useEffect, useState } from 'react';
import type { ReactNode } from 'react';
import {
  Autocomplete,
  Dialog,
  Header,
  Input,
  Menu,
  MenuItem,
  MenuSection,
  Modal,
  ModalOverlay,
  SearchField,
  useFilter,
} from 'react-aria-components';
import { nameOf } from '../streams/stream-name.ts';
import { words } from '#words';
import { paletteWords } from '#words/palette.ts';
import { useLive } from './live-data.ts';
import { navigate } from './router.tsx';
import type { Page, Playlist, Stream, Upload as UploadAnswer } from './types.ts';

interface Entry {
  readonly href: string;
  readonly name: string;
  readonly icon: LucideIcon;
}

interface Group {
  readonly name: string;
  readonly entries: readonly Entry[];
}

const { navigation } = words;
const places: readonly Entry[] = (
  [
    ['/', navigation.home],
    ['/streams', navigation.streams],
    ['/library', navigation.library],
    ['/playlists', navigation.playlists],
    ['/collections', navigation.collections],
    ['/sources', words.library.sources],
    ['/schedule', navigation.schedule],
    ['/alerts', navigation.alerts],
    ['/destinations', navigation.destinations],
    ['/billing', navigation.billing],
    ['/developers', navigation.developers],
    ['/webhooks', navigation.webhooks],
    ['/account', navigation.account],
  ] as const
).map(([href, name]) => ({ href, name, icon: MapPin }));
const actions: readonly Entry[] = [
  { href: '/streams/new', name: paletteWords.newStream, icon: Plus },
  { href: '/library', name: paletteWords.addFiles, icon: Upload },
  { href: '/schedule', name: paletteWords.plan, icon: CalendarPlus },
  { href: '/destinations', name: paletteWords.newDestination, icon: Send },
  { href: '/billing', name: paletteWords.addCredits, icon: CreditCard },
];
/** The most entries of a kind. */
const mostFound = 6;
/** The API is asked once the typing rests. */
const restMs = 150;

export function Palette({ onClose }: { readonly onClose: () => void }): ReactNode {
  const [text, setText] = useState('');
  const groups = useGroups(text);
  const close = (isOpen: boolean) => {
    if (!isOpen) onClose();
  };
  const go = (key: string | number) => {
    onClose();
    navigate(String(key).slice(String(key).indexOf('/')));
  };
  return (
    <ModalOverlay className="veil high" isOpen onOpenChange={close} isDismissable>
      <Modal className="modal palette">
        <Dialog aria-label={paletteWords.title}>
          <Autocomplete inputValue={text} onInputChange={setText}>
            <SearchField aria-label={paletteWords.title} className="search" autoFocus>
              <Input placeholder={paletteWords.placeholder} />
            </SearchField>
            <Menu
              className="found"
              aria-label={paletteWords.title}
              onAction={go}
              renderEmptyState={() => <p className="hint">{paletteWords.nothing}</p>}
            >
              {groups.map(({ name, entries }) => (
                <MenuSection key={name} id={name}>
                  <Header>{name}</Header>
                  {entries.map((entry) => (
                    <MenuItem key={entry.href} id={`${name}${entry.href}`} textValue={entry.name}>
                      <entry.icon aria-hidden />
                      {entry.name}
                    </MenuItem>
                  ))}
                </MenuSection>
              ))}
            </Menu>
          </Autocomplete>
        </Dialog>
      </Modal>
    </ModalOverlay>
  );
}

/** The entries that fit a text: the API searches streams and files, and the page its places, actions and playlists. */
function useGroups(text: string): readonly Group[] {
  const [asked, setAsked] = useState('');
  useEffect(() => {
    const timer = setTimeout(() => setAsked(text.trim()), restMs);
    return () => clearTimeout(timer);
  }, [text]);
  const query = asked === '' ? '' : `&q=${encodeURIComponent(asked)}`;
  const { data: streams } = useLive<Page<Stream>>(`/streams?limit=${mostFound}${query}`);
  const { data: uploads } = useLive<Page<UploadAnswer>>(asked === '' ? null : `/uploads?limit=${mostFound}${query}`);
  const { data: playlists } = useLive<Page<Playlist>>('/playlists?limit=100');
  const { contains } = useFilter({ sensitivity: 'base' });
  const fits = ({ name }: Entry) => contains(name, text.trim());
  const groups: readonly Group[] = [
    {
      name: navigation.streams,
      entries: (streams?.data ?? []).map((stream) => ({
        href: `/streams/${stream.id}`,
        name: nameOf(stream),
        icon: RadioTower,
      })),
    },
    { name: paletteWords.actions, entries: actions.filter(fits) },
    { name: paletteWords.places, entries: places.filter(fits) },
    {
      name: navigation.playlists,
      entries: (text === '' ? [] : (playlists?.data ?? []))
        .map(({ id, name }) => ({ href: `/playlists/${id}`, name: name ?? words.playlists.one, icon: ListMusic }))
        .filter(fits)
        .slice(0, mostFound),
    },
    {
      name: words.library.files,
      entries: (asked === '' ? [] : (uploads?.data ?? [])).map(({ name }) => ({
        href: `/library?q=${encodeURIComponent(name)}`,
        name,
        icon: FileVideo,
      })),
    },
  ];
  return groups.filter(({ entries }) => entries.length > 0);
}
