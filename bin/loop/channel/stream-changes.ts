// The changes of a stream and its parts: settings, playlists, programmes, outputs, schedule, and whether it runs.
import { liveFields } from '../../../lambda/operations/streams/stream-fields.ts';
import { startsOf } from '../../../lambda/domain/streams/recurrence.ts';
import type { Playlist, Programme, Stream } from '../../../lambda/web/app/types.ts';
import { asJSON, changeOf, differences, nameOfSymbol, stopSteps, symbolOf } from './change.ts';
import type { Change, Step } from './change.ts';
import { streamSettings } from './document.ts';
import type { StreamEntry } from './document.ts';
import { playlistEdits } from './playlist-edits.ts';
import type { PlatformState } from './platform-state.ts';
import type { Plain } from './references.ts';
import { shownItemLook, shownItemSound, shownLook, shownRules, shownSound, someOf } from './shown-settings.ts';

export interface StreamOptions {
  readonly now: Date;
  readonly state: PlatformState;
  readonly restart: boolean;
  readonly newID: () => string;
}

type TrackKind = 'video' | 'audio';
const trackKinds: readonly TrackKind[] = ['video', 'audio'];
const editsAtOnce = 500;

interface Subject extends StreamOptions {
  readonly name: string;
  readonly entry: StreamEntry;
  readonly before: Stream | null;
  /** The stream's id, or the symbol of a stream that the plan makes. */
  readonly id: string;
  /** Whether viewers see it now. */
  readonly isLive: boolean;
}

export async function streamChanges(
  name: string,
  entry: StreamEntry,
  before: Stream | null,
  options: StreamOptions,
): Promise<Change[]> {
  const id = before?.id ?? symbolOf('stream', name);
  const isLive = before?.status === 'ACTIVE';
  const subject = { ...options, name, entry, before, id, isLive };
  const settings = settingsChange(subject);
  const isInterrupted = isLive && settings?.interrupts === true;
  const parts = [
    ...trackKinds.flatMap((kind) => playlistChange(subject, kind) ?? []),
    ...trackKinds.flatMap((kind) => programmeChange(subject, kind) ?? []),
    ...outputChanges(subject),
    ...((await scheduleChange(subject)) ?? []),
  ];
  return [...(settings ? [settings] : []), ...parts, ...runChange(subject, isInterrupted)];
}

function shownSettings(entry: StreamEntry): Plain {
  const given = streamSettings.filter((field) => entry[field] !== undefined);
  const shown = (field: (typeof given)[number]) =>
    field === 'sound' ? shownSound(entry.sound) : field === 'look' ? shownLook(entry.look) : entry[field];
  return Object.fromEntries(given.map((field) => [field, shown(field)]));
}

function settingsChange(subject: Subject): Change | null {
  const { name, entry, before, id, isLive } = subject;
  const fields = differences(before ?? {}, shownSettings(entry));
  const given = (names: ReadonlySet<string>) =>
    Object.fromEntries(streamSettings.filter((field) => names.has(field)).map((field) => [field, entry[field]]));
  if (!before) {
    const body = { name, ...given(new Set(streamSettings.filter((field) => entry[field] !== undefined))) };
    return changeOf({
      name: subject.name,
      action: 'create',
      kind: 'stream',
      fields,
      steps: [{ method: 'POST', path: '/streams', body, makes: id }],
    });
  }
  if (fields.length === 0) return null;
  const changed = new Set(fields.map(({ field }) => field.split('.')[0]!));
  const interrupts = isLive && [...changed].some((field) => !(liveFields as readonly string[]).includes(field));
  const patch: Step = { method: 'PATCH', path: `/streams/${id}`, body: given(changed) };
  const viewers = interrupts
    ? offAirFirst
    : isLive
      ? 'Viewers see it from the next item on, without an interruption.'
      : '';
  return changeOf({
    name: subject.name,
    action: 'update',
    kind: 'stream',
    fields,
    interrupts,
    viewers,
    steps: [...(interrupts ? stopSteps(id) : []), patch],
  });
}

