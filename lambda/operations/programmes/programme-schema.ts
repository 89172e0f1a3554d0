// A programme in requests and in answers.
import * as z from 'zod';
import type { ShownProgramme, StoredRules } from '../../data/programme/programmes.ts';
import { playlistKinds } from '../../domain/playout/playlist-words.ts';
import { programmeBounds } from '../../domain/programme/programme-faults.ts';
import { separationKeys, usualFirstDay } from '../../domain/programme/programme-rules.ts';
import type { Block, Insert, InsertTimes, ItemSource, Step } from '../../domain/programme/programme-rules.ts';
import { id, text, timeOfDay, timestamp } from '../fields.ts';
import { shownColumns } from '../shown-columns.ts';

const day = z.iso.date();
const minutes = z.int().min(1).max(programmeBounds.minutes);
/** The state of a planner has these ids as names of its fields, which each object has some of already. */
const ruleID = z
  .string()
  .regex(/^[\w-]{1,40}$/, { error: 'Use 1 to 40 letters, digits, _ and -.' })
  .refine((id) => !(id in {}), { error: 'Choose another ID: JavaScript has a meaning for this one.' });
const ownRuleID = ruleID.describe('Your ID, such as songs.');
const ruleName = text(1, 100).describe('Name for people.');
const sourceFields = {
  collectionID: id.optional().describe('ID of the collection to draw from.'),
  uploadID: id.optional().describe('ID of one upload, in place of a collection.'),
};
const oneSource = 'Use exactly one of collectionID and uploadID.';

const step = z
  .strictObject({
    id: ownRuleID,
    ...sourceFields,
    count: z.int().min(1).max(1000).default(1).describe('Items that it plays in each of its turns.'),
    weight: z
      .int()
      .min(1)
      .max(programmeBounds.weight)
      .default(1)
      .describe('Share of the turns: 2 plays twice as many items as 1.'),
    cursor: z
      .enum(['own', 'shared', 'rerun'])
      .default('own')
      .describe(
        'Place in the collection. own: this step has its own. shared: steps share one. rerun: begins again each time.',
      ),
  })
  .refine(hasOneSource, { error: oneSource })
  .meta({ examples: [{ id: 'songs', collectionID: 'col_songs' }] })
  .transform(({ collectionID, uploadID, ...given }): Step => ({
    ...given,
    from: sourceOf({ collectionID, uploadID }),
  }));

const guideForms = ['items', 'block', 'hidden'] as const;
const hoursFields = {
  rule: text(1, 500)
    .optional()
    .describe('Days, as an RFC 5545 rule such as FREQ=WEEKLY;BYDAY=MO,FR. Absent: whenever no other block plays.'),
  at: timeOfDay.optional().describe('Local time at which the block begins, HH:mm. Needed with rule.'),
  minutes: minutes.optional().describe('Length of the block in minutes. Needed with rule.'),
  firstDay: day.optional().describe('First day of the rule, where INTERVAL and COUNT begin. Default: 2026-01-01.'),
  lastDay: day.nullish().describe('Last day on which the block begins.'),
};
const block = z
  .strictObject({
    id: ownRuleID,
    name: ruleName,
    ...hoursFields,
    priority: z.int().min(0).max(100).default(50).describe('The highest one plays where hours overlap.'),
    starts: z
      .enum(['hard', 'next_item'])
      .default('next_item')
      .describe('hard: begins to the frame, and cuts off the item. next_item: waits until it ends.'),
    latestMinutes: z
      .int()
      .min(0)
      .max(720)
      .nullish()
      .describe('Most minutes that next_item waits. null: until the item ends.'),
    ends: z
      .enum(['finish', 'cut', 'fill'])
      .default('finish')
      .describe('finish: plays the last item whole. cut: cuts it off. fill: ends to the frame, with filler.'),
    ordered: z.boolean().default(false).describe('true: steps take turns in this order. false: by weight.'),
    offAir: z.boolean().default(false).describe('true: a sign-off, such as a test card.'),
    guide: z.enum(guideForms).default('items').describe('Public guide. block: one entry with its name. hidden: none.'),
    liveInputID: id.nullish().describe('ID of a live input that may take over here.'),
    steps: z.array(step).min(1).max(programmeBounds.stepsOfBlock).describe('Content of the block, in turns.'),
  })
  .refine(({ rule, at, minutes: length }) => (rule === undefined) === (at === undefined && length === undefined), {
    error: 'Use rule, at and minutes together.',
  })
  .refine(({ rule, at, minutes: length }) => rule === undefined || (at !== undefined && length !== undefined), {
    error: 'A block with rule needs at and minutes.',
  })
  .transform(
    ({
      rule,
      at,
      minutes: length,
      firstDay = usualFirstDay,
      lastDay = null,
      latestMinutes,
      ordered,
      offAir,
      guide,
      liveInputID,
      ...given
    }): Block => ({
      ...given,
      ...(offAir && { isOffAir: true as const }),
      ...(guide !== 'items' && { guide }),
      ...(liveInputID && { liveInputID }),
      hours: rule === undefined ? null : { rule, at: at!, minutes: length!, firstDay, lastDay },
      latestMinutes: latestMinutes ?? null,
      isOrdered: ordered,
    }),
  );

