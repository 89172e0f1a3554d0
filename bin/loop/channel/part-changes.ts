// The changes of destinations, collections and alert channels: things that streams use.
import type { AlertChannel, Collection, Destination } from '../../../lambda/web/app/types.ts';
import { LoopFailure } from '../failure.ts';
import { asJSON, differences, symbolOf } from './change.ts';
import type { Change, ChangeKind } from './change.ts';
import type { ChannelDocument, SecretReference } from './document.ts';
import { isObject } from './references.ts';
import type { Plain } from './references.ts';
import { shownSource } from './shown-settings.ts';

type Entry<Section extends 'destinations' | 'collections' | 'alerts'> = NonNullable<ChannelDocument[Section]>[string];

interface SecretOptions {
  readonly renewSecrets: boolean;
}

/** A secret in a request; it is read when the request is sent. */
export interface SecretInBody {
  readonly secret: SecretReference;
}

export function secretIn(value: unknown): SecretReference | null {
  return isObject(value) && isObject(value['secret']) ? (value['secret'] as SecretReference) : null;
}

const inBody = (secret: SecretReference | undefined): SecretInBody | undefined => secret && { secret };

interface Part {
  readonly kind: ChangeKind;
  readonly path: string;
  readonly name: string;
  readonly id: string | undefined;
  /** The fields as the API shows them; null: there is no such thing. */
  readonly before: Plain | null;
  readonly after: Plain;
  /** The fields of a request that makes it, beyond `after`. */
  readonly made: Plain;
  /** The fields of a request that changes it, beyond those that differ. */
  readonly changed: Plain;
  /** Whether secrets are sent even if nothing else changes. */
  readonly isRenewed: boolean;
  readonly viewers: string;
}

function partChange({ kind, path, name, id, before, after, made, changed, isRenewed, viewers }: Part): Change | null {
  const fields = differences(before ?? {}, after);
  const shown = { kind, name, interrupts: false };
  if (before === null) {
    const body = asJSON({ name, ...after, ...made });
    return {
      ...shown,
      action: 'create',
      fields,
      viewers: '',
      steps: [{ method: 'POST', path, body, makes: symbolOf(kind, name) }],
    };
  }
  if (fields.length === 0 && !isRenewed) return null;
  const differing = new Set(fields.map(({ field }) => field.split('.')[0]!));
  const body = { ...Object.fromEntries(Object.entries(after).filter(([field]) => differing.has(field))), ...changed };
  const renewed = isRenewed ? [{ field: 'secrets', from: '(as stored)', to: '(sent again)' }] : [];
  const steps = [{ method: 'PATCH' as const, path: `${path}/${id}`, body: asJSON(body) }];
  return { ...shown, action: 'update', fields: [...fields, ...renewed], viewers, steps };
}

/** The settings of an address over SRT that names none. */
const usualSrt = { latencyMs: 1000, streamID: null };

export function destinationChange(
  name: string,
  { streamKey, srt, ...entry }: Entry<'destinations'>,
  before: Destination | null,
  { renewSecrets }: SecretOptions,
): Change | null {
  const { passphrase, ...plainSrt } = srt ?? {};
  const isMoved =
    before !== null && (before.url !== entry.url || (entry.backupURL ?? null) !== (before.backupURL ?? null));
  const secrets = {
    ...(streamKey && { streamKey: inBody(streamKey) }),
    ...(srt && { srt: { ...plainSrt, ...(passphrase && { passphrase: inBody(passphrase) }) } }),
  };
  const hasSecret = streamKey !== undefined || passphrase !== undefined;
  const shownSrt = before?.srt && { latencyMs: before.srt.latencyMs, streamID: before.srt.streamID };
  return partChange({
    kind: 'destination',
    path: '/destinations',
    name,
    id: before?.id,
    before: before && { url: before.url, backupURL: before.backupURL ?? null, srt: shownSrt },
    after: { ...entry, ...(srt && { srt: { ...usualSrt, ...shownSrt, ...plainSrt } }) },
    made: secrets,
    changed: isMoved || renewSecrets ? secrets : {},
    isRenewed: renewSecrets && hasSecret,
    viewers: 'Live streams keep their connection, and use this from the next one.',
  });
}

export function collectionChange(name: string, entry: Entry<'collections'>, before: Collection | null): Change | null {
  const { kind, source, ...given } = entry;
  assertSameKind(name, kind, before);
  return partChange({
    kind: 'collection',
    path: '/collections',
    name,
    id: before?.id,
    before: before && { source: before.source, order: before.order, groupBy: before.groupBy },
    after: { source: shownSource(source), ...given },
    made: { kind },
    changed: {},
    isRenewed: false,
    viewers: 'Programmes that draw from it are planned again from the next item on.',
  });
}

export function alertChange(
  name: string,
  { kind, target, ...given }: Entry<'alerts'>,
  before: AlertChannel | null,
  { renewSecrets }: SecretOptions,
): Change | null {
  assertSameKind(name, kind, before);
  const secrets = target ? { target: inBody(target) } : {};
  const sorted = (events: readonly string[] | undefined) => events?.toSorted();
  const events = given.events && { events: sorted(given.events) };
  return partChange({
    kind: 'alert',
    path: '/alert-channels',
    name,
    id: before?.id,
    before: before && {
      events: sorted(before.events),
      afterSeconds: before.afterSeconds,
      quietHours: before.quietHours,
      enabled: before.enabled,
    },
    after: { ...given, ...events },
    made: { kind, ...secrets },
    changed: renewSecrets ? secrets : {},
    isRenewed: renewSecrets && target !== undefined,
    viewers: '',
  });
}

function assertSameKind(name: string, kind: string, before: { readonly kind: string } | null): void {
  if (before && before.kind !== kind)
    throw new LoopFailure(
      'refused',
      `${name} is of kind ${before.kind}, which cannot change to ${kind}. Use a new name.`,
    );
}
