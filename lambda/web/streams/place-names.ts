// The names of the places that streams go to: destinations, and channels of connected platforms.
import { useLive } from '../app/live-data.ts';
import type { Connection, Destination, ManagedSettings, Output, Page, Stream } from '../app/types.ts';

export const destinationsPath = '/destinations?limit=100';
const unknown = '…';

/** The name of an output: its own, or that of its destination. */
export function useOutputNames(): (output: Output) => string {
  const { data } = useLive<Page<Destination>>(destinationsPath);
  const names = new Map(data?.data.map(({ id, name }) => [id, name]));
  return ({ name, destinationID }) => name ?? names.get(destinationID ?? '') ?? unknown;
}

/**
 * The names of the places of a stream, its channel first; empty: it has none.
 * @param streams all streams to be asked for, as channels are only read if one of them goes to a channel
 */
export function usePlaceNames(streams: readonly Stream[]): (stream: Stream) => readonly string[] {
  const nameOf = useOutputNames();
  const isAnyManaged = streams.some(({ managedSettingsID }) => managedSettingsID !== null);
  const { data: settings } = useLive<Page<ManagedSettings>>(isAnyManaged ? '/managed-settings?limit=50' : null);
  const { data: connections } = useLive<Page<Connection>>(isAnyManaged ? '/connections?limit=50' : null);
  const channelOf = (settingsID: string): string => {
    const found = settings?.data.find(({ id }) => id === settingsID);
    return connections?.data.find(({ id }) => id === found?.connectionID)?.title ?? found?.name ?? unknown;
  };
  return ({ managedSettingsID, outputs }) => [
    ...(managedSettingsID === null ? [] : [channelOf(managedSettingsID)]),
    ...outputs.map(nameOf),
  ];
}