function playlistChange(subject: Subject, kind: TrackKind): Change | null {
  const { name, entry, before, id, isLive, state, newID } = subject;
  const wanted = entry.playlists?.[kind];
  if (wanted === undefined) return null;
  const playlist = state.playlists.find((each) => before?.playlistIDs.includes(each.id) && each.kind === kind);
  const shownName = `${name}/${kind}`;
  if (wanted === null) {
    if (!playlist) return null;
    const playlistIDs = before!.playlistIDs.filter((each) => each !== playlist.id);
    const steps: Step[] = [{ method: 'PATCH', path: `/streams/${id}`, body: { playlistIDs } }];
    return changeOf({
      action: 'delete',
      kind: 'playlist',
      name: shownName,
      interrupts: isLive,
      viewers: onAir(isLive, offAirFirst),
      steps,
    });
  }
  const items = wanted.items.map((item) => {
    const given = item as Exclude<typeof item, string>;
    return { uploadID: given.uploadID, sound: shownItemSound(given.sound), look: shownItemLook(given.look), given };
  });
  const listed = (playlist?.draft.items ?? []).map(({ id, uploadID, sound, look }) => ({
    id,
    uploadID,
    sound: someOf(sound as Plain | null),
    look: someOf(look as Plain | null),
  }));
  const mode = wanted.mode ?? playlist?.mode ?? (kind === 'audio' ? 'shuffle' : 'sequential');
  const fields = differences(playlist ? { mode: playlist.mode, items: listed.map(withoutID) } : {}, {
    mode,
    items: items.map(({ given: _given, ...item }) => item),
  });
  const isUnpublished = isLive && playlist !== undefined && !isPublished(playlist);
  if (playlist && fields.length === 0 && !isUnpublished) return null;
  const path = `/playlists/${playlist?.id ?? symbolOf('playlist', shownName)}`;
  const edits = [
    ...(playlist && playlist.mode !== mode ? [{ op: 'setMode', mode }] : []),
    ...playlistEdits(listed, items, newID),
  ];
  const batches = Array.from({ length: Math.ceil(edits.length / editsAtOnce) }, (_, batch): Step => {
    const operations = edits.slice(batch * editsAtOnce, (batch + 1) * editsAtOnce);
    return { method: 'POST', path: `${path}/operations`, body: { operations } };
  });
  const make: Step = {
    method: 'POST',
    path: '/playlists',
    body: { streamID: id, kind, mode },
    makes: symbolOf('playlist', shownName),
  };
  const publish: readonly Step[] = isLive && playlist ? [{ method: 'POST', path: `${path}/publish` }] : [];
  return changeOf({
    action: playlist ? 'update' : 'create',
    kind: 'playlist',
    name: shownName,
    fields: fields.length > 0 ? fields : [{ field: 'published', from: false, to: true }],
    interrupts: isLive && !playlist,
    viewers: onAir(
      isLive,
      playlist
        ? 'The new list begins at the end of an item, at least 10 s from now, without an interruption.'
        : offAirFirst,
    ),
    steps: [...(playlist ? [] : [make]), ...batches, ...publish],
  });
}

const offAirFirst = 'The stream goes off air for this, and comes back.';
const onAir = (isLive: boolean, words: string): string => (isLive ? words : '');
const withoutID = <Item extends { id: string }>({ id: _id, ...item }: Item) => item;

function isPublished({ draft, live }: Playlist): boolean {
  const spec = ({ mode, items }: Pick<Playlist['draft'], 'mode' | 'items'>) =>
    JSON.stringify([mode, items.map(({ id, uploadID, sound, look }) => [id, uploadID, sound, look])]);
  return live !== null && spec(live) === spec(draft);
}

function programmeChange(subject: Subject, kind: TrackKind): Change | null {
  const { name, entry, before, id, isLive, state } = subject;
  const wanted = entry.programmes?.[kind];
  if (wanted === undefined) return null;
  const programme: Programme | undefined = state.programmes.find(
    (each) => each.streamID === before?.id && each.kind === kind,
  );
  const shownName = `${name}/${kind}`;
  if (wanted === null) {
    if (!programme) return null;
    const steps: Step[] = [{ method: 'DELETE', path: `/programmes/${programme.id}` }];
    const viewers = onAir(isLive, 'The stream repeats its last plan.');
    return changeOf({ action: 'delete', kind: 'programme', name: shownName, viewers, steps });
  }
  const fields = differences(programme ?? {}, shownRules(wanted));
  const isLatest = programme !== undefined && programme.liveVersion === programme.version;
  if (programme && fields.length === 0 && isLatest) return null;
  const path = `/programmes/${programme?.id ?? symbolOf('programme', shownName)}`;
  const changed = new Set(fields.map(({ field }) => field.split('.')[0]!));
  const body = Object.fromEntries(Object.entries(wanted).filter(([field]) => changed.has(field)));
  const make: Step = {
    method: 'POST',
    path: '/programmes',
    body: asJSON({ streamID: id, kind, timeZone: wanted.timeZone }),
    makes: symbolOf('programme', shownName),
  };
  return changeOf({
    action: programme ? 'update' : 'create',
    kind: 'programme',
    name: shownName,
    fields: fields.length > 0 ? fields : [{ field: 'published', from: false, to: true }],
    viewers: onAir(
      isLive,
      'Rows are planned again from the next item on, at least 10 s from now, without an interruption.',
    ),
    steps: [
      ...(programme ? [] : [make]),
      ...(changed.size > 0 ? [{ method: 'PATCH' as const, path, body }] : []),
      ...(programme ? [{ compare: path }] : []),
      { method: 'POST', path: `${path}/publish` },
    ],
  });
}

