// The navigation: the places of the page, the credits, and the account.
import {
  Bell,
  CalendarClock,
  ChevronsUpDown,
  Code2,
  CreditCard,
  Ellipsis,
  House,
  LibraryBig,
  LogOut,
  RadioTower,
  Search,
  Send,
  UserRound,
} from 'lucide-react';
import type { LucideIcon } from 'lucide-react';
import { lazy, Suspense, useEffect, useState } from 'react';
import type { ReactNode } from 'react';
import { Button, Header, Menu, MenuItem, MenuSection, MenuTrigger, Popover, Separator } from 'react-aria-components';
import { useBalance } from '../billing/balance.ts';
import { Brand } from '../brand.tsx';
import { post } from '../requests.ts';
import type { Session } from '../session.ts';
import { useLoaded } from '../use-loaded.ts';
import { words } from '#words';
import { languageNames } from '../languages.ts';
import { formatMoment, formatWhole } from './format.ts';
import { chooseLanguage, chosenLanguage, languageChoices } from './language-choice.ts';
import { openIncidentsPath, useLive } from './live-data.ts';
import { Link, navigate, usePath } from './router.tsx';
import { chooseTheme, themes, useTheme } from './theme.ts';
import type { Incident, Page } from './types.ts';

interface Place {
  readonly href: string;
  readonly name: string;
  readonly icon: LucideIcon;
  /** Further beginnings of addresses that belong to the place. */
  readonly also?: readonly string[];
}

const places: readonly Place[] = [
  { href: '/', name: words.navigation.home, icon: House },
  { href: '/streams', name: words.navigation.streams, icon: RadioTower, also: ['/programmes'] },
  {
    href: '/library',
    name: words.navigation.library,
    icon: LibraryBig,
    also: ['/playlists', '/collections', '/sources'],
  },
  { href: '/schedule', name: words.navigation.schedule, icon: CalendarClock },
];
const alerts: Place = { href: '/alerts', name: words.navigation.alerts, icon: Bell };
const furtherPlaces: readonly Place[] = [
  { href: '/destinations', name: words.navigation.destinations, icon: Send },
  { href: '/billing', name: words.navigation.billing, icon: CreditCard },
  { href: '/developers', name: words.navigation.developers, icon: Code2, also: ['/webhooks'] },
];

export function Navigation(): ReactNode {
  const [isOpen, setOpen] = useState(false);
  return (
    <nav className="places" aria-label={words.navigation.label}>
      <Brand />
      <OfUser>
        <Find />
      </OfUser>
      <ul className="first">
        {places.map((place) => (
          <PlaceLink key={place.href} place={place} />
        ))}
      </ul>
      <button type="button" className="more" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
        <Ellipsis aria-hidden />
        {words.navigation.more}
      </button>
      <div className="further" data-open={isOpen} onClick={() => setOpen(false)}>
        <ul>
          <PlaceLink place={alerts}>
            <OfUser>
              <OpenIncidents />
            </OfUser>
          </PlaceLink>
          {furtherPlaces.map((place) => (
            <PlaceLink key={place.href} place={place} />
          ))}
        </ul>
        <div className="foot">
          <OfUser>
            <Credits />
            <AccountMenu />
          </OfUser>
        </div>
      </div>
    </nav>
  );
}

const Palette = lazy(async () => ({ default: (await import('./palette.tsx')).Palette }));

/** The command palette: a button, and its keys on every screen. */
function Find(): ReactNode {
  const [isOpen, setOpen] = useState(false);
  useEffect(() => {
    const listen = (event: KeyboardEvent): void => {
      if (!(event.metaKey || event.ctrlKey) || event.key.toLowerCase() !== 'k') return;
      event.preventDefault();
      setOpen(true);
    };
    addEventListener('keydown', listen);
    return () => removeEventListener('keydown', listen);
  }, []);
  return (
    <>
      <button type="button" className="find" onClick={() => setOpen(true)}>
        <Search aria-hidden />
        {words.find}
        <kbd aria-hidden="true">{isApple ? '⌘K' : words.findKeys}</kbd>
      </button>
      <Suspense>{isOpen && <Palette onClose={() => setOpen(false)} />}</Suspense>
    </>
  );
}

