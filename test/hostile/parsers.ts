// Parsers of bytes that strangers send. A new one is one more entry here; the census fails if one is missing.
import { parseCaptions, CaptionsError } from '../../lambda/domain/playout/captions.ts';
import { parsePublishURL, splitPublishURL } from '../../lambda/domain/destinations/publish-url.ts';
import { readAlertTarget } from '../../lambda/domain/notices/alert-target.ts';
import { confirmationLink } from '../../lambda/domain/sources/share-link.ts';
import { s3Place } from '../../lambda/domain/sources/source-url.ts';
import { declaredName, declaredType } from '../../lambda/imports/answer-facts.ts';
import { splitAnnexB } from '../../lambda/live/annex-b-tags.ts';
import { splitAggregate } from '../../lambda/live/contributed-messages.ts';
import { listenerLimits } from '../../lambda/live/listener-limits.ts';
import { ProxyHeaderError, readProxyHeader } from '../../lambda/live/proxy-header.ts';
import { readCallerHandshake } from '../../lambda/live/srt-handshake.ts';
import { parseStreamID } from '../../lambda/live/stream-id.ts';
import { TsDemuxer } from '../../lambda/live/ts-demuxer.ts';
import { readOrientation } from '../../lambda/publisher/media/orientation.ts';
import { decodeAmf0, encodeAmf0 } from '../../lambda/publisher/rtmp/amf0.ts';
import { ChunkReader } from '../../lambda/publisher/rtmp/chunk-reader.ts';
import { ChunkWriter } from '../../lambda/publisher/rtmp/chunk-writer.ts';
import { commandMessage, readCommand } from '../../lambda/publisher/rtmp/command.ts';
import { Handshake, handshakeRandomBytes } from '../../lambda/publisher/rtmp/handshake.ts';
import { fromDestination } from '../../lambda/publisher/rtmp/inbound-limits.ts';
import type { InboundLimits } from '../../lambda/publisher/rtmp/inbound-limits.ts';
import { messageType } from '../../lambda/publisher/rtmp/message.ts';
import { RtmpProtocolError } from '../../lambda/publisher/rtmp/protocol-error.ts';
import { conclusion, induction, readHandshake } from '../../lambda/publisher/srt/handshake.ts';
import { parseKeyMaterial, unwrapKeys, writeKeyMaterial } from '../../lambda/publisher/srt/key-material.ts';
import { controlPacket, readControlPacket, readLosses } from '../../lambda/publisher/srt/packet.ts';
import { packetize, pesPacket } from '../../lambda/publisher/transport-stream/packets.ts';
import { readAdtsHeader } from '../../lambda/publisher/transport-stream/adts.ts';
import { audioPid, ProgramTables, videoPid } from '../../lambda/publisher/transport-stream/program-tables.ts';
import { readTraceparent } from '../../lambda/telemetry/trace-context.ts';
import { exifOf, inPng, inWebP } from '../support/oriented-images.ts';

export interface Parser {
  /** Exported functions of the product that this entry calls, for the census. */
  readonly covers: readonly string[];
  readonly read: (bytes: Buffer) => unknown;
  /** Inputs that it reads, to be changed. */
  readonly samples: readonly (string | Buffer)[];
  /** The most bytes that the product gives it. */
  readonly mostBytes: number;
  /** Errors of a refusal; any other error is a fault. */
  readonly refuses?: readonly (new (...given: never[]) => Error)[];
}

const kib = 1024;
const text = (read: (input: string) => unknown) => (bytes: Buffer) => read(bytes.toString());
const answer = commandMessage(0, '_result', 1, { fmsVer: 'FMS/3,0,1,123' }, { level: 'status', code: 'OK' });
const readChunks = (limits: InboundLimits, bytes: Buffer) =>
  new ChunkReader(limits).read(bytes, limits.rates?.messagesPerSecond);
