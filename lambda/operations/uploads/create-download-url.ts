// POST /uploads/{id}/download-url: returns a URL that downloads the file.
import * as z from 'zod';
import { downloadsPerDay, gigabyte } from '../../domain/media/download-limits.ts';
import { downloadURLSeconds } from '../../domain/media/upload-times.ts';
import { countDownload } from '../../orchestration/media/count-downloads.ts';
import type { DownloadsUsedUp } from '../../orchestration/media/count-downloads.ts';
import type { Context } from '../context.ts';
import { orNotFound, timestamp } from '../fields.ts';
import { operation } from '../operation.ts';
import { ProblemError } from '../problem-codes.ts';

const { unfunded, funded } = downloadsPerDay;

const downloadURL = z
  .object({ url: z.url(), method: z.literal('GET'), expiresAt: timestamp })
  .meta({ id: 'DownloadURL' });

export const createDownloadUrl = operation(['service:read'], {
  summary: 'Get a presigned URL to download the file from',
  description:
    `Returns a secret URL for the bytes, valid for ${downloadURLSeconds / 60} minutes. ` +
    `A day allows ${unfunded} GB, from ${funded} GB with bought credits.`,
  tag: 'uploads',
  route: 'POST /uploads/{id}/download-url',
  output: { status: 200, body: downloadURL },
  errors: ['upload_incomplete'],
  hints: { idempotent: true },
  async handle(ctx, { params }) {
    const upload = orNotFound(await ctx.data.uploads.find(ctx.caller.userID, params.id), 'upload');
    if (!upload.uploaded) throw new ProblemError('upload_incomplete', 'The bytes of this upload have not arrived yet.');
    await countOrRefuse(ctx, upload.size_bytes ?? 0);
    const url = await ctx.objects.presignGet(upload.object_key, {
      expiresInSeconds: downloadURLSeconds,
      downloadName: upload.name,
    });
    return { url, method: 'GET' as const, expiresAt: new Date(ctx.now.getTime() + downloadURLSeconds * 1000) };
  },
});

/** @throws {ProblemError} rate_limited */
async function countOrRefuse({ data, caller, settings }: Context, fileBytes: number): Promise<void> {
  const usedUp = await countDownload(data, { userID: caller.userID, fileBytes, factor: settings.limitFactor });
  if (usedUp === null) return;
  throw new ProblemError('rate_limited', wordsOf(usedUp), {
    headers: { 'retry-after': String(usedUp.resetSeconds) },
  });
}

function wordsOf({ isOfAll, isFunded, allowedBytes, resetSeconds }: DownloadsUsedUp): string {
  const allowed = `${(allowedBytes / gigabyte).toLocaleString('en-US', { maximumFractionDigits: 1 })} GB`;
  const minutes = Math.ceil(resetSeconds / 60);
  const left = minutes < 120 ? `${minutes} minutes` : `${Math.ceil(minutes / 60)} hours`;
  const limit = isOfAll
    ? `Users without a purchase have made download URLs for files of ${allowed} together within a day.`
    : `Within a day you may make download URLs for files of ${allowed}, and this one would exceed it.`;
  const effect = isFunded ? 'raise this limit' : 'allow more at once';
  return `${limit} Try again in ${left}, or buy credits, which ${effect}.`;
}