const isApple = /Mac|iPhone|iPad/u.test(navigator.userAgent);

/** Parts that read data of the user. The reference of the API is public: it has them only within a session. */
function OfUser({ children }: { readonly children: ReactNode }): ReactNode {
  const isPublic = usePath().startsWith('/developers');
  return isPublic ? <WithinSession>{children}</WithinSession> : children;
}

function WithinSession({ children }: { readonly children: ReactNode }): ReactNode {
  const { data: session } = useLoaded<Session | null>('/get-session');
  return session ? children : null;
}

function PlaceLink({ place, children }: { readonly place: Place; readonly children?: ReactNode }): ReactNode {
  const path = usePath();
  const { href, name, icon: Icon, also = [] } = place;
  const isHere = href === '/' ? path === '/' : [href, ...also].some((each) => path.startsWith(each));
  return (
    <li>
      <Link href={href} aria-current={isHere ? 'page' : undefined}>
        <Icon aria-hidden />
        {name}
        {children}
      </Link>
    </li>
  );
}

function OpenIncidents(): ReactNode {
  const { data } = useLive<Page<Incident>>(openIncidentsPath);
  const count = data?.data.length ?? 0;
  if (count === 0) return null;
  return (
    <span className="count" title={words.navigation.open(count)}>
      {count}
    </span>
  );
}

function Credits(): ReactNode {
  const { data } = useBalance();
  if (!data) return null;
  const { creditsLeft, creditsExhaustedAt } = data.billing;
  return (
    <Link className="credits" href="/billing">
      <strong>{words.navigation.credits(formatWhole(creditsLeft))}</strong>
      <span className="hint">
        {creditsExhaustedAt === null
          ? words.navigation.nothingCosts
          : words.navigation.lasts(formatMoment(creditsExhaustedAt))}
      </span>
    </Link>
  );
}

function AccountMenu(): ReactNode {
  const { data } = useLive<{ readonly name: string; readonly email: string }>('/me');
  const theme = useTheme();
  const language = chosenLanguage();
  const signOut = async (): Promise<void> => {
    await post('/sign-out');
    location.assign('/sign-in');
  };
  return (
    <MenuTrigger>
      <Button>
        <UserRound aria-hidden />
        <span className="who">{data?.name || data?.email}</span>
        <span className="hidden">{words.navigation.account}</span>
        <ChevronsUpDown aria-hidden />
      </Button>
      <Popover className="popover" placement="top start">
        <Menu aria-label={words.navigation.account}>
          <MenuSection>
            <Header>{data?.email}</Header>
            <MenuItem onAction={() => navigate('/account')}>
              <UserRound aria-hidden />
              {words.navigation.account}
            </MenuItem>
          </MenuSection>
          <Separator />
          <MenuSection
            aria-label={words.navigation.theme}
            selectionMode="single"
            disallowEmptySelection
            selectedKeys={[theme]}
            onSelectionChange={(keys) => chooseTheme(themes.find((each) => keys !== 'all' && keys.has(each)) ?? theme)}
          >
            <Header>{words.navigation.theme}</Header>
            {themes.map((each) => (
              <MenuItem key={each} id={each}>
                {words.navigation.themes[each]}
              </MenuItem>
            ))}
          </MenuSection>
          <Separator />
          <MenuSection
            aria-label={words.navigation.language}
            selectionMode="single"
            disallowEmptySelection
            selectedKeys={[language]}
            onSelectionChange={(keys) =>
              chooseLanguage(languageChoices.find((each) => keys !== 'all' && keys.has(each)) ?? language)
            }
          >
            <Header>{words.navigation.language}</Header>
            {languageChoices.map((each) => (
              <MenuItem key={each} id={each} lang={each === 'browser' ? undefined : each}>
                {each === 'browser' ? words.navigation.ofBrowser : languageNames[each]}
              </MenuItem>
            ))}
          </MenuSection>
          <Separator />
          <MenuItem onAction={() => void signOut()}>
            <LogOut aria-hidden />
            {words.navigation.signOut}
          </MenuItem>
        </Menu>
      </Popover>
    </MenuTrigger>
  );
}
