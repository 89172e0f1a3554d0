// The changes of a stream and its parts: settings, playlists, programmes, outputs, schedule, and whether it runs.
import { isDeepStrictEqual } from 'node:util';
import { playlistKinds } from '../../../lambda/domain/playout/playlist-words.ts';
import type { PlaylistKind } from '../../../lambda/domain/playout/playlist-words.ts';
import { startsOf } from '../../../lambda/domain/streams/recurrence.ts';
import { liveFields } from '../../../lambda/operations/streams/stream-fields.ts';
import type { Stream } from '../../../lambda/web/app/types.ts';
import { changeOf, changesTo, differences, nameOfSymbol, patch, post, remove, symbolOf } from './change.ts';
import type { Change, FieldChange, Step } from './change.ts';
import { streamSettings } from './document.ts';
import type { StreamEntry } from './document.ts';
import type { PlatformState } from './platform-state.ts';
import { asJSON, only } from './references.ts';
import type { Plain } from './references.ts';
import { itemEntry, shownItem, shownLook, shownRules, shownSound } from './entries.ts';
import type { ItemEntry } from './entries.ts';

export interface StreamOptions {
  readonly now: Date;
  readonly state: PlatformState;
  readonly newID: () => string;
}

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
  const planned = [
    ...settingsChanges(subject),
    ...playlistKinds.flatMap((kind) => playlistChanges(subject, kind)),
    ...playlistKinds.flatMap((kind) => programmeChanges(subject, kind)),
    ...outputChanges(subject),
    ...(await scheduleChanges(subject)),
  ];
  const changes = planned.map((change) => (subject.isLive ? change : { ...change, viewers: '', interrupts: false }));
  // The stream goes off air before the first change that needs it, and stays so for all after it.
  const stopsAt = changes.findIndex(({ interrupts }) => interrupts);
  const first = changes[stopsAt];
  if (first) changes[stopsAt] = { ...first, steps: [...stopSteps(id), ...first.steps] };
  return [...changes, ...runChanges(subject, first !== undefined)];
}

/** Stops a stream, and waits until it is off air. */
export function stopSteps(streamID: string): readonly Step[] {
  return [post(`/streams/${streamID}/stop`), { waitFor: 'off_air', streamID }];
}

// The functions below plan each change as that of a live stream.

const offAir = { interrupts: true, viewers: 'The stream goes off air for this, and comes back.' };
const unpublished = { field: 'published', from: false, to: true };

function settingsChanges({ name, entry, before, id }: Subject): Change[] {
  const { sound, look } = entry;
  const after: Plain = {
    ...only(entry, streamSettings),
    ...(sound !== undefined && { sound: shownSound(sound) }),
    ...(look !== undefined && { look: shownLook(look) }),
  };
  const isFixed = ({ field }: FieldChange) =>
    field === 'look.aspect' || !(liveFields as readonly string[]).includes(field.split('.')[0]!);
  const onAir = { viewers: 'Viewers see it from the next item on, without an interruption.' };
  return changesTo({ kind: 'stream', name, before, after }, (changed, fields) => {
    const body = only(entry, changed);
    if (!before) return { steps: [post('/streams', { name, ...body }, id)] };
    return { ...(fields.some(isFixed) ? offAir : onAir), steps: [patch(`/streams/${id}`, body)] };
  });
}

