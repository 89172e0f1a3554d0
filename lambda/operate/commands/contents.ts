// Commands that take content down everywhere by its hash, and block it.
import type { Database } from '../../data/database.ts';
import type { HeldContent } from '../../data/media/blocked-contents.ts';
import { bytesHashOf } from '../../domain/playout/rendition.ts';
import { takeDown } from '../../orchestration/media/take-down.ts';
import { contentArg, operatorCommand, OperatorRefusal } from '../command.ts';
import type { Row } from '../command.ts';

export const showContent = operatorCommand({
  noun: 'content',
  verb: 'show',
  summary: 'shows who has a content, named by its SHA-256 or by an upload, and what plays it',
  changes: false,
  args: { content: contentArg },
  async handle({ data }, { content }) {
    const hash = await hashOf(data, content);
    const uploads = await data.blockedContents.uploadsOf(hash);
    const streamIDs = await data.blockedContents.streamsPlaying(uploads.map(({ id }) => id));
    const blocked = await data.blockedContents.find(hash);
    const state = blocked
      ? `is blocked since ${blocked.blocked_at.toISOString()}: ${blocked.reason}`
      : 'is not blocked';
    return { says: `${hash} ${state}.`, rows: rowsOf(uploads, streamIDs), subjects: [hash] };
  },
});

export const blockContent = operatorCommand({
  noun: 'content',
  verb: 'block',
  summary: 'takes a content down: streams that play it stop, its uploads and renditions go, and it cannot come back',
  changes: true,
  args: { content: contentArg },
  async handle({ data, reason }, { content }) {
    const hash = await hashOf(data, content);
    await data.blockedContents.lock(hash);
    await data.blockedContents.block(hash, reason);
    const { uploads, streamIDs } = await takeDown(data, hash);
    return {
      says: `${hash} is blocked. Uploads that lose it: ${uploads.length}; streams that stop: ${streamIDs.length}.`,
      rows: rowsOf(uploads, streamIDs),
      subjects: [hash, ...new Set(uploads.flatMap(({ id, user_id: userID }) => [id, userID])), ...streamIDs],
    };
  },
});

export const unblockContent = operatorCommand({
  noun: 'content',
  verb: 'unblock',
  summary: 'lets a content be uploaded again; what was taken down stays so',
  changes: true,
  args: { content: contentArg },
  async handle({ data }, { content }) {
    const hash = await hashOf(data, content);
    if (!(await data.blockedContents.unblock(hash))) throw new OperatorRefusal(`${hash} is not blocked.`);
    return { says: `${hash} may be uploaded again.`, subjects: [hash] };
  },
});

async function hashOf(data: Database, content: string): Promise<string> {
  if (!content.startsWith('upl_')) return content;
  const upload = await data.uploads.findAny(content);
  if (!upload) throw new OperatorRefusal(`There is no upload ${content}.`);
  const hash = bytesHashOf(upload.content_hash ?? '');
  if (!contentArg.safeParse(hash).success)
    throw new OperatorRefusal(`The bytes of ${content} have not been read yet, could not be read, or are gone.`);
  return hash;
}

function rowsOf(uploads: readonly HeldContent[], streamIDs: readonly string[]): Row[] {
  return [
    ...uploads.map(({ id, email, name }) => ({ what: 'upload', id, user: email, name })),
    ...streamIDs.map((id) => ({ what: 'stream on air', id, user: null, name: null })),
  ];
}
