// The handshake: both sides finish it, however its bytes are cut, and the digests match those of other programs.
import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { connect, createServer } from 'node:net';
import type { AddressInfo, Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import {
  answerToDigest,
  clientMaker,
  findDigest,
  imprintDigest,
  serverMaker,
} from '../../../lambda/publisher/rtmp/handshake-digest.ts';
import { Handshake, handshakeRandomBytes } from '../../../lambda/publisher/rtmp/handshake.ts';
import { RtmpProtocolError } from '../../../lambda/publisher/rtmp/protocol-error.ts';
import { findMediaTools } from '../../../lambda/publisher/media/media-tools.ts';
import { startNginxIngest } from '../../support/ingests.ts';

const blockBytes = 1536;

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'handshake-'));
});
afterAll(() => rm(folder, { recursive: true }));

async function read(socket: Socket, bytes: number): Promise<Buffer> {
  const pieces: Buffer[] = [];
  for (let size = 0; size < bytes; size += pieces.at(-1)!.length)
    pieces.push((await once(socket, 'data'))[0] as Buffer);
  return Buffer.concat(pieces).subarray(0, bytes);
}

/** Delivers bytes to one side in pieces. @returns its answer, and the bytes after the handshake, or null */
function receiveInPieces(
  handshake: Handshake,
  bytes: Buffer,
  pieceBytes: number,
): { replies: Buffer; rest: Buffer | null } {
  const replies: Buffer[] = [];
  for (let start = 0; start < bytes.length; start += pieceBytes) {
    const { reply, rest } = handshake.receive(bytes.subarray(start, start + pieceBytes));
    replies.push(reply);
    if (!rest) continue;
    const following = bytes.subarray(start + pieceBytes);
    return { replies: Buffer.concat(replies), rest: Buffer.concat([rest, following]) };
  }
  return { replies: Buffer.concat(replies), rest: null };
}

test('client and server finish, echo each other, and keep the bytes that follow', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 4000 }), (pieceBytes) => {
      const client = Handshake.asClient(randomBytes(handshakeRandomBytes));
      const server = Handshake.asServer(randomBytes(handshakeRandomBytes));
      const answer = receiveInPieces(server, client.opening, pieceBytes);
      const following = Buffer.from('chunks');
      const clientSide = receiveInPieces(client, Buffer.concat([answer.replies, following]), pieceBytes);
      const serverSide = receiveInPieces(server, Buffer.concat([clientSide.replies, following]), pieceBytes);

      expect([clientSide.rest, serverSide.rest]).toEqual([following, following]);
      expect(clientSide.replies).toEqual(answer.replies.subarray(1, 1537));
      expect(answer.replies.subarray(1537)).toEqual(client.opening.subarray(1));
    }),
    { numRuns: 50 },
  );
});

test('a client that does not speak RTMP is refused by its first byte', () => {
  const server = Handshake.asServer(randomBytes(handshakeRandomBytes));
  expect(() => server.receive(Buffer.from('GET / HTTP/1.1\r\n'))).toThrow(RtmpProtocolError);
});

test('a server that asks for the complex handshake gets it', () => {
  fc.assert(
    fc.property(
      fc.uint8Array({ minLength: handshakeRandomBytes, maxLength: handshakeRandomBytes }),
      fc.integer({ min: 1, max: 4000 }),
      (random, pieceBytes) => {
        const client = Handshake.asClient(Buffer.from(random));
        const c1 = client.opening.subarray(1);
        const clientDigest = findDigest(c1, clientMaker);
        expect(clientDigest).not.toBeNull();
        const s1 = randomBytes(blockBytes);
        const serverDigest = imprintDigest(s1, serverMaker);
        const s2 = answerToDigest(clientDigest!, randomBytes(1504), serverMaker);
        const { replies: c2, rest } = receiveInPieces(client, Buffer.concat([Buffer.of(3), s1, s2]), pieceBytes);
        expect(rest).toEqual(Buffer.alloc(0));
        expect(c2).toEqual(answerToDigest(serverDigest, c2.subarray(0, 1504), clientMaker));
      },
    ),
    { numRuns: 50 },
  );
});

test('nginx-rtmp finds our digest and answers with its own', async ({ skip }) => {
  const nginx = await startNginxIngest({ recordFolder: folder });
  if (!nginx) return skip('nginx with its RTMP module is not installed');
  onTestFinished(() => nginx[Symbol.dispose]());
  const client = Handshake.asClient(randomBytes(handshakeRandomBytes));
  const socket = connect(Number(new URL(nginx.target.url).port), '127.0.0.1');
  onTestFinished(() => void socket.destroy());
  socket.write(client.opening);
  const answer = await read(socket, 1 + 2 * blockBytes);
  const [s1, s2] = [answer.subarray(1, 1 + blockBytes), answer.subarray(1 + blockBytes)];
  expect(findDigest(s1, serverMaker)).not.toBeNull();
  const ours = findDigest(client.opening.subarray(1), clientMaker)!;
  expect(s2).toEqual(answerToDigest(ours, s2.subarray(0, 1504), serverMaker));
});

test('ffmpeg puts its digest where our client puts it', async () => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  const { ffmpegPath } = await findMediaTools(process.env);
  const rtmpURL = `rtmp://127.0.0.1:${(server.address() as AddressInfo).port}/live/key`;
  const input = ['-f', 'lavfi', '-i', 'anullsrc', '-t', '1'];
  const ffmpeg = spawn(ffmpegPath, ['-nostdin', '-v', 'quiet', ...input, '-f', 'flv', rtmpURL]);
  onTestFinished(() => void ffmpeg.kill('SIGKILL'));
  const [socket] = (await once(server, 'connection')) as [Socket];
  onTestFinished(() => void socket.destroy());
  const c1 = (await read(socket, 1 + blockBytes)).subarray(1);
  expect(imprintDigest(Buffer.from(c1), clientMaker)).toEqual(findDigest(c1, clientMaker));
});