const midRollMinutes = z.int().min(1).max(programmeBounds.midRollMinutes);
const timeFields = {
  everyItems: z.int().min(1).max(1000).optional().describe('A break after so many items.'),
  everyMinutes: minutes.optional().describe('A break after so many minutes, between items.'),
  atMinutes: z
    .array(z.int().min(0).max(59))
    .min(1)
    .max(60)
    .optional()
    .describe('Breaks at these minutes of each hour, such as [0, 30].'),
  beforeBlockID: ruleID.optional().describe('A break before the block with this ID.'),
  afterBlockID: ruleID.optional().describe('A break after the block with this ID.'),
  midRoll: z
    .strictObject({
      everyMinutes: midRollMinutes.describe('Minutes between two breaks.'),
      keepLastMinutes: midRollMinutes.describe('Last minutes of an item, which have no break.'),
      blockID: ruleID.nullable().describe('ID of the only block with these breaks. null: all blocks.'),
    })
    .optional()
    .describe('Breaks within long items.'),
};
const timeNames = ['everyItems', 'everyMinutes', 'atMinutes', 'beforeBlockID', 'afterBlockID', 'midRoll'] as const;

const insertJoins = ['cut', 'as_stream'] as const;

const insert = z
  .strictObject({
    id: ownRuleID,
    name: ruleName,
    ...sourceFields,
    ...timeFields,
    perBreak: z.int().min(1).max(20).default(1).describe('Items in each break.'),
    introUploadID: id.nullish().describe('ID of an upload that opens each break.'),
    outroUploadID: id.nullish().describe('ID of an upload that closes each break.'),
    mostPerHour: z.int().min(1).max(240).nullish().describe('Most items of this insert in an hour.'),
    shortestGapMinutes: z.int().min(0).max(1440).default(0).describe('Fewest minutes between two breaks.'),
    join: z.enum(insertJoins).default('cut').describe('Joins around each break.'),
  })
  .refine(hasOneSource, { error: oneSource })
  .refine((given) => timeNames.filter((name) => given[name] !== undefined).length === 1, {
    error: `Use exactly one of ${timeNames.join(', ')}.`,
  })
  .meta({ examples: [{ id: 'jingle', name: 'Jingle', collectionID: 'col_jingles', everyItems: 3 }] })
  .transform((given): Insert => {
    const { collectionID, uploadID, introUploadID, outroUploadID, mostPerHour, ...others } = given;
    const name = timeNames.find((each) => others[each] !== undefined)!;
    const { id: ownID, name: words, perBreak, shortestGapMinutes, join } = others;
    return {
      id: ownID,
      name: words,
      from: sourceOf({ collectionID, uploadID }),
      when: { [name]: others[name] } as InsertTimes,
      perBreak,
      introUploadID: introUploadID ?? null,
      outroUploadID: outroUploadID ?? null,
      mostPerHour: mostPerHour ?? null,
      shortestGapMinutes,
      ...(join === 'as_stream' && { join }),
    };
  });

const separationRule = z
  .strictObject({
    by: z.enum(separationKeys),
    tagPrefix: text(1, 64).nullish().describe('Beginning of the tags that count, if by is tag.'),
    items: z.int().min(0).max(1000).default(0).describe('Fewest items between two that are alike.'),
    minutes: z
      .int()
      .min(0)
      .max(programmeBounds.minutes)
      .default(0)
      .describe('Fewest minutes between two that are alike.'),
    strength: z
      .enum(['must', 'should'])
      .default('should')
      .describe('must: a rule of strength should is broken first, if no upload meets all.'),
  })
  .transform(({ tagPrefix, ...given }) => ({ ...given, tagPrefix: tagPrefix ?? null }));

/** The rules in requests. Each field replaces the whole list. */
export const rulesInput = {
  timeZone: text(1, 100).describe('IANA time zone of hours and days, such as Europe/Berlin.'),
  blocks: z.array(block).max(programmeBounds.blocks).describe('Blocks of days and hours.'),
  inserts: z
    .array(insert)
    .max(programmeBounds.inserts)
    .describe('Items between others or within long ones, such as jingles and sponsors.'),
  separation: z
    .array(separationRule)
    .max(programmeBounds.separation)
    .describe('Distances between items that are alike, the most important first.'),
  filler: z
    .strictObject(sourceFields)
    .refine(hasOneSource, { error: oneSource })
    .meta({ examples: [{ collectionID: 'col_fillers' }] })
    .transform(({ collectionID, uploadID }) => ({ from: sourceOf({ collectionID, uploadID }) }))
    .nullable()
    .describe('Short items that fill the time before a hard start. null: items are cut off there.'),
  insertSecondsPerHour: z.int().min(1).max(3600).nullable().describe('The most seconds of inserts in an hour.'),
};

