// The changes of a stream and its parts: settings, playlists, programmes, outputs, schedule, and whether it runs.
import { liveFields } from '../../../lambda/operations/streams/stream-fields.ts';
import { startsOf } from '../../../lambda/domain/streams/recurrence.ts';
import type { Playlist, Stream } from '../../../lambda/web/app/types.ts';
import { asJSON, changeOf, changesTo, differences, nameOfSymbol, only, stopSteps, symbolOf } from './change.ts';
import type { Change, FieldChange, Step } from './change.ts';
import { streamSettings } from './document.ts';
import type { StreamEntry } from './document.ts';
import { playlistEdits } from './playlist-edits.ts';
import type { PlatformState } from './platform-state.ts';
import type { Plain } from './references.ts';
import { shownItemLook, shownItemSound, shownLook, shownRules, shownSound, someOf } from './shown-settings.ts';

export interface StreamOptions {
  readonly now: Date;
  readonly state: PlatformState;
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
  const subject = { ...options, name, entry, before, id, isLive: before?.status === 'ACTIVE' };
  const changes = [
    ...settingsChanges(subject),
    ...trackKinds.flatMap((kind) => playlistChanges(subject, kind)),
    ...trackKinds.flatMap((kind) => programmeChanges(subject, kind)),
    ...outputChanges(subject),
    ...(await scheduleChanges(subject)),
  ];
  // The stream goes off air before the first change that needs it, and stays so for all after it.
  const stopsAt = changes.findIndex(({ interrupts }) => interrupts);
  const steps = (change: Change, index: number) => [...(index === stopsAt ? stopSteps(id) : []), ...change.steps];
  return [
    ...changes.map((change, index) => ({ ...change, steps: steps(change, index) })),
    ...runChanges(subject, stopsAt >= 0),
  ];
}

const offAirFirst = 'The stream goes off air for this, and comes back.';
const onAir = (isLive: boolean, words: string): string => (isLive ? words : '');
const unpublished = { field: 'published', from: false, to: true };

function shownSettings(entry: StreamEntry): Plain {
  const { sound, look } = entry;
  return {
    ...only(entry, streamSettings),
    ...(sound !== undefined && { sound: shownSound(sound) }),
    ...(look !== undefined && { look: shownLook(look) }),
  };
}

function settingsChanges({ name, entry, before, id, isLive }: Subject): Change[] {
  const after = shownSettings(entry);
  const isFixed = ({ field }: FieldChange) =>
    field === 'look.aspect' || !(liveFields as readonly string[]).includes(field.split('.')[0]!);
  const interrupts = isLive && differences(before ?? {}, after).some(isFixed);
  const words = interrupts ? offAirFirst : 'Viewers see it from the next item on, without an interruption.';
  return changesTo({ kind: 'stream', name, before, after }, (changed) =>
    before
      ? {
          interrupts,
          viewers: onAir(isLive, words),
          steps: [{ method: 'PATCH', path: `/streams/${id}`, body: only(entry, changed) }],
        }
      : { steps: [{ method: 'POST', path: '/streams', body: { name, ...only(entry, changed) }, makes: id }] },
  );
}

function playlistChanges(subject: Subject, kind: TrackKind): Change[] {
  const { entry, before, id, isLive, state, newID } = subject;
  const wanted = entry.playlists?.[kind];
  const playlist = state.playlists.find((each) => before?.playlistIDs.includes(each.id) && each.kind === kind);
  const name = `${subject.name}/${kind}`;
  if (wanted === null && playlist) {
    const playlistIDs = before!.playlistIDs.filter((each) => each !== playlist.id);
    const steps: Step[] = [{ method: 'PATCH', path: `/streams/${id}`, body: { playlistIDs } }];
    const viewers = onAir(isLive, offAirFirst);
    return [changeOf({ action: 'delete', kind: 'playlist', name, interrupts: isLive, viewers, steps })];
  }
  if (!wanted) return [];
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
  const edits = [
    ...(playlist && playlist.mode !== mode ? [{ op: 'setMode', mode }] : []),
    ...playlistEdits(listed, items, newID),
  ];
  const makes = symbolOf('playlist', name);
  const path = `/playlists/${playlist?.id ?? makes}`;
  const batches = Array.from({ length: Math.ceil(edits.length / editsAtOnce) }, (_, batch): Step => {
    const operations = edits.slice(batch * editsAtOnce, (batch + 1) * editsAtOnce);
    return { method: 'POST', path: `${path}/operations`, body: { operations } };
  });
  const make: Step = { method: 'POST', path: '/playlists', body: { streamID: id, kind, mode }, makes };
  const publish: readonly Step[] = isLive && playlist ? [{ method: 'POST', path: `${path}/publish` }] : [];
  const shown = {
    before: playlist ? { mode: playlist.mode, items: listed.map(({ id: _id, ...item }) => item) } : null,
    after: { mode, items: items.map(({ given: _given, ...item }) => item) },
    further: isLive && playlist && !isPublished(playlist) ? [unpublished] : [],
  };
  const fromNextItem = 'The new list begins at the end of an item, at least 10 s from now, without an interruption.';
  return changesTo({ kind: 'playlist', name, ...shown }, () => ({
    interrupts: isLive && !playlist,
    viewers: onAir(isLive, playlist ? fromNextItem : offAirFirst),
    steps: [...(playlist ? [] : [make]), ...batches, ...publish],
  }));
}

function isPublished({ draft, live }: Playlist): boolean {
  const spec = ({ mode, items }: Pick<Playlist['draft'], 'mode' | 'items'>) =>
    JSON.stringify([mode, items.map(({ id, uploadID, sound, look }) => [id, uploadID, sound, look])]);
  return live !== null && spec(live) === spec(draft);
}

