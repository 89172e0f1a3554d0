// The page for signed-in users: navigation around the screen of the address, and the parts that outlive screens.
import { lazy, Suspense, useEffect, useState } from 'react';
import type { ComponentType, ReactNode } from 'react';
import { Brand } from '../brand.tsx';
import { UploadTray } from '../library/upload-tray.tsx';
import { post } from '../requests.ts';
import { words } from '../words/en.ts';
import { formatAge } from './format.ts';
import { useConnection } from './live-data.ts';
import { useNow } from './now.ts';
import { Link, usePath, useShownPath } from './router.tsx';
import type { ScreenProps } from './screen.ts';
import { chooseTheme, themes, useTheme } from './theme.ts';
import type { Theme } from './theme.ts';

interface Screen {
  readonly title: string;
  /** Matches the whole path. Its first group is the id. */
  readonly path: RegExp;
  readonly show: ComponentType<ScreenProps>;
}

function screen(path: RegExp, title: string, load: () => Promise<Screen['show']>): Screen {
  return { path, title, show: lazy(async () => ({ default: await load() })) };
}

const screens = [
  screen(/^\/$/, words.home.title, async () => (await import('../home/home-page.tsx')).HomePage),
  screen(/^\/streams$/, words.streams.title, async () => (await import('../streams/streams-page.tsx')).StreamsPage),
  screen(
    /^\/streams\/new(?:\/(\w+))?$/,
    words.make.title,
    async () => (await import('../streams/new-stream-page.tsx')).NewStreamPage,
  ),
  screen(
    /^\/streams\/(\w+)$/,
    words.streams.title,
    async () => (await import('../streams/stream-page.tsx')).StreamPage,
  ),
  screen(/^\/library$/, words.library.title, async () => (await import('../library/library-page.tsx')).LibraryPage),
  screen(
    /^\/playlists$/,
    words.playlists.title,
    async () => (await import('../playlists/playlists-page.tsx')).PlaylistsPage,
  ),
  screen(
    /^\/playlists\/(\w+)$/,
    words.playlists.title,
    async () => (await import('../playlists/playlist-page.tsx')).PlaylistPage,
  ),
  screen(
    /^\/collections$/,
    words.navigation.collections,
    async () => (await import('../collections/collections-page.tsx')).CollectionsPage,
  ),
  screen(
    /^\/collections\/(\w+)$/,
    words.navigation.collections,
    async () => (await import('../collections/collection-page.tsx')).CollectionPage,
  ),
  screen(
    /^\/programmes\/(\w+)\/days$/,
    words.onAir.programme,
    async () => (await import('../programmes/days-page.tsx')).DaysPage,
  ),
  screen(
    /^\/programmes\/(\w+)$/,
    words.onAir.programme,
    async () => (await import('../programmes/programme-page.tsx')).ProgrammePage,
  ),
  screen(
    /^\/destinations$/,
    words.destinations.title,
    async () => (await import('../destinations/destinations-page.tsx')).DestinationsPage,
  ),
  screen(
    /^\/schedule$/,
    words.schedule.title,
    async () => (await import('../schedule/schedule-page.tsx')).SchedulePage,
  ),
  screen(/^\/alerts$/, words.alerts.title, async () => (await import('../alerts/alerts-page.tsx')).AlertsPage),
  screen(
    /^\/webhooks$/,
    words.webhooks.title,
    async () => (await import('../webhooks/webhooks-page.tsx')).WebhooksPage,
  ),
  screen(
    /^\/webhooks\/(\w+)$/,
    words.webhooks.title,
    async () => (await import('../webhooks/webhook-page.tsx')).WebhookPage,
  ),
  screen(/^\/billing$/, words.billing.title, async () => (await import('../billing/billing-page.tsx')).BillingPage),
  screen(
    /^\/developers\/graphql$/,
    words.developers.graphql,
    async () => (await import('../developers/graphql-page.tsx')).GraphqlPage,
  ),
  screen(
    /^\/developers(?:\/(\w+))?$/,
    words.developers.title,
    async () => (await import('../developers/developers-page.tsx')).DevelopersPage,
  ),
  screen(
    /^\/account$/,
    words.navigation.account,
    async () => (await import('../account/account-page.tsx')).AccountPage,
  ),
];
const nowhere = lazy(async () => ({ default: (await import('../not-found-page.tsx')).NotFoundPage }));

