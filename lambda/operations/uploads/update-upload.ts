// PATCH /uploads/{id}: changes what the user arranges of an upload, from its name to the times at which it may play.
import * as z from 'zod';
import type { Upload } from '../../data/media/uploads.ts';
import { captionBounds, CaptionsError, parseCaptions } from '../../domain/playout/captions.ts';
import { longestTitle, shownTitle, titleFields } from '../../domain/playout/titles.ts';
import type { Titles } from '../../domain/playout/titles.ts';
import { keepPrepared } from '../../orchestration/playout/keep-prepared.ts';
import { applyCaptions } from '../../orchestration/playout/apply-look.ts';
import type { Context } from '../context.ts';
import { fieldProblem } from '../field-problems.ts';
import { id, orNotFound, text } from '../fields.ts';
import { operation } from '../operation.ts';
import { longestOrderText } from '../../domain/playout/item-order.ts';
import { availabilityInput, storedAvailability } from './upload-availability.ts';
import { arrangeUpload, distinctTags, folderPath, tags, uploadName } from './upload-order.ts';
import { storeCaptions } from './store-captions.ts';
import { presentUpload, uploadSchema } from './upload-schema.ts';

/** The longest time for which an image is shown: a day. */
const mostShownSeconds = 86_400;

const orderText = text(1, longestOrderText).nullable().optional();

const title = text(0, longestTitle).nullable();
const titles = {
  title: title.optional().describe('Title shown to viewers. Empty: none. null: the title from the file.'),
  artist: title.optional().describe('As title.'),
  album: title.optional().describe('As title.'),
};

export const updateUpload = operation(['service:write'], {
  summary: 'Update an upload',
  description:
    'Changes the name, folder, tags, titles, artwork, captions, length, times or order of an upload. Absent fields ' +
    'stay unchanged.',
  tag: 'uploads',
  route: 'PATCH /uploads/{id}',
  body: z.strictObject({
    name: uploadName.optional(),
    folder: folderPath.optional(),
    tags: tags.optional(),
    ...titles,
    artworkUploadID: id
      .nullable()
      .optional()
      .describe('ID of an image upload of yours. null: the artwork from the file.'),
    captions: text(0, captionBounds.bytes)
      .nullable()
      .optional()
      .describe('Captions of a video: the text of an SRT or WebVTT file, for look.overlays.captions. null: none.'),
    showSeconds: z
      .number()
      .min(1)
      .max(mostShownSeconds)
      .nullable()
      .optional()
      .describe('Seconds for which an image is shown, from the next publish on. null: 10.'),
    availability: availabilityInput
      .nullable()
      .optional()
      .describe('Times at which programmes may begin it. null: any time.'),
    orderReference: orderText.describe('Order that its playings are reported to, from the next plan on. null: none.'),
    advertiser: orderText.describe('Advertiser of the order.'),
  }),
  output: { status: 200, body: uploadSchema },
  errors: ['limit_reached'],
  async handle(ctx, { params, body }) {
    const before = orNotFound(await ctx.data.uploads.lock(ctx.caller.userID, params.id), 'upload');
    const { name, folder, artworkUploadID } = body;
    if (artworkUploadID) await assertImage(ctx, artworkUploadID);
    const arranged = await arrangeUpload(ctx, before, {
      name,
      folder,
      tags: body.tags && distinctTags(body.tags),
      given_titles: givenTitles(before, body),
      artwork_upload_id: artworkUploadID,
      captions: await captionsOf(ctx, before, body.captions),
      show_seconds: showSecondsOf(before, body.showSeconds),
      availability: body.availability && storedAvailability(body.availability),
      order_reference: body.orderReference,
      advertiser: body.advertiser,
    });
    if (arranged.captions?.hash !== before.captions?.hash) {
      if (before.captions) await ctx.data.captions.note(before.captions.hash);
      await showCaptions(ctx, params.id);
    }
    return presentUpload(ctx, arranged);
  },
});

function givenTitles(
  { given_titles: before }: Upload,
  said: { readonly [Field in keyof Titles]?: string | null | undefined },
): Titles {
  const after = titleFields.flatMap((field) => {
    const text = said[field] === undefined ? before[field] : said[field];
    return text === null || text === undefined ? [] : [[field, shownTitle(text) ?? '']];
  });
  return Object.fromEntries(after);
}

function showSecondsOf({ type }: Upload, seconds: number | null | undefined): number | null | undefined {
  if (seconds && type !== 'image')
    throw fieldProblem(
      'showSeconds',
      'The upload is not an image: it lasts as long as its file. create_clip shortens it.',
    );
  return seconds;
}

/** The captions of an upload after the request: undefined if they stay unchanged, null if they are removed. */
async function captionsOf(
  ctx: Context,
  { type, captions: before }: Upload,
  file: string | null | undefined,
): Promise<Upload['captions'] | undefined> {
  if (file === undefined || file === null) return file;
  if (type !== 'video')
    throw fieldProblem('captions', 'Only videos can have captions, and this upload is not a video.');
  return storeCaptions(ctx, file, countCues(file), before);
}

/**
 * Counts the cues of a captions file.
 * @throws {ProblemError} validation_failed, with the line that cannot be read
 */
function countCues(file: string): number {
  try {
    return parseCaptions(file).length;
  } catch (error) {
    throw error instanceof CaptionsError ? fieldProblem('captions', error.message) : error;
  }
}

/** Requests the preparation of the upload with its captions, and draws them in the streams that show it. */
async function showCaptions({ data, settings: { limitFactor } }: Context, uploadID: string): Promise<void> {
  await keepPrepared(data, 'upload', uploadID, { retries: 'at once', limitFactor });
  await applyCaptions(data, uploadID, limitFactor);
}

async function assertImage(ctx: Context, uploadID: string): Promise<void> {
  const [upload] = await ctx.data.uploads.lockManyForUse([ctx.caller.userID], [uploadID]);
  if (upload?.probe_state === 'completed' && upload.type === 'image') return;
  const detail = upload ? 'The upload is not an image, or has not been examined yet.' : 'This upload does not exist.';
  throw fieldProblem('artworkUploadID', detail);
}