function programmeChanges(subject: Subject, kind: TrackKind): Change[] {
  const { entry, before, id, isLive, state } = subject;
  const wanted = entry.programmes?.[kind];
  const programme = state.programmes.find((each) => each.streamID === before?.id && each.kind === kind) ?? null;
  const name = `${subject.name}/${kind}`;
  if (wanted === null && programme) {
    const steps: Step[] = [{ method: 'DELETE', path: `/programmes/${programme.id}` }];
    const viewers = onAir(isLive, 'The stream repeats its last plan.');
    return [changeOf({ action: 'delete', kind: 'programme', name, viewers, steps })];
  }
  if (!wanted) return [];
  const makes = symbolOf('programme', name);
  const path = `/programmes/${programme?.id ?? makes}`;
  const body = asJSON({ streamID: id, kind, timeZone: wanted.timeZone });
  const make: Step = { method: 'POST', path: '/programmes', body, makes };
  const further = programme && programme.liveVersion !== programme.version ? [unpublished] : [];
  const rules = { before: programme && { ...programme }, after: shownRules(wanted), further };
  const fromNextItem = 'Rows are planned again from the next item on, at least 10 s from now, without an interruption.';
  return changesTo({ kind: 'programme', name, ...rules }, (changed) => {
    const patch = only(wanted, changed);
    return {
      viewers: onAir(isLive, fromNextItem),
      steps: [
        ...(programme ? [] : [make]),
        ...(Object.keys(patch).length > 0 ? [{ method: 'PATCH' as const, path, body: patch }] : []),
        ...(programme ? [{ compare: path }] : []),
        { method: 'POST', path: `${path}/publish` },
      ],
    };
  });
}

function outputChanges({ name: streamName, entry, before, id, isLive, state }: Subject): Change[] {
  if (entry.outputs === undefined) return [];
  const path = `/streams/${id}/outputs`;
  const further = (before?.outputs ?? []).filter(({ isFirst }) => !isFirst);
  const nameOf = (destinationID: string) => {
    const known = state.destinations.find((each) => each.id === destinationID)?.name;
    return `${streamName} → ${known ?? nameOfSymbol(destinationID)}`;
  };
  const begins = onAir(isLive, 'Viewers there see the stream within seconds.');
  const ends = onAir(isLive, 'The stream ends there.');
  const made = entry.outputs.flatMap(({ destinationID, ...given }) => {
    const output = further.find((each) => each.destinationID === destinationID);
    const before = output ? { ...output } : null;
    const create: Step = { method: 'POST', path, body: { destinationID, ...given } };
    return changesTo({ kind: 'output', name: nameOf(destinationID), before, after: given }, (changed) =>
      output
        ? {
            viewers: !changed.includes('enabled') ? '' : given.enabled ? begins : ends,
            steps: [{ method: 'PATCH', path: `${path}/${output.id}`, body: given }],
          }
        : { viewers: given.enabled === false ? '' : begins, steps: [create] },
    );
  });
  const kept = new Set(entry.outputs.map(({ destinationID }) => destinationID));
  const gone = further.filter(({ destinationID }) => !kept.has(destinationID));
  const deleted = gone.map((output) => {
    const steps: Step[] = [{ method: 'DELETE', path: `${path}/${output.id}` }];
    return changeOf({ action: 'delete', kind: 'output', name: nameOf(output.destinationID), viewers: ends, steps });
  });
  return [...deleted, ...made];
}

/** A schedule that is over changes nothing. A recurrence follows from its first start, also after further runs. */
async function scheduleChanges({ name, entry, before, id, now }: Subject): Promise<Change[]> {
  const kind = 'schedule';
  const path = `/streams/${id}/schedule`;
  const armed = before?.scheduleStartAt == null ? null : before;
  if (entry.schedule === null && armed)
    return [changeOf({ action: 'delete', kind, name, steps: [{ method: 'DELETE', path }] })];
  if (!entry.schedule) return [];
  const { startAt, endAt = null, recurrence = null } = entry.schedule;
  const firstStartAt = new Date(startAt);
  const lengthMs = endAt === null ? null : Date.parse(endAt) - firstStartAt.getTime();
  const next = recurrence
    ? (await startsOf({ ...recurrence, firstStartAt, lengthSeconds: null }, now, 1))[0]
    : firstStartAt;
  if (!next || next <= now) return [];
  if (armed && recurrence && (await isRunOf(armed, { ...recurrence, firstStartAt }, lengthMs))) return [];
  const after = asJSON({
    scheduleStartAt: next,
    scheduleEndAt: lengthMs === null ? null : new Date(next.getTime() + lengthMs),
    recurrence,
  });
  return changesTo({ kind, name, before: armed, after }, () => ({ steps: [{ method: 'POST', path, body: after }] }));
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

function runChanges({ name, entry, before, id, isLive }: Subject, isInterrupted: boolean): Change[] {
  const running = entry.running ?? isLive;
  const isRunning = isLive && !isInterrupted;
  if (running === isRunning) return [];
  const start: readonly Step[] = [
    { method: 'POST', path: `/streams/${id}/start` },
    { waitFor: 'on_air', streamID: id },
  ];
  return [
    changeOf({
      name,
      action: 'update',
      kind: 'run',
      fields: [{ field: 'running', from: before && isRunning, to: running }],
      viewers: running ? 'The stream goes on air.' : 'The stream ends.',
      steps: running ? start : stopSteps(id),
    }),
  ];
}
