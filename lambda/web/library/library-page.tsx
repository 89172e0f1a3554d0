// The library: uploads and imports with filters and folders, and actions on one or many of them.
import { Link2, Plus, Upload as UploadIcon } from 'lucide-react';
import { useCallback, useEffect, useState } from 'react';
import type { ReactNode } from 'react';
import { uploadTypes } from '../../domain/media/upload-words.ts';
import { change } from '../app/live-data.ts';
import { Loaded } from '../app/loaded.tsx';
import { LongList } from '../app/long-list.tsx';
import { MoreButton } from '../app/more-button.tsx';
import { setParameter, useParameter } from '../app/router.tsx';
import { SearchField } from '../app/search-field.tsx';
import type { Upload } from '../app/types.ts';
import { usePages } from '../app/use-pages.ts';
import { Field, Form } from '../form.tsx';
import { Choice } from '../kit/choice.tsx';
import { Empty } from '../kit/empty.tsx';
import { FormButton } from '../kit/form-button.tsx';
import { useAttempt } from '../use-attempt.ts';
import { words } from '#words';
import { chosenFiles, droppedFiles } from './dropped-files.ts';
import { Folders } from './folders.tsx';
import { LibraryParts } from './library-parts.tsx';
import { SelectionBar } from './selection-bar.tsx';
import { uploadQueue } from './upload-queue.ts';
import { UploadRow } from './upload-row.tsx';

const usualSort = '-createdAt';

export function LibraryPage(): ReactNode {
  const filter = {
    q: useParameter('q'),
    type: useParameter('type'),
    folder: useParameter('folder'),
    sort: useParameter('sort') || usualSort,
  };
  const isOver = useDrops();
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set());
  const path = `/uploads?${parametersOf(filter)}`;
  const pages = usePages<Upload>(path);
  const { first, items, more } = pages;
  const isFiltered = filter.q !== '' || filter.type !== '' || filter.folder !== '';
  const chosen = items.filter(({ id }) => selected.has(id));
  const select = useCallback((id: string, isSelected: boolean) => {
    setSelected((former) => new Set(isSelected ? [...former, id] : [...former].filter((each) => each !== id)));
  }, []);
  return (
    <div className="screen" data-over={isOver}>
      <div className="heading">
        <h1>{words.library.title}</h1>
        <div className="state">
          <ImportButton />
          <label className="button primary">
            <Plus aria-hidden />
            {words.library.add}
            <input
              type="file"
              multiple
              className="hidden"
              accept="video/*,audio/*,image/*,.mkv,.ts,.flv,.mxf"
              onChange={(event) => uploadQueue.add(chosenFiles(event.target))}
            />
          </label>
        </div>
      </div>
      <LibraryParts />
      <Filters {...filter} />
      <p className="hint">{words.library.dropHere}</p>
      <Folders folder={filter.folder} />
      {chosen.length > 0 && (
        <SelectionBar uploads={chosen} onChanged={pages.forget} onDone={() => setSelected(new Set())} />
      )}
      <Loaded live={first} path={path}>
        {() =>
          items.length > 0 ? (
            <>
              <AllChoice
                isChosen={chosen.length === items.length && more === null}
                onChoose={async () => setSelected(new Set((await pages.all())?.map(({ id }) => id)))}
                onClear={() => setSelected(new Set())}
              />
              <LongList items={items}>
                {(upload) => <UploadRow upload={upload} isSelected={selected.has(upload.id)} onSelect={select} />}
              </LongList>
            </>
          ) : (
            <Empty
              icon={<UploadIcon aria-hidden />}
              title={isFiltered ? words.library.nothingFits : words.library.empty}
              text={words.library.emptyText}
            />
          )
        }
      </Loaded>
      <MoreButton more={more} isEager />
    </div>
  );
}

interface Filter {
  readonly q: string;
  readonly type: string;
  readonly folder: string;
  readonly sort: string;
}

function parametersOf({ q, type, folder, sort }: Filter): URLSearchParams {
  const parameters = new URLSearchParams({ limit: '100', sort });
  if (q !== '') parameters.set('q', q);
  if (type !== '') parameters.set('type', type);
  if (folder !== '') parameters.set('folder', folder);
  return parameters;
}

interface AllChoiceProps {
  readonly isChosen: boolean;
  /** Chooses all files that fit the filters, those of pages that are not read yet as well. */
  readonly onChoose: () => Promise<void>;
  readonly onClear: () => void;
}

function AllChoice({ isChosen, onChoose, onClear }: AllChoiceProps): ReactNode {
  const { attempt, isPending, error } = useAttempt(onChoose);
  return (
    <p className="all">
      <label>
        <input
          type="checkbox"
          checked={isChosen}
          aria-busy={isPending}
          disabled={isPending}
          onChange={({ target }) => (target.checked ? void attempt() : onClear())}
        />
        {words.library.chooseAll}
      </label>
      <span role="alert">{error !== null && <span className="error">{error}</span>}</span>
    </p>
  );
}

/** Uploads all files that are dropped on the window. @returns whether files are held over it */
function useDrops(): boolean {
  const [isOver, setOver] = useState(false);
  useEffect(() => {
    const listening = new AbortController();
    const { signal } = listening;
    const over = (event: DragEvent) => {
      if (!event.dataTransfer?.types.includes('Files')) return;
      event.preventDefault();
      setOver(true);
    };
    const drop = (event: DragEvent) => {
      setOver(false);
      if (!event.dataTransfer?.types.includes('Files')) return;
      event.preventDefault();
      void droppedFiles(event.dataTransfer).then((files) => uploadQueue.add(files));
    };
    // Before the listeners of the shell, which refuse files elsewhere.
    addEventListener('dragover', over, { signal, capture: true });
    addEventListener('drop', drop, { signal, capture: true });
    addEventListener('dragleave', ({ relatedTarget }) => relatedTarget === null && setOver(false), { signal });
    return () => listening.abort();
  }, []);
  return isOver;
}

function Filters({ q, type, sort }: Filter): ReactNode {
  return (
    <div className="filters">
      <SearchField label={words.library.search} value={q} onSearch={(text) => setParameter('q', text)} />
      <Choice
        name="type"
        label={words.library.type}
        isLabelHidden
        value={type}
        onChange={(value) => setParameter('type', value)}
        options={[
          ['', words.library.types.all],
          ...uploadTypes.map((each) => [each, words.library.types[each]] as const),
        ]}
      />
      <Choice
        name="sort"
        label={words.library.sort}
        isLabelHidden
        value={sort}
        onChange={(value) => setParameter('sort', value === usualSort ? '' : value)}
        options={Object.entries(words.library.sorts)}
      />
    </div>
  );
}

function ImportButton(): ReactNode {
  return (
    <FormButton action={words.library.link} icon={<Link2 aria-hidden />}>
      {({ close, cancel }) => (
        <Form
          action={words.library.importIt}
          beside={cancel}
          onSubmit={async ({ url }) => {
            await change('POST', '/uploads/import', ['/uploads'], { url });
            close();
          }}
        >
          <Field
            name="url"
            label={words.library.linkLabel}
            type="url"
            hint={words.library.linkHint}
            autoComplete="off"
          />
        </Form>
      )}
    </FormButton>
  );
}
