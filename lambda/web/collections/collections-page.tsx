// The list of collections.
import type { ReactNode } from 'react';
import { formatDuration } from '../app/format.ts';
import { PagedRows } from '../app/paged-rows.tsx';
import { Link } from '../app/router.tsx';
import type { Collection } from '../app/types.ts';
import { usePages } from '../app/use-pages.ts';
import { LibraryParts } from '../library/library-parts.tsx';
import { collectionWords as words } from '#words/collections.ts';
import { sourceWords } from './collection-source.ts';

export function CollectionsPage(): ReactNode {
  return (
    <div className="screen">
      <div className="heading">
        <h1>{words.title}</h1>
        <Link className="button primary" href="/collections/new">
          {words.make}
        </Link>
      </div>
      <LibraryParts />
      <p className="hint">{words.hint}</p>
      <PagedRows pages={usePages<Collection>('/collections?limit=50')} none={words.empty} isLong>
        {(collection) => <Row key={collection.id} collection={collection} />}
      </PagedRows>
    </div>
  );
}

function Row({ collection }: { readonly collection: Collection }): ReactNode {
  const { id, name, kind, source, order, count, durationSeconds, complete } = collection;
  return (
    <li>
      <div>
        <Link href={`/collections/${id}`} className="title">
          {name}
        </Link>
        <p className="hint">
          {words.kinds[kind]} · {sourceWords(source)} · {words.orderNames[order]}
        </p>
      </div>
      <p className="hint">
        {words.files(count)} · {formatDuration(durationSeconds)}
        {!complete && ` · ${words.partly}`}
      </p>
    </li>
  );
}
