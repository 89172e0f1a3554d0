// Settings as the API shows them, with all defaults, so that a file can be compared with the platform.
import * as z from 'zod';
import { sourceInput } from '../../../lambda/operations/collections/collection-schema.ts';
import * as looks from '../../../lambda/operations/look-fields.ts';
import { noRules, presentProgramme, rulesInput } from '../../../lambda/operations/programmes/programme-schema.ts';
import * as sounds from '../../../lambda/operations/sound-fields.ts';
import { asJSON, only } from './references.ts';
import type { Plain } from './references.ts';

/** How the API shows settings of a file; null has all defaults. */
const asShown =
  <Input extends z.ZodType, Stored>(
    input: Input,
    stored: (given: z.output<Input>) => Stored,
    present: (settings: Stored) => object,
  ) =>
  (given: unknown): Plain =>
    asJSON(present(stored(input.parse(given ?? {})))) as Plain;

export const shownSound = asShown(sounds.soundInput, sounds.soundSettings, sounds.presentSound);
export const shownLook = asShown(looks.streamLookInput, looks.streamLookSettings, looks.presentLook);
const shownItemSound = asShown(sounds.soundInput, sounds.itemSoundSettings, sounds.presentItemSound);
const shownItemLook = asShown(looks.itemLookInput, looks.itemLookSettings, looks.presentItemLook);

export interface ItemEntry {
  readonly uploadID: string;
  readonly sound?: unknown;
  readonly look?: unknown;
}

/** An item of a file as the API would show it. */
export function shownItem({ uploadID, sound, look }: ItemEntry): ItemEntry {
  return itemEntry({ uploadID, sound: shownItemSound(sound), look: shownItemLook(look) });
}

/** An item of the API in the fields of a file. Settings without any value are null: the item follows its stream. */
export function itemEntry({ uploadID, sound, look }: ItemEntry): ItemEntry {
  const some = (settings: unknown) => (Object.values(settings ?? {}).some((value) => value !== null) ? settings : null);
  return { uploadID, sound: some(sound), look: some(look) };
}

export function shownSource(given: unknown): Plain {
  return asJSON(sourceInput.parse(given) as Plain);
}

/** The fields of rules that are given, as the API shows them. */
export function shownRules(given: Plain): Plain {
  const draft = { ...noRules, timeZone: 'UTC', ...z.strictObject(rulesInput).partial().parse(given) };
  const programme = { draft, live: null } as Parameters<typeof presentProgramme>[0];
  return only(asJSON(presentProgramme(programme)), Object.keys(given));
}
