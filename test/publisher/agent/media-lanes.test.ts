// An agent carries out media commands of two users at once, but only one command of each user at a time.
import { expect, it, onTestFinished } from 'vitest';
import { databaseOn } from '../../../lambda/data/database.ts';
import { findMediaTools } from '../../../lambda/publisher/media/media-tools.ts';
import { testService } from '../../support/service.ts';
import { startTestAgent } from '../../support/test-agent.ts';

const tools = await findMediaTools(process.env);
const service = testService();

it('a user whose file takes long leaves a lane to others, who come before their second file', async () => {
  const { outbox } = databaseOn(service.pool());
  await service.pool().query('delete from outbox');
  const uploadOf = async (user: Awaited<ReturnType<typeof service.user>>) =>
    (await user.call('POST', '/uploads', { name: 'a.mp4', mimeType: 'video/mp4' })).body.id as string;
  const [many, one] = [await service.user(), await service.user()];
  const files = [await uploadOf(many), await uploadOf(many), await uploadOf(one), await uploadOf(one)] as const;
  const send = (uploadID: string) => outbox.send({ queue: 'media', body: { task: 'probe_upload', uploadID } });
  const ends = new Map<string, () => void>();
  await send(files[0]);
  await send(files[1]);
  const agent = startTestAgent(service, {
    agentID: 'agent_lanes',
    tools,
    log: () => {},
    mediaURL: () => '',
    backends: [],
    handleMedia: async ({ Records: [record] }) => {
      const ending = Promise.withResolvers<void>();
      ends.set((JSON.parse(record!.body) as { uploadID: string }).uploadID, ending.resolve);
      await ending.promise;
      return { batchItemFailures: [] };
    },
  });
  onTestFinished(() => ends.forEach((end) => end()));
  const begun = () => [...ends.keys()];
  const soon = { timeout: 20_000 };
  await expect.poll(begun, soon).toEqual([files[0]]);
  for (const file of files.slice(2)) {
    await send(file);
    await expect.poll(() => begun().at(-1), soon).toBe(file);
    ends.get(file)!();
  }
  expect(begun()).toEqual([files[0], files[2], files[3]]);
  ends.get(files[0])!();
  await expect.poll(() => begun().at(-1), soon).toBe(files[1]);
  ends.get(files[1])!();
  await agent.stop();
});