function playlistChanges(subject: Subject, track: PlaylistKind): Change[] {
  const { entry, before, id, isLive, state, newID } = subject;
  const kind = 'playlist';
  const name = `${subject.name}/${track}`;
  const wanted = entry.playlists?.[track];
  const playlist = state.playlists.find((each) => before?.playlistIDs.includes(each.id) && each.kind === track);
  if (wanted === null && playlist) {
    const playlistIDs = before!.playlistIDs.filter((each) => each !== playlist.id);
    return [changeOf({ action: 'delete', kind, name, ...offAir, steps: [patch(`/streams/${id}`, { playlistIDs })] })];
  }
  if (!wanted) return [];
  const items = wanted.items as readonly ItemEntry[];
  const listed = playlist?.draft.items ?? [];
  const mode = wanted.mode ?? playlist?.mode ?? (track === 'audio' ? 'shuffle' : 'sequential');
  const edits = [
    ...(playlist && playlist.mode !== mode ? [{ op: 'setMode', mode }] : []),
    ...playlistEdits(listed, items, newID),
  ];
  const makes = symbolOf(kind, name);
  const path = `/playlists/${playlist?.id ?? makes}`;
  const make = post('/playlists', { streamID: id, kind: track, mode }, makes);
  const batches = Array.from({ length: Math.ceil(edits.length / editsAtOnce) }, (_, batch) =>
    post(`${path}/operations`, { operations: edits.slice(batch * editsAtOnce, (batch + 1) * editsAtOnce) }),
  );
  const shown = {
    before: playlist ? { mode: playlist.mode, items: listed.map(itemEntry) } : null,
    after: { mode, items: items.map(shownItem) },
    further: isLive && playlist && playlist.live?.version !== playlist.version ? [unpublished] : [],
  };
  const viewers = 'The new list begins at the end of an item, at least 10 s from now, without an interruption.';
  return changesTo({ kind, name, ...shown }, () => {
    if (!playlist) return { ...offAir, steps: [make, ...batches] };
    return { viewers, steps: [...batches, ...(isLive ? [post(`${path}/publish`)] : [])] };
  });
}

type PlaylistEdit = Readonly<Record<string, unknown>> & { readonly op: string };

/**
 * The operations that turn the items of a playlist into others. Items that stay keep their ids, so that a live stream
 * continues after the item that plays.
 * @param listed the items of the playlist
 * @param wanted the items of the file
 * @param newItemID makes the id of an item that is added
 */
function playlistEdits(
  listed: readonly (ItemEntry & { readonly id: string })[],
  wanted: readonly ItemEntry[],
  newItemID: () => string,
): PlaylistEdit[] {
  const free = Map.groupBy(listed, ({ uploadID }) => uploadID);
  const matched = wanted.map(({ uploadID }) => free.get(uploadID)?.shift());
  const kept = new Set(matched.map((item) => item?.id));
  const gone = listed.filter(({ id }) => !kept.has(id));
  const edits: PlaylistEdit[] = gone.map(({ id }) => ({ op: 'remove', itemID: id }));
  const order = listed.map(({ id }) => id).filter((id) => kept.has(id));
  for (const [index, item] of wanted.entries()) {
    const { uploadID, sound = null, look = null } = item;
    const before = matched[index];
    const itemID = before?.id ?? newItemID();
    if (!before) edits.push({ op: 'add', uploadID, index, itemID });
    else if (order[index] !== itemID) {
      edits.push({ op: 'move', itemID, index });
      order.splice(order.indexOf(itemID), 1);
    }
    if (order[index] !== itemID) order.splice(index, 0, itemID);
    if (!isDeepStrictEqual(itemEntry(before ?? { uploadID }), shownItem(item)))
      edits.push({ op: 'set', itemID, sound, look });
  }
  return edits;
}

function programmeChanges(subject: Subject, track: PlaylistKind): Change[] {
  const { entry, before, id, state } = subject;
  const kind = 'programme';
  const name = `${subject.name}/${track}`;
  const wanted = entry.programmes?.[track];
  const programme = state.programmes.find((each) => each.streamID === before?.id && each.kind === track) ?? null;
  if (wanted === null && programme) {
    const steps = [remove(`/programmes/${programme.id}`)];
    return [changeOf({ action: 'delete', kind, name, viewers: 'The stream repeats its last plan.', steps })];
  }
  if (!wanted) return [];
  const makes = symbolOf(kind, name);
  const path = `/programmes/${programme?.id ?? makes}`;
  const make = post('/programmes', { streamID: id, kind: track, timeZone: wanted.timeZone }, makes);
  const further = programme && programme.liveVersion !== programme.version ? [unpublished] : [];
  const viewers = 'Rows are planned again from the next item on, at least 10 s from now, without an interruption.';
  return changesTo({ kind, name, before: programme, after: shownRules(wanted), further }, (changed) => {
    const body = only(wanted, changed);
    const change = Object.keys(body).length > 0 ? [patch(path, body)] : [];
    const steps = programme ? [...change, { compare: path }] : [make, ...change];
    return { viewers, steps: [...steps, post(`${path}/publish`)] };
  });
}