/** The rules of a new programme. */
export const noRules: Omit<StoredRules, 'timeZone'> = {
  blocks: [],
  inserts: [],
  separation: [],
  filler: null,
  insertSecondsPerHour: null,
};

function hasOneSource(given: { collectionID?: string | undefined; uploadID?: string | undefined }): boolean {
  return (given.collectionID === undefined) !== (given.uploadID === undefined);
}

function sourceOf({
  collectionID,
  uploadID,
}: {
  collectionID?: string | undefined;
  uploadID?: string | undefined;
}): ItemSource {
  return collectionID === undefined ? { uploadID: uploadID! } : { collectionID };
}

const shownSource = { collectionID: z.string().optional(), uploadID: z.string().optional() };

export const programmeSchema = z
  .object({
    id: z.string(),
    streamID: z.string(),
    kind: z.enum(playlistKinds),
    version: z.int32().describe('Version of the draft. It increases with each change.'),
    timeZone: z.string(),
    blocks: z.array(
      z
        .object({
          id: z.string(),
          name: z.string(),
          rule: z.string().nullable(),
          at: z.string().nullable(),
          minutes: z.int32().nullable(),
          firstDay: z.string().nullable(),
          lastDay: z.string().nullable(),
          priority: z.int32(),
          starts: z.enum(['hard', 'next_item']),
          latestMinutes: z.int32().nullable(),
          ends: z.enum(['finish', 'cut', 'fill']),
          ordered: z.boolean(),
          offAir: z.boolean(),
          guide: z.enum(guideForms),
          liveInputID: z.string().nullable(),
          steps: z.array(
            z
              .object({
                id: z.string(),
                ...shownSource,
                count: z.int32(),
                weight: z.int32(),
                cursor: z.enum(['own', 'shared', 'rerun']),
              })
              .meta({ id: 'ProgrammeStep' }),
          ),
        })
        .meta({ id: 'ProgrammeBlock' }),
    ),
    inserts: z.array(
      z
        .object({
          id: z.string(),
          name: z.string(),
          ...shownSource,
          everyItems: z.int32().optional(),
          everyMinutes: z.int32().optional(),
          atMinutes: z.array(z.int32()).optional(),
          beforeBlockID: z.string().optional(),
          afterBlockID: z.string().optional(),
          midRoll: z
            .object({ everyMinutes: z.int32(), keepLastMinutes: z.int32(), blockID: z.string().nullable() })
            .meta({ id: 'MidRoll' })
            .optional(),
          perBreak: z.int32(),
          introUploadID: z.string().nullable(),
          outroUploadID: z.string().nullable(),
          mostPerHour: z.int32().nullable(),
          shortestGapMinutes: z.int32(),
          join: z.enum(insertJoins),
        })
        .meta({ id: 'ProgrammeInsert' }),
    ),
    separation: z.array(
      z
        .object({
          by: z.enum(separationKeys),
          tagPrefix: z.string().nullable(),
          items: z.int32(),
          minutes: z.int32(),
          strength: z.enum(['must', 'should']),
        })
        .meta({ id: 'ProgrammeSeparation' }),
    ),
    filler: z.object(shownSource).meta({ id: 'ProgrammeFiller' }).nullable(),
    insertSecondsPerHour: z.int32().nullable(),
    liveVersion: z.int32().nullable().describe('Version that the stream plays. null: not published yet.'),
    publishedAt: timestamp.nullable(),
    plannedUntil: timestamp.nullable().describe('End of the rows planned for the run. null: none.'),
    planFailure: z
      .object({ code: z.string(), detail: z.string() })
      .meta({ id: 'PlanFailure' })
      .nullable()
      .describe('Why the last plan is not as the rules want it. null: it is.'),
    createdAt: timestamp,
    updatedAt: timestamp,
  })
  .meta({ id: 'Programme' });

export function presentProgramme(programme: ShownProgramme): z.input<typeof programmeSchema> {
  const { draft, live } = programme;
  return {
    ...shownColumns(programmeSchema, programme),
    timeZone: draft.timeZone,
    blocks: draft.blocks.map(({ hours, isOrdered, isOffAir = false, guide, liveInputID, steps, ...block }) => ({
      ...block,
      offAir: isOffAir,
      guide: guide ?? 'items',
      liveInputID: liveInputID ?? null,
      rule: hours?.rule ?? null,
      at: hours?.at ?? null,
      minutes: hours?.minutes ?? null,
      firstDay: hours?.firstDay ?? null,
      lastDay: hours?.lastDay ?? null,
      ordered: isOrdered,
      steps: steps.map(({ from, ...step }) => ({ ...step, ...from })),
    })),
    inserts: draft.inserts.map(({ from, when, join, ...insert }) => ({
      ...insert,
      join: join ?? ('cut' as const),
      ...from,
      ...('atMinutes' in when ? { atMinutes: [...when.atMinutes] } : when),
    })),
    separation: [...draft.separation],
    filler: draft.filler && draft.filler.from,
    insertSecondsPerHour: draft.insertSecondsPerHour,
    liveVersion: live?.version ?? null,
    publishedAt: live && new Date(live.publishedAt),
  };
}
