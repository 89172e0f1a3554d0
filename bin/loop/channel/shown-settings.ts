// Settings of a file in the form in which the API shows them, with all defaults, so that both can be compared.
import * as z from 'zod';
import {
  itemLookInput,
  itemLookSettings,
  presentItemLook,
  presentLook,
  streamLookInput,
  streamLookSettings,
} from '../../../lambda/operations/look-fields.ts';
import { noRules, presentProgramme, rulesInput } from '../../../lambda/operations/programmes/programme-schema.ts';
import { sourceInput } from '../../../lambda/operations/collections/collection-schema.ts';
import {
  itemSoundSettings,
  presentItemSound,
  presentSound,
  soundInput,
  soundSettings,
} from '../../../lambda/operations/sound-fields.ts';
import { asJSON } from './change.ts';
import type { Plain } from './references.ts';

export const usualSound: Plain = asJSON(presentSound(null));
export const usualLook: Plain = asJSON(presentLook(null));

export function shownSound(given: unknown): Plain {
  return given == null ? usualSound : asJSON(presentSound(soundSettings(soundInput.parse(given))));
}

export function shownLook(given: unknown): Plain {
  return given == null ? usualLook : asJSON(presentLook(streamLookSettings(streamLookInput.parse(given))));
}

export function shownItemSound(given: unknown): Plain | null {
  return given == null ? null : someOf(asJSON(presentItemSound(itemSoundSettings(soundInput.parse(given)))));
}

export function shownItemLook(given: unknown): Plain | null {
  return given == null ? null : someOf(asJSON(presentItemLook(itemLookSettings(itemLookInput.parse(given)))));
}

/** Null if no field has a value: then the item follows its stream. */
export function someOf(fields: Plain | null): Plain | null {
  return fields !== null && Object.values(fields).some((value) => value !== null) ? fields : null;
}

export function shownSource(given: unknown): Plain {
  return asJSON(sourceInput.parse(given) as Plain);
}

/** The fields of rules that are given, as the API shows them. */
export function shownRules(given: Plain): Plain {
  const parsed = z.strictObject(rulesInput).partial().parse(given);
  const draft = { ...noRules, timeZone: 'UTC', ...parsed };
  const all = asJSON(presentProgramme({ ...unsaved, draft } as Parameters<typeof presentProgramme>[0])) as Plain;
  return Object.fromEntries(Object.keys(given).map((name) => [name, all[name]]));
}

/** The columns of a programme that its rules are not in. */
const unsaved = {
  id: '',
  stream_id: '',
  kind: 'video',
  version: 1,
  live: null,
  planned_until: null,
  plan_failure: null,
  created_at: new Date(0),
  updated_at: new Date(0),
};