const places = [
  ['/', words.navigation.home],
  ['/streams', words.navigation.streams],
  ['/library', words.navigation.library],
  ['/playlists', words.navigation.playlists],
] as const;
const furtherPlaces = [
  ['/destinations', words.navigation.destinations],
  ['/collections', words.navigation.collections],
  ['/schedule', words.navigation.schedule],
  ['/alerts', words.navigation.alerts],
  ['/webhooks', words.navigation.webhooks],
  ['/billing', words.navigation.billing],
  ['/account', words.navigation.account],
  ['/developers', words.navigation.developers],
] as const;

export function App(): ReactNode {
  const path = useShownPath();
  const screen = screens.find((each) => each.path.test(path));
  const Shown = screen?.show ?? nowhere;
  useEffect(() => {
    document.title = screen ? `${screen.title} · ${words.product}` : words.product;
  }, [screen]);
  useEffect(refuseStrayFiles, []);
  return (
    <div className="app">
      <a className="skip" href="#content">
        {words.skip}
      </a>
      <Navigation />
      <div className="beside">
        <ConnectionBanner />
        <main id="content" tabIndex={-1}>
          <Suspense fallback={<div className="skeleton" />}>
            <Shown id={screen?.path.exec(path)?.[1] ?? ''} key={screen?.title === words.make.title ? '' : path} />
          </Suspense>
        </main>
        <UploadTray />
      </div>
    </div>
  );
}

/** Without this, the browser would open a file dropped outside the drop zones in place of the page. */
function refuseStrayFiles(): () => void {
  const refuse = (event: DragEvent): void => {
    if (event.defaultPrevented || !event.dataTransfer?.types.includes('Files')) return;
    event.preventDefault();
    event.dataTransfer.dropEffect = 'none';
  };
  const listening = new AbortController();
  const options = { signal: listening.signal };
  window.addEventListener('dragover', refuse, options);
  window.addEventListener('drop', refuse, options);
  return () => listening.abort();
}

function Navigation(): ReactNode {
  const path = usePath();
  const [isOpen, setOpen] = useState(false);
  const place = ([href, name]: readonly [string, string]) => {
    const isHere = href === '/' ? path === '/' : path.startsWith(href);
    return (
      <li key={href}>
        <Link href={href} aria-current={isHere ? 'page' : undefined}>
          {name}
        </Link>
      </li>
    );
  };
  const signOut = async (): Promise<void> => {
    await post('/sign-out');
    location.assign('/sign-in');
  };
  return (
    <nav className="places" aria-label={words.navigation.label}>
      <Brand />
      <ul>{places.map(place)}</ul>
      <button type="button" className="more" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
        {words.navigation.more}
      </button>
      <ul className="further" data-open={isOpen} onClick={() => setOpen(false)}>
        {furtherPlaces.map(place)}
        <li>
          <ThemeChoice />
        </li>
        <li>
          <button type="button" onClick={() => void signOut()}>
            {words.navigation.signOut}
          </button>
        </li>
      </ul>
    </nav>
  );
}

function ThemeChoice(): ReactNode {
  const theme = useTheme();
  return (
    <label className="theme" onClick={(event) => event.stopPropagation()}>
      {words.navigation.theme}
      <select value={theme} onChange={(event) => chooseTheme(event.target.value as Theme)}>
        {themes.map((each) => (
          <option key={each} value={each}>
            {words.navigation.themes[each]}
          </option>
        ))}
      </select>
    </label>
  );
}

function ConnectionBanner(): ReactNode {
  const { isLost, heardAtMs } = useConnection();
  return <div role="status">{isLost && <Lost heardAtMs={heardAtMs} />}</div>;
}

function Lost({ heardAtMs }: { readonly heardAtMs: number }): ReactNode {
  return <p className="banner">{words.lost(formatAge(new Date(heardAtMs).toISOString(), useNow()))}</p>;
}