const times = { pts: 900_000, dts: 896_400 };
const noClock = { clock: null, isRandomAccess: false };
const picture = Buffer.from('0000000167640020ac00000168ee3cb0000001658884', 'hex');
const sound = Buffer.from('fff14c8001bffc2110048000', 'hex');
const transportStream = Buffer.concat([
  new ProgramTables('h264').packets(),
  packetize({ pid: videoPid, next: 0 }, pesPacket('video', times, [picture]), noClock),
  packetize({ pid: audioPid, next: 0 }, pesPacket('audio', times, [sound]), noClock),
]);
const page = 'https://drive.example/uc';

/** The orientation of a whole file. @throws {Error} if it takes more ranges than the product may ask for */
function orientationOf(bytes: Buffer): number | null {
  const reading = readOrientation();
  let asked = reading.next();
  for (let ranges = 0; ranges < 70; ranges++) {
    if (asked.done) return asked.value;
    const { start, length } = asked.value;
    asked = reading.next(bytes.subarray(start, start + length));
  }
  throw new Error('the file takes too many ranges');
}

export const parsers: Readonly<Record<string, Parser>> = {
  'RTMP handshake': {
    covers: [],
    read: (bytes) => Handshake.asClient(Buffer.alloc(handshakeRandomBytes, 7)).receive(bytes),
    samples: [Buffer.concat([Buffer.of(3), Buffer.alloc(2 * 1536, 9)])],
    mostBytes: 64 * kib,
    refuses: [RtmpProtocolError],
  },
  'RTMP chunks': {
    covers: [],
    read: (bytes) => new ChunkReader(fromDestination).read(bytes),
    samples: [new ChunkWriter().write([answer, answer])],
    mostBytes: 64 * kib,
    refuses: [RtmpProtocolError],
  },
  'RTMP handshakes of contributors': {
    covers: [],
    read: (bytes) => Handshake.asServer(Buffer.alloc(handshakeRandomBytes, 7)).receive(bytes),
    samples: [Buffer.concat([Buffer.of(3), Buffer.alloc(2 * 1536, 9)])],
    mostBytes: listenerLimits.mostBytesBeforeKey,
    refuses: [RtmpProtocolError],
  },
  'RTMP chunks of contributors': {
    covers: [],
    read: (bytes) => [listenerLimits.beforeKey, listenerLimits.afterKey].map((limits) => readChunks(limits, bytes)),
    samples: [new ChunkWriter().write([commandMessage(0, 'connect', 1, { app: 'live' }), answer])],
    mostBytes: listenerLimits.mostBytesBeforeKey,
    refuses: [RtmpProtocolError],
  },
  'aggregate messages of contributors': {
    covers: ['splitAggregate'],
    read: (bytes) => splitAggregate(bytes, 1000, listenerLimits.mostMessagesPerAggregate),
    samples: [Buffer.from('0900000200000500000000170100000000d0800000100000600000000af0000000c', 'hex')],
    mostBytes: 64 * kib,
    refuses: [RtmpProtocolError],
  },
  'PROXY headers': {
    covers: ['readProxyHeader'],
    read: readProxyHeader,
    samples: [
      Buffer.from('0d0a0d0a000d0a515549540a2111000ccb007105c6336402c35e078f', 'hex'),
      Buffer.from(`0d0a0d0a000d0a515549540a21210028${'20010db8'.repeat(8)}c35e078f04000100`, 'hex'),
      Buffer.from('0d0a0d0a000d0a515549540a20000000', 'hex'),
    ],
    mostBytes: 2 * kib,
    refuses: [ProxyHeaderError],
  },
  'RTMP commands': {
    covers: ['decodeAmf0', 'readCommand'],
    read: (payload) => [decodeAmf0(payload), readCommand({ ...answer, type: messageType.commandAmf3, payload })],
    samples: [answer.payload, encodeAmf0([new Map([['width', 1280]]), ['a', null, undefined, true, 1.5]])],
    mostBytes: fromDestination.maxMessageBytes,
    refuses: [RtmpProtocolError],
  },
  'SRT handshakes': {
    covers: ['readHandshake'],
    read: readHandshake,
    samples: [conclusion({ socketID: 1, firstSequence: 2, streamID: '#!::r=a', latencyMs: 120 }, 3, null, 16)],
    mostBytes: 1500,
  },
  'SRT packets': {
    covers: ['readControlPacket', 'readLosses'],
    read: (datagram) => {
      const packet = readControlPacket(datagram);
      return packet && readLosses(packet.payload, 1000);
    },
    samples: [controlPacket(3, { info: 0, destinationID: 1, timestampUs: 5 }, Buffer.alloc(16, 1))],
    mostBytes: 1500,
  },
  'SRT keys of contributors': {
    covers: ['parseKeyMaterial'],
    read: (bytes) => {
      const material = parseKeyMaterial(bytes);
      return material && unwrapKeys(material, Buffer.alloc(material.keyBytes, 3));
    },
    samples: [16, 32].map((bytes) =>
      writeKeyMaterial(Buffer.alloc(bytes, 1), Buffer.alloc(16, 2), Buffer.alloc(bytes, 3)),
    ),
    mostBytes: 1500,
  },
  'SRT handshakes of contributors': {
    covers: ['readCallerHandshake', 'parseStreamID'],
    read: (bytes) => {
      const request = readCallerHandshake(bytes);
      return request?.kind === 'conclusion' ? parseStreamID(request.streamID) : parseStreamID(bytes.toString());
    },
    samples: [
      induction({ socketID: 1, firstSequence: 2, streamID: null, latencyMs: 120 }),
      conclusion({ socketID: 1, firstSequence: 2, streamID: '#!::r=a,m=publish', latencyMs: 120 }, 3, null, 16),
    ],
    mostBytes: 1500,
  },
  'transport streams of contributors': {
    covers: ['splitAnnexB', 'readAdtsHeader'],
    read: (bytes) => {
      const demuxer = new TsDemuxer(() => {});
      demuxer.write(bytes);
      demuxer.end();
      return [splitAnnexB(bytes, 4096), bytes.length >= 7 && readAdtsHeader(bytes)];
    },
    samples: [transportStream, Buffer.from('00000001674d401e00000168ee3c8000000165b8', 'hex')],
    mostBytes: 64 * kib,
  },
  captions: {
    covers: ['parseCaptions'],
    read: text(parseCaptions),
    samples: [
      'WEBVTT\n\nNOTE x\n\n00:01.000 --> 00:02.000 line:1\n<b>Hi</b>\n',
      '1\n00:00:01,000 --> 00:00:02,000\nHello\nyou\n\n2\n00:00:02,000 --> 00:00:03,000\n{\\an8}Yes\n',
    ],
    mostBytes: 300_000,
    refuses: [CaptionsError],
  },
  'addresses of destinations': {
    covers: ['parsePublishURL', 'splitPublishURL', 'parseRtmpURL', 'parseSrtURL', 'parseHlsURL', 'splitHlsURL'],
    read: text((url) => [parsePublishURL(url), splitPublishURL(url)]),
    samples: [
      'rtmps://a.example:443/app/inst?x=1#y',
      'srt://[::1]:9000?streamid=%23!::r=x&passphrase=longenough&latency=200',
      'https://upload.example/http_upload_hls?cid=key&copy=0&file=out.m3u8',
    ],
    mostBytes: 4 * kib,
  },
  'targets of alerts': {
    covers: ['readAlertTarget'],
    read: text((target) => [
      readAlertTarget('telegram', target, { allowPrivateAddresses: false }),
      readAlertTarget('slack', target, { allowPrivateAddresses: false }),
    ]),
    samples: [`123456:${'a'.repeat(35)}/-100123`, 'https://hooks.slack.com/services/T0/B0/x'],
    mostBytes: 4 * kib,
  },
  'pages of shared links': {
    covers: [],
    read: text((html) => confirmationLink(html, new URL(page))),
    samples: [
      `<form id="download-form" action="${page}" method="get"><input type="hidden" name="id" value="1"></form>`,
    ],
    mostBytes: 256 * kib,
  },
  'addresses of sources': {
    covers: [],
    read: text(s3Place),
    samples: ['https://s3.eu-west-1.amazonaws.com/bucket/prefix/', 'https://minio.example:9000/b/p?region=x'],
    mostBytes: 4 * kib,
  },
  'headers of imports': {
    covers: [],
    read: (bytes) => {
      const header = bytes.toString('latin1');
      return [
        declaredType({ 'content-type': header }),
        declaredName({ 'content-disposition': header }, new URL('https://a.example/x%20y.mp4')),
      ];
    },
    samples: ['video/mp4; charset=utf-8', `attachment; filename="a b.mp4"; filename*=UTF-8''%e2%82%ac.mp4`],
    mostBytes: 16 * kib,
  },
  'orientations of photos': {
    covers: ['readOrientation'],
    read: orientationOf,
    samples: [
      exifOf(6, true),
      inPng(Buffer.from('\x89PNG\r\n\x1a\n'.padEnd(33, '\0'), 'latin1'), 6),
      inWebP(Buffer.from('RIFF\x14\0\0\0WEBPVP8 \x08\0\0\0picture.', 'latin1'), { width: 4, height: 4 }, 6, true),
      Buffer.from(`\x89PNG\r\n\x1a\n${'\0\0\0\0tEXt\0\0\0\0'.repeat(1000)}`, 'latin1'),
    ],
    mostBytes: 64 * kib,
  },
  traceparent: {
    covers: ['readTraceparent'],
    read: text(readTraceparent),
    samples: [`00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`],
    mostBytes: 16 * kib,
  },
};

