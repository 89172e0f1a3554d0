// The place that a stream goes to, in one list: destinations, and channels of connected platforms.
import { useState } from 'react';
import type { ReactNode } from 'react';
import { call } from '../app/api.ts';
import { refresh, useLive } from '../app/live-data.ts';
import type { Connection, Destination, ManagedSettings, Page, Stream } from '../app/types.ts';
import { Field, Form } from '../form.tsx';
import { Choice } from '../kit/choice.tsx';
import { Dismiss, Sheet } from '../kit/sheet.tsx';
import { words } from '#words';
import { channelsWords } from '#words/channels.ts';

/** The fields of a stream that name its first place. */
export type Place = Pick<Stream, 'destinationID' | 'managedSettingsID' | 'streamDestination'>;

interface WhereToProps {
  readonly place: Place;
  readonly onPlace: (place: Place) => void;
  /** Called if the user wants a new destination; absent: the list does not offer it. */
  readonly onAnother?: () => void;
  /** Whether a new destination is being made. @default false */
  readonly isAnother?: boolean;
}

type Options = readonly (readonly [value: string, words: string])[];

const another = 'another';
/** @param destinationID null: nowhere */
export const toDestination = (destinationID: string | null): Place => ({
  destinationID,
  managedSettingsID: null,
  streamDestination: null,
});
const toChannel = (managedSettingsID: string): Place => ({
  destinationID: null,
  managedSettingsID,
  streamDestination: 'managed',
});
const nameOf = ({ platform, title, id }: Connection) => `${channelsWords.platforms[platform]} · ${title ?? id}`;

export function WhereTo({ place, onPlace, onAnother, isAnother = false }: WhereToProps): ReactNode {
  const { data: destinations } = useLive<Page<Destination>>('/destinations?limit=100');
  const { data: connections } = useLive<Page<Connection>>('/connections?limit=50');
  const { data: settings } = useLive<Page<ManagedSettings>>('/managed-settings?limit=50');
  /** The channel whose broadcasts have no settings yet, so that the user is asked for them. */
  const [asked, setAsked] = useState<Connection | null>(null);
  if (!destinations || !connections || !settings) return null;
  const chosen = place.managedSettingsID ?? place.destinationID ?? '';
  const known: Options = [
    ...destinations.data.filter(({ url }) => url !== undefined).map(({ id, name }) => [id, name] as const),
    ...channelsOf(connections.data, settings.data),
  ];
  // The form for the first place stands alone.
  if (onAnother && known.length === 0 && chosen === '') return null;
  // A chosen object that is not among the first hundred stays selectable.
  const isKnown = chosen === '' || known.some(([id]) => id === chosen);
  const choose = (option: string): void => {
    const channel = connections.data.find(({ id }) => id === option);
    if (option === another) onAnother?.();
    else if (channel) setAsked(channel);
    else if (settings.data.some(({ id }) => id === option)) onPlace(toChannel(option));
    else onPlace(toDestination(option === '' ? null : option));
  };
  return (
    <>
      <Choice
        name="whereTo"
        label={words.stream.whereTo}
        value={isAnother ? another : chosen}
        onChange={choose}
        options={[
          ['', words.none],
          ...known,
          ...(isKnown ? [] : [[chosen, chosen] as const]),
          ...(onAnother ? [[another, words.make.another] as const] : []),
        ]}
      />
      {asked && (
        <FirstBroadcast
          channel={asked}
          onMade={(id) => {
            setAsked(null);
            onPlace(toChannel(id));
          }}
          onClose={() => setAsked(null)}
        />
      )}
    </>
  );
}

/** Settings of broadcasts by their channel; a channel that has none yet stands for itself. */
function channelsOf(connections: readonly Connection[], settings: readonly ManagedSettings[]): Options {
  return connections
    .filter(({ state }) => state !== 'pending')
    .flatMap((connection): Options => {
      const own = settings.filter(({ connectionID }) => connectionID === connection.id);
      if (own.length === 0) return [[connection.id, nameOf(connection)]];
      return own.map(({ id, name }) => [id, own.length === 1 ? nameOf(connection) : `${nameOf(connection)} · ${name}`]);
    });
}

interface FirstBroadcastProps {
  readonly channel: Connection;
  /** Called with the id of the settings. */
  readonly onMade: (id: string) => void;
  readonly onClose: () => void;
}

/** Asks for the facts of a broadcast that the platform does not know by itself. The others have defaults. */
function FirstBroadcast({ channel, onMade, onClose }: FirstBroadcastProps): ReactNode {
  const title = channel.title ?? words.product;
  const make = async (fields: Readonly<Record<string, string>>): Promise<void> => {
    const { id } = await call<ManagedSettings>('POST', '/managed-settings', {
      connectionID: channel.id,
      name: title,
      titleTemplate: fields['titleTemplate'],
      privacy: fields['privacy'],
      madeForKids: fields['madeForKids'] === 'yes',
      timeZone: Intl.DateTimeFormat().resolvedOptions().timeZone,
    });
    refresh('/managed-settings');
    onMade(id);
  };
  return (
    <Sheet title={nameOf(channel)} isOpen onClose={onClose}>
      <p className="hint">{channelsWords.firstText}</p>
      <Form action={channelsWords.use} onSubmit={make} beside={<Dismiss onClose={onClose} />}>
        <Field
          name="titleTemplate"
          label={channelsWords.titleTemplate}
          hint={channelsWords.titleHint}
          defaultValue={title}
          maxLength={500}
        />
        <Choice
          name="privacy"
          label={channelsWords.privacy}
          defaultValue="unlisted"
          options={Object.entries(channelsWords.privacies)}
        />
        <Choice name="madeForKids" label={channelsWords.kids} options={Object.entries(channelsWords.kidsAnswers)} />
      </Form>
    </Sheet>
  );
}
