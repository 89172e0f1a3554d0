// Creates or changes a collection: its name, its source and its order.
import { useState } from 'react';
import type { ReactNode } from 'react';
import { collectionOrders } from '../../domain/media/collections.ts';
import type { CollectionOrder } from '../../domain/media/collections.ts';
import { playlistKinds } from '../../domain/playout/playlist-words.ts';
import { ApiError } from '../app/api.ts';
import { FaultHere, FaultsOf, useFault } from '../app/faults.tsx';
import type { Faults } from '../app/faults.tsx';
import type { Collection } from '../app/types.ts';
import { Field, Form } from '../form.tsx';
import { Choice } from '../kit/choice.tsx';
import { words as shared } from '#words';
import { collectionWords as words } from '#words/collections.ts';
import { emptySource, formOf, requestedSource, sourceForms } from './collection-source.ts';
import type { SourceForm } from './collection-source.ts';
import { SourceFields } from './source-fields.tsx';

type Wish = Pick<Collection, 'name' | 'kind' | 'source' | 'order' | 'groupBy'>;

const newCollection: Wish = {
  name: '',
  kind: 'video',
  source: emptySource('folder'),
  order: 'sequential',
  groupBy: null,
};

interface CollectionFormProps {
  /** Null creates a new collection. */
  readonly collection: Collection | null;
  readonly onSave: (wish: object) => Promise<void>;
}

export function CollectionForm({ collection, onSave }: CollectionFormProps): ReactNode {
  const [wish, setWish] = useState<Wish>(collection ?? newCollection);
  const [faults, setFaults] = useState<Faults>([]);
  const change = (changed: Partial<Wish>) => setWish({ ...wish, ...changed });
  const save = async (): Promise<void> => {
    const { name, kind, source, order, groupBy } = wish;
    const settings = { name, source: requestedSource(source), order, groupBy: order === 'series' ? groupBy : null };
    setFaults([]);
    try {
      await onSave(collection ? settings : { ...settings, kind });
    } catch (error) {
      if (!(error instanceof ApiError) || error.errors.length === 0) throw error;
      setFaults(error.errors);
      throw new Error(words.invalid, { cause: error });
    }
  };
  return (
    <section>
      <FaultsOf faults={faults}>
        <Form action={collection ? shared.save : words.create} onSubmit={save} className="in-row">
          <NameField name={wish.name} onChange={(name) => change({ name })} />
          {collection === null && (
            <Choice
              name="kind"
              label={words.kind}
              value={wish.kind}
              options={playlistKinds.map((kind) => [kind, words.kinds[kind]] as const)}
              onChange={(kind) => change({ kind: kind as Wish['kind'], source: emptySource(formOf(wish.source)) })}
            />
          )}
          <Choice
            name="form"
            label={words.form}
            value={formOf(wish.source)}
            options={sourceForms.map((form) => [form, words.forms[form]] as const)}
            onChange={(form) => change({ source: emptySource(form as SourceForm) })}
          />
          <SourceFields
            ownID={collection?.id ?? null}
            kind={wish.kind}
            source={wish.source}
            onChange={(source) => change({ source })}
          />
          <FaultHere at="/source" />
          <OrderFields order={wish.order} groupBy={wish.groupBy} onChange={change} />
        </Form>
      </FaultsOf>
    </section>
  );
}

interface NameFieldProps {
  readonly name: string;
  readonly onChange: (name: string) => void;
}

function NameField({ name, onChange }: NameFieldProps): ReactNode {
  return (
    <Field
      name="name"
      label={words.name}
      value={name}
      maxLength={255}
      fault={useFault('/name')}
      onChange={(event) => onChange(event.target.value)}
    />
  );
}

type Group = keyof typeof words.groups;

const tagGroup = 'tag:';

function groupOf(groupBy: string | null): Group {
  if (groupBy === null) return '';
  return groupBy.startsWith(tagGroup) ? 'tag' : (groupBy as Group);
}

interface OrderFieldsProps {
  readonly order: CollectionOrder;
  readonly groupBy: string | null;
  readonly onChange: (changed: Pick<Wish, 'order'> | Pick<Wish, 'groupBy'>) => void;
}

function OrderFields({ order, groupBy, onChange }: OrderFieldsProps): ReactNode {
  const group = groupOf(groupBy);
  const fault = useFault('/groupBy');
  const ofGroup: Readonly<Record<Group, string | null>> = {
    '': null,
    folder: 'folder',
    artist: 'artist',
    album: 'album',
    tag: tagGroup,
  };
  return (
    <>
      <Choice
        name="order"
        label={words.order}
        value={order}
        fault={useFault('/order')}
        options={collectionOrders.map((each) => [each, words.orders[each]] as const)}
        onChange={(chosen) => onChange({ order: chosen as CollectionOrder })}
      />
      {order === 'series' && (
        <Choice
          name="group"
          label={words.group}
          value={group}
          fault={fault}
          options={Object.entries(words.groups)}
          onChange={(chosen) => onChange({ groupBy: ofGroup[chosen as Group] })}
        />
      )}
      {order === 'series' && group === 'tag' && (
        <Field
          name="tagPrefix"
          label={words.tagPrefix}
          maxLength={64}
          value={groupBy!.slice(tagGroup.length)}
          onChange={(event) => onChange({ groupBy: `${tagGroup}${event.target.value}` })}
        />
      )}
    </>
  );
}
