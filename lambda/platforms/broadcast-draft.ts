// The data of a broadcast for its platform: the settings, with filled templates.
import type { MirrorDatabase } from '../data/mirror-database.ts';
import type { ManagedSettings } from '../data/channels/managed-settings.ts';
import type { Stream } from '../data/streams/streams.ts';
import { renderTemplate } from '../domain/channels/broadcast-title.ts';
import type { TemplateName } from '../domain/channels/broadcast-title.ts';
import { platformTraits } from '../domain/channels/managed-platforms.ts';
import type { PlatformName } from '../domain/channels/managed-platforms.ts';
import { sha256 } from '../domain/shared/sha256.ts';
import type { BroadcastDraft } from '../ports/managed-platforms/broadcasts.ts';
import { firstItemOf } from './playing-item.ts';
import type { PlayingItem } from './playing-item.ts';

const descriptionLength = 5000;

/**
 * A hash of everything that the platform receives, except the start and the values of templates: a new date or item
 * does not change the title of a broadcast.
 */
export function hashOfSettings(settings: ManagedSettings, stream: Stream): string {
  const { id: _id, seq: _seq, user_id: _user, name: _name, created_at: _at, ...fields } = settings;
  const { rotate_after_minutes: _rotate, ...sent } = fields;
  return sha256(JSON.stringify([sent, stream.name])).slice(0, 32);
}

export interface DraftedFor {
  readonly stream: Stream;
  readonly settings: ManagedSettings;
  readonly platform: PlatformName;
  /** Null if the title names the first item. */
  readonly playing: PlayingItem | null;
}

export async function draftOf(
  data: MirrorDatabase,
  { stream, settings, platform, playing }: DraftedFor,
  broadcast: { readonly n: number; readonly scheduledStartAt: Date; readonly autoStart: boolean },
): Promise<BroadcastDraft> {
  const templates = settings.title_template + settings.description_template;
  const values: Record<TemplateName, string> = {
    item: playing?.name ?? (templates.includes('{item}') ? await firstItemOf(data, stream) : ''),
    // The date as YYYY-MM-DD, in the time zone of the settings.
    date: new Intl.DateTimeFormat('en-CA', { timeZone: settings.time_zone, dateStyle: 'short' }).format(
      broadcast.scheduledStartAt,
    ),
    n: String(broadcast.n),
  };
  const name = stream.name ?? '';
  return {
    title: renderTemplate(settings.title_template, values, {
      maxLength: platformTraits[platform].maxTitleLength,
      fallback: name.trim() === '' ? 'Live' : name,
    }),
    description: renderTemplate(settings.description_template, values, { maxLength: descriptionLength, fallback: '' }),
    scheduledStartAt: broadcast.scheduledStartAt,
    privacy: settings.privacy,
    categoryID: settings.category_id,
    tags: settings.tags,
    madeForKids: settings.made_for_kids,
    latency: settings.latency,
    dvr: settings.dvr,
    autoStart: broadcast.autoStart,
  };
}
