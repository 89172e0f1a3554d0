// A name server on loopback: it knows some names, denies others, and never answers those with the prefix `silent`.
import { createSocket } from 'node:dgram';
import { once } from 'node:events';

export interface NameServer extends AsyncDisposable {
  /** Address in the format of `createNameResolver`. */
  readonly address: string;
  /** The requested names so far, one for each question. */
  readonly questions: readonly string[];
}

const types = { a: 1, aaaa: 28 } as const;
const codes = { noError: 0, noSuchName: 3 } as const;

/** @param known the IPv4 or IPv6 address of each name */
export async function startNameServer(known: Readonly<Record<string, string>>): Promise<NameServer> {
  const questions: string[] = [];
  const socket = createSocket('udp4');
  socket.on('message', (question, from) => {
    const { name, type, endsAt } = questionIn(question);
    questions.push(name);
    if (name.startsWith('silent')) return;
    const address = known[name];
    const isIPv6 = address?.includes(':') ?? false;
    const isAnswered = address !== undefined && type === (isIPv6 ? types.aaaa : types.a);
    const header = Buffer.alloc(12);
    question.copy(header, 0, 0, 2);
    header.writeUInt16BE(0x81_80 | (address === undefined ? codes.noSuchName : codes.noError), 2);
    header.writeUInt16BE(1, 4);
    header.writeUInt16BE(isAnswered ? 1 : 0, 6);
    const answer = isAnswered ? [recordOf(type, address)] : [];
    socket.send(Buffer.concat([header, question.subarray(12, endsAt), ...answer]), from.port, from.address);
  });
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  return {
    address: `127.0.0.1:${socket.address().port}`,
    questions,
    [Symbol.asyncDispose]: async () => {
      socket.close();
      await once(socket, 'close');
    },
  };
}

/** The question of a message (RFC 1035, section 4.1.2). */
function questionIn(message: Buffer): { name: string; type: number; endsAt: number } {
  const labels: string[] = [];
  let offset = 12;
  while (message[offset] !== 0) {
    const end = offset + 1 + message[offset]!;
    labels.push(message.toString('latin1', offset + 1, end));
    offset = end;
  }
  return { name: labels.join('.').toLowerCase(), type: message.readUInt16BE(offset + 1), endsAt: offset + 5 };
}

/** A record for the name of the question, valid for this answer only. */
function recordOf(type: number, address: string): Buffer {
  const bytes = type === types.a ? address.split('.').map(Number) : [...Array(15).fill(0), 1];
  const fields = Buffer.from('c00c0000000100000000', 'hex');
  fields.writeUInt16BE(type, 2);
  const length = Buffer.alloc(2);
  length.writeUInt16BE(bytes.length);
  return Buffer.concat([fields, length, Buffer.from(bytes)]);
}
