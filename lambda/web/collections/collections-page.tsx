// The list of collections.
import { Layers } from 'lucide-react';
import type { ReactNode } from 'react';
import { formatDuration } from '../app/format.ts';
import { PagedRows } from '../app/paged-rows.tsx';
import { Link } from '../app/router.tsx';
import type { Collection } from '../app/types.ts';
import { usePages } from '../app/use-pages.ts';
import { Empty } from '../kit/empty.tsx';
import { LibraryParts } from '../library/library-parts.tsx';
import { collectionWords as words } from '#words/collections.ts';
import { sourceWords } from './collection-source.ts';

export function CollectionsPage(): ReactNode {
  const pages = usePages<Collection>('/collections?limit=50');
  const make = (
    <Link className="button primary" href="/collections/new">
      {words.make}
    </Link>
  );
  const none = (
    <Empty icon={<Layers aria-hidden />} title={words.empty} text={words.hint}>
      {make}
    </Empty>
  );
  return (
    <div className="screen">
      <div className="heading">
        <h1>{words.title}</h1>
        {pages.items.length > 0 && make}
      </div>
      <LibraryParts />
      {pages.items.length > 0 && <p className="hint">{words.hint}</p>}
      <PagedRows pages={pages} none={none} isLong>
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