function outputChanges(subject: Subject): Change[] {
  const { name, entry, before, id, isLive, state } = subject;
  if (entry.outputs === undefined) return [];
  const further = (before?.outputs ?? []).filter(({ isFirst }) => !isFirst);
  const nameOf = (destinationID: string) => {
    const known = state.destinations.find((each) => each.id === destinationID)?.name;
    return `${name} → ${known ?? nameOfSymbol(destinationID)}`;
  };
  const made = entry.outputs.flatMap(({ destinationID, ...given }): Change[] => {
    const output = further.find((each) => each.destinationID === destinationID);
    const shown = { kind: 'output' as const, name: nameOf(destinationID) };
    const fields = differences(output ?? {}, given);
    const path = `/streams/${id}/outputs`;
    if (!output) {
      const steps: Step[] = [{ method: 'POST', path, body: { destinationID, ...given } }];
      return [
        changeOf({
          ...shown,
          action: 'create',
          fields,
          viewers: onAir(isLive, 'Viewers there see the stream within seconds.'),
          steps,
        }),
      ];
    }
    if (fields.length === 0) return [];
    const steps: Step[] = [{ method: 'PATCH', path: `${path}/${output.id}`, body: given }];
    const viewers = onAir(
      isLive && given.enabled !== undefined,
      given.enabled ? 'Viewers there see the stream within seconds.' : 'The stream ends there.',
    );
    return [changeOf({ ...shown, action: 'update', fields, viewers, steps })];
  });
  const kept = new Set(entry.outputs.map(({ destinationID }) => destinationID));
  const gone = further.filter(({ destinationID }) => !kept.has(destinationID));
  return [
    ...gone.map((output) =>
      changeOf({
        action: 'delete',
        kind: 'output',
        name: nameOf(output.destinationID),
        viewers: onAir(isLive, 'The stream ends there.'),
        steps: [{ method: 'DELETE', path: `/streams/${id}/outputs/${output.id}` }],
      }),
    ),
    ...made,
  ];
}

/** A schedule that is over changes nothing. A recurrence follows from its first start, also after further runs. */
async function scheduleChange(subject: Subject): Promise<Change[] | null> {
  const { entry, before, id, now } = subject;
  if (entry.schedule === undefined) return null;
  const path = `/streams/${id}/schedule`;
  const armed = before?.scheduleStartAt == null ? null : before;
  if (entry.schedule === null)
    return armed
      ? [changeOf({ name: subject.name, action: 'delete', kind: 'schedule', steps: [{ method: 'DELETE', path }] })]
      : null;
  const { startAt, endAt = null, recurrence = null } = entry.schedule;
  const firstStartAt = new Date(startAt);
  const lengthMs = endAt === null ? null : Date.parse(endAt) - firstStartAt.getTime();
  const next = recurrence
    ? (await startsOf({ ...recurrence, firstStartAt, lengthSeconds: null }, now, 1))[0]
    : firstStartAt;
  if (!next || next <= now) return null;
  const wanted = asJSON({
    scheduleStartAt: next,
    scheduleEndAt: lengthMs === null ? null : new Date(next.getTime() + lengthMs),
    recurrence,
  });
  if (armed && recurrence && (await isRunOf(armed, { ...recurrence, firstStartAt }, lengthMs))) return null;
  const fields = differences(armed ?? {}, wanted);
  if (fields.length === 0) return null;
  const steps: Step[] = [{ method: 'POST', path, body: wanted }];
  return [changeOf({ name: subject.name, action: armed ? 'update' : 'create', kind: 'schedule', fields, steps })];
}

/** Whether the start and end of a stream are those of any run of the recurrence. */
async function isRunOf(
  { scheduleStartAt, scheduleEndAt, recurrence }: Stream,
  series: { rule: string; timeZone: string; firstStartAt: Date },
  lengthMs: number | null,
): Promise<boolean> {
  const start = new Date(scheduleStartAt!);
  const isSameRule = recurrence?.rule === series.rule && recurrence.timeZone === series.timeZone;
  const [found] = isSameRule ? await startsOf({ ...series, lengthSeconds: null }, start, 1) : [];
  const length = scheduleEndAt === null ? null : Date.parse(scheduleEndAt) - start.getTime();
  return found?.getTime() === start.getTime() && length === lengthMs;
}

function runChange(subject: Subject, isInterrupted: boolean): Change[] {
  const { entry, before, id, isLive } = subject;
  const running = entry.running ?? isLive;
  if (running === isLive && !isInterrupted) return [];
  const start: readonly Step[] = [
    { method: 'POST', path: `/streams/${id}/start` },
    { waitFor: 'on_air', streamID: id },
  ];
  if (!running && isInterrupted) return [];
  return [
    changeOf({
      name: subject.name,
      action: 'update',
      kind: 'run',
      fields: [{ field: 'running', from: before === null ? null : isLive && !isInterrupted, to: running }],
      viewers: running ? 'The stream goes on air.' : 'The stream ends.',
      steps: running ? start : stopSteps(id),
    }),
  ];
}
