// The changes of destinations, collections and alert channels: things that streams use.
import type { AlertChannel, Collection, Destination } from '../../../lambda/web/app/types.ts';
import { LoopFailure } from '../failure.ts';
import { asJSON, changesTo, only, symbolOf } from './change.ts';
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
  /** The thing as the API shows it; null: there is none. */
  readonly before: (Plain & { readonly id: string }) | null;
  readonly after: Plain;
  /** The fields of a request that makes it, beyond `after`. */
  readonly made: Plain;
  /** The fields of a request that changes it, beyond those that differ. */
  readonly changed?: Plain;
  /** Whether secrets are sent even if nothing else changes. */
  readonly isRenewed?: boolean;
  readonly viewers?: string;
}

function partChanges({ path, made, changed, isRenewed, viewers = '', ...wanted }: Part): Change[] {
  const { kind, name, before, after } = wanted;
  const further = before && isRenewed ? [{ field: 'secrets', from: '(as stored)', to: '(sent again)' }] : [];
  return changesTo({ ...wanted, further }, (names) => {
    if (before) {
      const body = asJSON({ ...only(after, names), ...changed });
      return { viewers, steps: [{ method: 'PATCH', path: `${path}/${before.id}`, body }] };
    }
    const body = asJSON({ name, ...after, ...made });
    return { steps: [{ method: 'POST', path, body, makes: symbolOf(kind, name) }] };
  });
}

/** The settings of an address over SRT that names none. */
const usualSrt = { latencyMs: 1000, streamID: null };

export function destinationChanges(
  name: string,
  { streamKey, srt, ...entry }: Entry<'destinations'>,
  before: Destination | null,
  { renewSecrets }: SecretOptions,
): Change[] {
  const { passphrase, ...plainSrt } = srt ?? {};
  const isMoved =
    before !== null && (before.url !== entry.url || (entry.backupURL ?? null) !== (before.backupURL ?? null));
  const secrets = {
    ...(streamKey && { streamKey: inBody(streamKey) }),
    ...(srt && { srt: { ...plainSrt, ...(passphrase && { passphrase: inBody(passphrase) }) } }),
  };
  const shownSrt = before?.srt && { latencyMs: before.srt.latencyMs, streamID: before.srt.streamID };
  return partChanges({
    kind: 'destination',
    path: '/destinations',
    name,
    before: before && { ...before, srt: shownSrt },
    after: { ...entry, ...(srt && { srt: { ...usualSrt, ...shownSrt, ...plainSrt } }) },
    made: secrets,
    changed: isMoved || renewSecrets ? secrets : {},
    isRenewed: renewSecrets && (streamKey !== undefined || passphrase !== undefined),
    viewers: 'Live streams keep their connection, and use this from the next one.',
  });
}

export function collectionChanges(name: string, entry: Entry<'collections'>, before: Collection | null): Change[] {
  const { kind, source, ...given } = entry;
  assertSameKind(name, kind, before);
  return partChanges({
    kind: 'collection',
    path: '/collections',
    name,
    before: before && { ...before },
    after: { source: shownSource(source), ...given },
    made: { kind },
    viewers: 'Programmes that draw from it are planned again from the next item on.',
  });
}

export function alertChanges(
  name: string,
  { kind, target, ...given }: Entry<'alerts'>,
  before: AlertChannel | null,
  { renewSecrets }: SecretOptions,
): Change[] {
  assertSameKind(name, kind, before);
  const secrets = target ? { target: inBody(target) } : {};
  return partChanges({
    kind: 'alert',
    path: '/alert-channels',
    name,
    before: before && { ...before, events: before.events.toSorted() },
    after: { ...given, ...(given.events && { events: given.events.toSorted() }) },
    made: { kind, ...secrets },
    changed: renewSecrets ? secrets : {},
    isRenewed: renewSecrets && target !== undefined,
  });
}

function assertSameKind(name: string, kind: string, before: { readonly kind: string } | null): void {
  if (before && before.kind !== kind)
    throw new LoopFailure(
      'refused',
      `${name} is of kind ${before.kind}, which cannot change to ${kind}. Use a new name.`,
    );
}
