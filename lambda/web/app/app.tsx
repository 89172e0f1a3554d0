// The page for signed-in users: navigation around the screen of the address, and the parts that outlive screens.
import { I18nProvider } from 'react-aria-components';
import { lazy, Suspense, useEffect } from 'react';
import type { ComponentType, ReactNode } from 'react';
import { UploadTray } from '../library/upload-tray.tsx';
import { words } from '#words';
import { formatAge } from './format.ts';
import { useConnection } from './live-data.ts';
import { locale } from './locale.ts';
import { Navigation } from './navigation.tsx';
import { useNow } from './now.ts';
import { useShownPath } from './router.tsx';
import type { ScreenProps } from './screen.ts';

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
    /^\/streams\/(\w+)(?:\/(?:programme|look|outputs|live|log|settings))?$/,
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
  screen(/^\/sources$/, words.library.sources, async () => (await import('../sources/sources-page.tsx')).SourcesPage),
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
    words.navigation.destinations,
    async () => (await import('../destinations/destinations-page.tsx')).DestinationsPage,
  ),
  screen(
    /^\/schedule$/,
    words.navigation.schedule,
    async () => (await import('../schedule/schedule-page.tsx')).SchedulePage,
  ),
  screen(/^\/alerts$/, words.navigation.alerts, async () => (await import('../alerts/alerts-page.tsx')).AlertsPage),
  screen(
    /^\/webhooks$/,
    words.navigation.webhooks,
    async () => (await import('../webhooks/webhooks-page.tsx')).WebhooksPage,
  ),
  screen(
    /^\/webhooks\/(\w+)$/,
    words.navigation.webhooks,
    async () => (await import('../webhooks/webhook-page.tsx')).WebhookPage,
  ),
  screen(
    /^\/billing$/,
    words.navigation.billing,
    async () => (await import('../billing/billing-page.tsx')).BillingPage,
  ),
  screen(
    /^\/developers\/graphql$/,
    words.navigation.graphql,
    async () => (await import('../developers/graphql-page.tsx')).GraphqlPage,
  ),
  screen(
    /^\/developers(?:\/(\w+))?$/,
    words.navigation.reference,
    async () => (await import('../developers/developers-page.tsx')).DevelopersPage,
  ),
  screen(
    /^\/account$/,
    words.navigation.account,
    async () => (await import('../account/account-page.tsx')).AccountPage,
  ),
];
const nowhere = lazy(async () => ({ default: (await import('../not-found-page.tsx')).NotFoundPage }));

export function App(): ReactNode {
  const path = useShownPath();
  const screen = screens.find((each) => each.path.test(path));
  const Shown = screen?.show ?? nowhere;
  const id = screen?.path.exec(path)?.[1] ?? '';
  useEffect(() => {
    document.title = screen ? `${screen.title} · ${words.product}` : words.product;
  }, [screen]);
  useEffect(refuseStrayFiles, []);
  return (
    <I18nProvider locale={locale}>
      <div className="app">
        <a className="skip" href="#content">
          {words.skip}
        </a>
        <Navigation />
        <div className="beside">
          <ConnectionBanner />
          <main id="content" tabIndex={-1}>
            <Suspense fallback={<div className="skeleton" />}>
              <Shown id={id} key={screen?.title === words.make.title ? '' : `${screens.indexOf(screen!)} ${id}`} />
            </Suspense>
          </main>
          <UploadTray />
        </div>
      </div>
    </I18nProvider>
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

function ConnectionBanner(): ReactNode {
  const { isLost, heardAtMs } = useConnection();
  return <div role="status">{isLost && <Lost heardAtMs={heardAtMs} />}</div>;
}

function Lost({ heardAtMs }: { readonly heardAtMs: number }): ReactNode {
  return <p className="banner">{words.lost(formatAge(new Date(heardAtMs).toISOString(), useNow()))}</p>;
}