function outputChanges({ name: streamName, entry, before, id, state }: Subject): Change[] {
  if (entry.outputs === undefined) return [];
  const kind = 'output';
  const path = `/streams/${id}/outputs`;
  const further = (before?.outputs ?? []).filter(({ isFirst }) => !isFirst);
  const nameOf = (destinationID: string) => {
    const known = state.destinations.find((each) => each.id === destinationID)?.name;
    return `${streamName} → ${known ?? nameOfSymbol(destinationID)}`;
  };
  const ends = 'The stream ends there.';
  const made = entry.outputs.flatMap(({ destinationID, ...given }) => {
    const output = further.find((each) => each.destinationID === destinationID) ?? null;
    const effect = given.enabled === false ? ends : 'Viewers there see the stream within seconds.';
    return changesTo({ kind, name: nameOf(destinationID), before: output, after: given }, (changed) => {
      if (output)
        return { viewers: changed.includes('enabled') ? effect : '', steps: [patch(`${path}/${output.id}`, given)] };
      return { viewers: effect === ends ? '' : effect, steps: [post(path, { destinationID, ...given })] };
    });
  });
  const kept = new Set(entry.outputs.map(({ destinationID }) => destinationID));
  const gone = further.filter(({ destinationID }) => !kept.has(destinationID));
  const deleted = gone.map(({ id: outputID, destinationID }) => {
    const steps = [remove(`${path}/${outputID}`)];
    return changeOf({ action: 'delete', kind, name: nameOf(destinationID), viewers: ends, steps });
  });
  return [...deleted, ...made];
}

/** A schedule that is over changes nothing. A recurrence follows from its first start, also after further runs. */
async function scheduleChanges({ name, entry, before, id, now }: Subject): Promise<Change[]> {
  const kind = 'schedule';
  const path = `/streams/${id}/schedule`;
  const armed = before?.scheduleStartAt == null ? null : before;
  if (entry.schedule === null && armed) return [changeOf({ action: 'delete', kind, name, steps: [remove(path)] })];
  if (!entry.schedule) return [];
  const { startAt, endAt = null, recurrence = null } = entry.schedule;
  const firstStartAt = new Date(startAt);
  const lengthMs = endAt === null ? null : Date.parse(endAt) - firstStartAt.getTime();
  const runSince = async (since: Date) =>
    recurrence ? (await startsOf({ ...recurrence, firstStartAt, lengthSeconds: null }, since, 1))[0] : firstStartAt;
  const scheduleOf = (start: Date) => {
    const end = lengthMs === null ? null : new Date(start.getTime() + lengthMs);
    return asJSON({ scheduleStartAt: start, scheduleEndAt: end, recurrence });
  };
  const next = await runSince(now);
  if (!next || next <= now) return [];
  // Any run of the recurrence may be the armed one.
  const same = armed && recurrence ? await runSince(new Date(armed.scheduleStartAt!)) : undefined;
  if (armed && same && differences(armed, scheduleOf(same)).length === 0) return [];
  const after = scheduleOf(next);
  return changesTo({ kind, name, before: armed, after }, () => ({ steps: [post(path, after)] }));
}

function runChanges({ name, entry, before, id, isLive }: Subject, isInterrupted: boolean): Change[] {
  const running = entry.running ?? isLive;
  const isRunning = isLive && !isInterrupted;
  if (running === isRunning) return [];
  const start: readonly Step[] = [post(`/streams/${id}/start`), { waitFor: 'on_air', streamID: id }];
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
