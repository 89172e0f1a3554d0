// One collection, or a new one: its form, and its present files.
import { useState } from 'react';
import type { ReactNode } from 'react';
import { call } from '../app/api.ts';
import { Ask } from '../kit/ask.tsx';
import { formatDuration } from '../app/format.ts';
import { refresh, show, useLive } from '../app/live-data.ts';
import { Loaded } from '../app/loaded.tsx';
import { PagedRows } from '../app/paged-rows.tsx';
import { Link, navigate } from '../app/router.tsx';
import type { ScreenProps } from '../app/screen.ts';
import type { Collection, Upload } from '../app/types.ts';
import { usePages } from '../app/use-pages.ts';
import { NotFoundPage } from '../not-found-page.tsx';
import { words as shared } from '#words';
import { collectionWords as words } from '#words/collections.ts';
import { CollectionForm } from './collection-form.tsx';

export function CollectionPage({ id }: ScreenProps): ReactNode {
  return id === 'new' ? <NewCollection /> : <KnownCollection id={id} />;
}

function NewCollection(): ReactNode {
  const create = async (wish: object): Promise<void> => {
    const { id } = await call<Collection>('POST', '/collections', wish);
    refresh('/collections?');
    navigate(`/collections/${id}`);
  };
  return (
    <div className="screen">
      <h1>{words.make}</h1>
      <ToList />
      <CollectionForm collection={null} onSave={create} />
    </div>
  );
}

function ToList(): ReactNode {
  return (
    <p>
      <Link className="button" href="/collections">
        {words.toList}
      </Link>
    </p>
  );
}

function KnownCollection({ id }: ScreenProps): ReactNode {
  const path = `/collections/${id}`;
  const live = useLive<Collection>(path);
  if (live.error?.status === 404) return <NotFoundPage text={words.missing} />;
  return (
    <div className="screen">
      <Loaded live={live} path={path}>
        {(collection) => <Shown collection={collection} />}
      </Loaded>
    </div>
  );
}

function Shown({ collection }: { readonly collection: Collection }): ReactNode {
  const { id, name, count, durationSeconds, complete, updatedAt } = collection;
  const path = `/collections/${id}`;
  const [isSaved, setSaved] = useState(false);
  const save = async (wish: object): Promise<void> => {
    setSaved(false);
    show(path, await call<Collection>('PATCH', path, wish));
    refresh('/collections?');
    refresh(`${path}/uploads`);
    setSaved(true);
  };
  const remove = async (): Promise<void> => {
    await call('DELETE', path);
    refresh('/collections?');
    navigate('/collections');
  };
  return (
    <>
      <h1>{name}</h1>
      <ToList />
      {/* The form is reset when the collection changes elsewhere, so that it never saves outdated values. */}
      <CollectionForm key={updatedAt} collection={collection} onSave={save} />
      <p role="status">{isSaved && shared.saved}</p>
      <section aria-labelledby="members">
        <h2 id="members">{words.members}</h2>
        <p className="hint" role="status">
          {words.files(count)} · {formatDuration(durationSeconds)}
          {!complete && ` · ${words.partly}`}
        </p>
        <PagedRows pages={usePages<Upload>(`${path}/uploads?limit=20`)} none={words.noMembers}>
          {(upload) => (
            <li key={upload.id}>
              <span className="name">{upload.name}</span>
              <span className="hint">{upload.durationSeconds !== null && formatDuration(upload.durationSeconds)}</span>
            </li>
          )}
        </PagedRows>
      </section>
      <p>
        <Ask
          action={words.remove}
          tone="grave"
          question={words.removeAsk(name)}
          explanation={words.removeText}
          refuse={words.keep}
          onYes={remove}
        />
      </p>
    </>
  );
}
