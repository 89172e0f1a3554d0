// The page for whoever is signed in: navigation around the screen of the address, and what outlives screens.
import { lazy, Suspense, useEffect, useState } from 'react';
import type { ComponentType, ReactNode } from 'react';
import { Brand } from '../brand.tsx';
import { UploadTray } from '../library/upload-tray.tsx';
import { post } from '../requests.ts';
import { words } from '../words/en.ts';
import { formatAge } from './format.ts';
import { useConnection } from './live-data.ts';
import { useNow } from './now.ts';
import { Link, usePath } from './router.tsx';
import type { ScreenProps } from './screen.ts';

interface Screen {
  readonly title: string;
  /** Matches the whole path; its first group is the id. */
  readonly path: RegExp;
  readonly show: ComponentType<ScreenProps>;
}

const screens: readonly Screen[] = [
  {
    title: words.home.title,
    path: /^\/$/,
    show: lazy(async () => ({ default: (await import('../home/home-page.tsx')).HomePage })),
  },
  {
    title: words.streams.title,
    path: /^\/streams$/,
    show: lazy(async () => ({ default: (await import('../streams/streams-page.tsx')).StreamsPage })),
  },
  {
    title: words.make.title,
    path: /^\/streams\/new(?:\/(\w+))?$/,
    show: lazy(async () => ({ default: (await import('../streams/new-stream-page.tsx')).NewStreamPage })),
  },
  {
    title: words.streams.title,
    path: /^\/streams\/(\w+)$/,
    show: lazy(async () => ({ default: (await import('../streams/stream-page.tsx')).StreamPage })),
  },
  {
    title: words.library.title,
    path: /^\/library$/,
    show: lazy(async () => ({ default: (await import('../library/library-page.tsx')).LibraryPage })),
  },
  {
    title: words.playlists.title,
    path: /^\/playlists$/,
    show: lazy(async () => ({ default: (await import('../playlists/playlists-page.tsx')).PlaylistsPage })),
  },
  {
    title: words.playlists.title,
    path: /^\/playlists\/(\w+)$/,
    show: lazy(async () => ({ default: (await import('../playlists/playlist-page.tsx')).PlaylistPage })),
  },
  {
    title: words.destinations.title,
    path: /^\/destinations$/,
    show: lazy(async () => ({ default: (await import('../destinations/destinations-page.tsx')).DestinationsPage })),
  },
  {
    title: words.billing.title,
    path: /^\/billing$/,
    show: lazy(async () => ({ default: (await import('../billing/billing-page.tsx')).BillingPage })),
  },
  {
    title: words.navigation.account,
    path: /^\/account$/,
    show: lazy(async () => ({ default: (await import('../account/account-page.tsx')).AccountPage })),
  },
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
  ['/billing', words.navigation.billing],
  ['/account', words.navigation.account],
] as const;

export function App(): ReactNode {
  const path = usePath();
  const screen = screens.find((each) => each.path.test(path));
  const Shown = screen?.show ?? nowhere;
  useEffect(() => {
    document.title = screen ? `${screen.title} · ${words.product}` : words.product;
  }, [screen]);
  return (
    <div className="app">
      <a className="skip" href="#content">
        {words.skip}
      </a>
      <Navigation path={path} />
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

function Navigation({ path }: { readonly path: string }): ReactNode {
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
          <a href="/v1/reference">{words.navigation.reference}</a>
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

function ConnectionBanner(): ReactNode {
  const { isLost, heardAtMs } = useConnection();
  return <div role="status">{isLost && <Lost heardAtMs={heardAtMs} />}</div>;
}

function Lost({ heardAtMs }: { readonly heardAtMs: number }): ReactNode {
  return <p className="banner">{words.lost(formatAge(new Date(heardAtMs).toISOString(), useNow()))}</p>;
}
