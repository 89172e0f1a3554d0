// The handshake: both sides get through it however the bytes are cut.
import { randomBytes } from 'node:crypto';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { Handshake, handshakeRandomBytes } from '../../../lambda/publisher/rtmp/handshake.ts';
import { RtmpProtocolError } from '../../../lambda/publisher/rtmp/protocol-error.ts';

function receiveInPieces(handshake: Handshake, bytes: Buffer, pieceBytes: number): { replies: Buffer; rest: Buffer | null } {
  const replies: Buffer[] = [];
  for (let start = 0; start < bytes.length; start += pieceBytes) {
    const { reply, rest } = handshake.receive(bytes.subarray(start, start + pieceBytes));
    replies.push(reply);
    if (rest) return { replies: Buffer.concat(replies), rest: Buffer.concat([rest, bytes.subarray(start + pieceBytes)]) };
  }
  return { replies: Buffer.concat(replies), rest: null };
}

test('client and server finish, echo each other, and keep what follows', () => {
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

test('what does not speak RTMP is refused by its first byte', () => {
  const server = Handshake.asServer(randomBytes(handshakeRandomBytes));
  expect(() => server.receive(Buffer.from('GET / HTTP/1.1\r\n'))).toThrow(RtmpProtocolError);
});