/** Other functions with such a name, and the reason why the suite does not feed them. */
export const notFed: Readonly<Record<string, string>> = {
  decodeCost: 'computes a number from numbers',
  readAll: 'reads what our own ffmpeg writes',
  readBack: 'asks a platform by its client, whose answers have schemas',
  readBacks: 'SQL',
  readBody: 'fed with any body by test/surfaces/hostile-bodies.test.ts',
  readBounded: 'fed with any body by test/surfaces/hostile-bodies.test.ts',
  readEventTime: 'reads a date after the signature of the event',
  readFlvTags: 'reads what our own ffmpeg writes; fed by test/publisher/ffmpeg/flv-reader.test.ts',
  readGpuFigures: 'reads what nvidia-smi writes',
  readJSON: 'fed with any body by test/surfaces/hostile-bodies.test.ts',
  readLayer: 'builds arguments from a composition of ours',
  readOrigin: 'reads a parameter of the stage',
  readOxapayEvent: 'reads after the signature; fed by test/ports/payments',
  readPackets: 'reads what ffprobe writes about a file, in a process with bounds',
  readParameter: 'reads a parameter of the stage',
  readPictureSize: 'reads what ffprobe writes about a header of pictures, in a process with bounds',
  readPlatformClients: 'reads a secret of the stage',
  readRanges: 'passes bytes to its caller without reading them',
  readQuery: 'fed with any document by test/surfaces/graphql/any-document.test.ts',
  readQueueURLs: 'reads the environment',
  readResource: 'reads an operation by a validated id',
  readSecret: 'reads a secret of the stage',
  readSegmentHeader: 'reads segments of ours; fed by test/publisher/prepared/segment-format.test.ts',
  readSettings: 'reads the environment',
  readSource: 'streams bytes on without reading them',
  readSourceHead: 'compares the first bytes of a file with constants',
  readStripeEvent: 'reads after the signature; fed by test/ports/payments',
  readStructure: 'reads what ffprobe writes about a file, in a process with bounds',
  readTwitchEvent: 'reads after the signature; fed by test/ports/managed-platforms',
  readUnacknowledged: 'reads tables of the kernel',
  readVideoTag: 'reads what our own ffmpeg writes; fed by test/publisher/ffmpeg/video-tag.test.ts',
};
