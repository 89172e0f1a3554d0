// A programme that plays one short clip without end: a plan of many days has very many rows.
import { expect } from 'vitest';
import { pretendProbed } from './service.ts';
import type { TestService, TestUser } from './service.ts';

/** @returns the ids of the stream and of its programme, whose rules are a draft */
export async function makeClipProgramme(
  service: TestService,
  user: TestUser,
): Promise<{ readonly streamID: string; readonly id: string }> {
  const streamID = (await user.call('POST', '/streams', { name: 'Channel', streamDuration: 60 })).body.id;
  const upload = (await user.call('POST', '/uploads', { name: 'Clip', mimeType: 'video/mp4', folder: 'Clips' })).body;
  await pretendProbed(service, upload.id, { durationSeconds: 20 });
  const collection = { name: 'Clips', kind: 'video', source: { folder: 'Clips' }, order: 'oldest' };
  const collectionID = (await user.call('POST', '/collections', collection)).body.id;
  const { id } = (await user.call('POST', '/programmes', { streamID, timeZone: 'UTC' })).body;
  const blocks = [{ id: 'clips', name: 'Clips', steps: [{ id: 'clips', collectionID }] }];
  expect((await user.call('PATCH', `/programmes/${id}`, { blocks })).status).toBe(200);
  return { streamID, id };
}
