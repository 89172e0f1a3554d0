// Tiny real media files, made by ffmpeg when a test first requests them, and a server to read them from.
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { chmod, mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { extname, join } from 'node:path';
import { promisify } from 'node:util';
import type { VideoCodec } from '../../lambda/domain/shared/video-format.ts';
import { chooseEncoder } from '../../lambda/publisher/media/choose-encoder.ts';
import { findMediaTools } from '../../lambda/publisher/media/media-tools.ts';
import type { MediaTools } from '../../lambda/publisher/media/media-tools.ts';

/** Settings of an encoder that every machine has. */
export const fastEncoder = { codec: 'libx264', preset: 'ultrafast' } as const;

const run = promisify(execFile);
const folder = join(tmpdir(), 'media-samples');

/** All installed builds of ffmpeg and ffprobe: that of the machine, and that of the optional npm packages. */
export async function everyMediaTools(): Promise<{ name: string; tools: MediaTools }[]> {
  const found = { name: 'found', tools: await findMediaTools(process.env) };
  const packaged = {
    ffmpegPath: packagedPath('@ffmpeg-binary', 'ffmpeg'),
    ffprobePath: packagedPath('@ffprobe-installer', 'ffprobe'),
  };
  if (packaged.ffmpegPath === null || packaged.ffprobePath === null) return [found];
  await chmod(packaged.ffprobePath, 0o755);
  return [found, { name: 'npm', tools: { ffmpegPath: packaged.ffmpegPath, ffprobePath: packaged.ffprobePath } }];
}

/** A build that can encode a codec into FLV, or null. The npm build is newer than those of many machines. */
export async function mediaToolsFor(videoCodec: VideoCodec): Promise<MediaTools | null> {
  for (const { tools } of (await everyMediaTools()).toReversed()) {
    const encoder = await chooseEncoder(tools, videoCodec, () => {}).catch(() => null);
    if (encoder) return tools;
  }
  return null;
}

function packagedPath(scope: string, program: string): string | null {
  try {
    const manifest = createRequire(import.meta.url).resolve(
      `${scope}/${process.platform}-${process.arch}/package.json`,
    );
    const path = join(manifest, '..', program);
    return existsSync(path) ? path : null;
  } catch {
    return null;
  }
}

/** The words of a text as arguments. */
const words = (text: string): string[] => text.split(' ');
const x264 = ['-c:v', 'libx264', '-preset', 'ultrafast'];
const h264 = [...x264, '-pix_fmt', 'yuv420p', '-g', '24'];
const aac = ['-c:a', 'aac', '-b:a', '96k'];
const vp9 = ['-c:v', 'libvpx-vp9', '-deadline', 'realtime', '-cpu-used', '8'];
const vp8 = ['-c:v', 'libvpx', '-deadline', 'realtime', '-cpu-used', '8'];
const x265 = ['-c:v', 'libx265', '-preset', 'ultrafast', '-pix_fmt', 'yuv420p10le', '-tag:v', 'hvc1'];
const bt2020 = (transfer: string): string[] =>
  words(`-color_primaries bt2020 -color_trc ${transfer} -colorspace bt2020nc`);

const lavfi = (graph: string): string[] => ['-f', 'lavfi', '-i', graph];
const picture = (size: string, rate: number | string, seconds: number): string[] =>
  lavfi(`testsrc2=s=${size}:r=${rate}:d=${seconds}`);
const tone = (seconds: number, rate = 48_000): string[] => lavfi(`sine=f=440:r=${rate}:d=${seconds}`);
const colour = (matrix: string): string[] => {
  const scale = `scale=out_color_matrix=${matrix}:out_range=tv`;
  return lavfi(`color=0xc83c3c:s=320x180:r=30:d=0.1,format=rgb24,${scale},format=yuv420p`);
};
/** Pictures in BT.2020. @param luma an expression of its 10-bit code */
const wideGamut = (luma: string, cb: number, cr: number, transfer: string): string[] => [
  ...lavfi(`nullsrc=s=320x180:r=30:d=0.1,format=yuv420p10le,geq=lum='${luma}':cb=${cb}:cr=${cr}`),
  ...x264,
  ...words('-qp 0'),
  ...bt2020(transfer),
];
/** Four greys side by side. */
const greys = (codes: readonly [number, number, number, number], transfer: string): string[] =>
  wideGamut(codes.map((code, index) => `eq(floor(X*4/W),${index})*${code}`).join('+'), 512, 512, transfer);

const titles = ['title=Night Drive', 'artist=日本 Band', 'album=Ünder'].flatMap((each) => ['-metadata', each]);

const recipes = {
  /** No sound. */
  'silent-24.mov': [...picture('1280x720', 24, 2), ...h264],
  'fast-60.mp4': [...picture('1920x1080', 60, 1), ...tone(1), ...h264, ...aac],
  'plain.mp4': [...picture('640x360', 30, 2), ...tone(2), ...h264, ...aac],
  'front-index.mp4': [...picture('640x360', 30, 8), ...tone(8), ...h264, ...aac, '-movflags', '+faststart'],
  'vp9.webm': [...picture('320x180', 25, 2), ...tone(2), ...vp9, '-c:a', 'libopus', '-g', '25'],
  '44100.mp4': [...picture('320x240', 25, 2), ...tone(2, 44_100), ...h264, ...aac, '-ac', '1'],
  'song.mp3': [...tone(3, 44_100), '-c:a', 'libmp3lame', '-b:a', '128k'],
  'song.wav': tone(2, 44_100),
  'song.w64': tone(2, 44_100),
  'song.flac': tone(2, 44_100),
  'song.m4a': [...tone(2), ...aac],
  'song.aac': [...tone(2), ...aac],
  'song.opus': [...tone(2), '-c:a', 'libopus'],
  'song.ogg': [...tone(2), '-c:a', 'libvorbis'],
  /** A picture as cover. */
  'cover.mp3': [
    ...tone(2),
    ...lavfi('color=red:s=64x64:d=0.04:r=25'),
    ...words('-map 0:a -map 1:v -c:a libmp3lame -c:v png'),
    ...words('-disposition:v attached_pic -id3v2_version 3'),
  ],
  /** Titles in its tags, and a picture as cover. */
  'tagged.mp3': [
    ...tone(2),
    ...lavfi('testsrc2=s=320x240:d=0.04:r=25'),
    ...words('-map 0:a -map 1:v -c:a libmp3lame -c:v mjpeg -disposition:v attached_pic -id3v2_version 3'),
    ...titles,
  ],
  'tagged.ogg': [...tone(2), '-c:a', 'libvorbis', ...titles],
  'tagged.flac': [...tone(2), ...titles],
  /** The audio track has a title of its own, which is not the film's title. */
  'tagged.mp4': [...picture('320x180', 30, 1), ...tone(1), ...h264, ...aac, ...titles, '-metadata:s:a', 'title=Stereo'],
  'still.png': [...lavfi('color=green:s=400x300:r=1:d=1'), '-frames:v', '1', '-pix_fmt', 'rgb24', '-update', '1'],
  'still.jpg': [...lavfi('testsrc2=s=300x400'), '-frames:v', '1', '-update', '1'],
  'still.webp': [...lavfi('testsrc2=s=300x200'), '-frames:v', '1', '-update', '1'],
  'animated.gif': [...picture('64x64', 10, 1)],
  'animated.webp': [...picture('64x64', 4, 1), ...words('-c:v libwebp_anim -loop 0')],
  /** White everywhere, and fully transparent. */
  'transparent.png': [...lavfi('color=white@0.0:s=160x90:r=1:d=1,format=rgba'), '-frames:v', '1', '-update', '1'],
  /** White on the left, black on the right. */
  'sideways.mp4': [
    ...lavfi('color=black:s=640x360:r=30:d=1,drawbox=w=320:c=white:t=fill'),
    ...tone(1),
    ...h264,
    ...aac,
  ],
  /** Widescreen of PAL: 720x576 samples of 64:45. */
  'anamorphic.mp4': [...picture('720x576', 25, 1), ...h264, '-vf', 'setsar=64/45'],
  'interlaced.ts': [
    ...picture('720x576', 50, 1),
    ...tone(1),
    ...words('-c:v mpeg2video -flags +ildct+ilme'),
    ...words('-vf interlace,setfield=tff -b:v 2M -c:a mp2'),
  ],
  /** Frames at 0, 0.1, 1.1, 1.2, 2.2 and so on. */
  'variable.mkv': [
    ...lavfi('testsrc2=s=320x180:r=10:d=4'),
    ...words("-vf select='not(mod(n,11))+eq(mod(n,11),1)' -fps_mode vfr"),
    ...h264,
  ],
  'ten-bit.mp4': [...picture('320x180', 30, 1), ...x264, '-pix_fmt', 'yuv420p10le'],
  'no-subsampling.mkv': [...picture('320x180', 30, 1), ...x264, '-pix_fmt', 'yuv444p'],
  /** PQ in BT.2020, with 10 bits. */
  'hdr.mkv': [...picture('320x180', 30, 1), ...x264, '-pix_fmt', 'yuv420p10le', ...bt2020('smpte2084')],
  /** HLG in HEVC and MP4, as phones film. */
  'hlg.mp4': [
    ...picture('320x180', 30, 1),
    ...tone(1),
    ...x265,
    ...words('-x265-params log-level=error'),
    ...bt2020('arib-std-b67'),
    ...aac,
  ],
  /**
   * Greys of 0.1, 20, 203 and 1000 cd/m², each 80 columns wide. The 10-bit codes are by SMPTE ST 2084 and BT.2100.
   */
  'greys-pq.mkv': greys([64 + 55, 64 + 313, 64 + 509, 64 + 659], 'smpte2084'),
  'greys-hlg.mkv': greys([64 + 33, 64 + 297, 64 + 657, 64 + 876], 'arib-std-b67'),
  /** Green of BT.709 with the light of 40 cd/m² white. */
  'green-pq.mkv': wideGamut('394', 439, 479, 'smpte2084'),
  'surround.mkv': [
    ...picture('320x180', 30, 1),
    ...lavfi('sine=f=440:r=96000:d=1,aformat=channel_layouts=5.1'),
    ...h264,
    ...words('-c:a pcm_s24le'),
  ],
  'telephone.mkv': [...picture('320x180', 30, 1), ...tone(1, 8000), ...h264, '-c:a', 'pcm_mulaw', '-ac', '1'],
  /** The pictures last a second longer than the sound. */
  'short-sound.mp4': [...picture('320x180', 30, 2), ...tone(1), ...h264, ...aac],
  'one-frame.mp4': [...picture('320x180', 30, 1), ...h264, '-frames:v', '1'],
  /** A file without duration and index, as browsers record it. */
  'recorded.webm': [...picture('320x180', 30, 6), ...tone(6), ...vp8, ...words('-c:a libopus -live 1 -f webm')],
  /**
   * 30 frames per second. The luma of frame n is 16 + 20 times its units on the left, and its tens on the right.
   */
  'counting.mp4': [
    ...lavfi(
      "nullsrc=s=320x180:r=30:d=2,format=yuv420p,geq=lum='16+20*if(lt(X,160),mod(N,10),floor(N/10))':cb=128:cr=128",
    ),
    ...h264,
  ],
  /** The colour (200, 60, 60) everywhere. `untagged`: BT.709 without a tag; `tagged`: BT.601 with its tag. */
  'untagged-colour.mp4': [...colour('bt709'), ...h264],
  'tagged-colour.mp4': [...colour('bt601'), ...h264, '-bsf:v', 'h264_metadata=matrix_coefficients=6'],
  /** One picture with a longer sound, as music is uploaded to video sites. */
  'one-picture.mp4': [...picture('320x180', 30, 1), ...tone(3), ...h264, ...aac, '-vf', 'trim=end_frame=1'],
  'slides.mp4': [...picture('320x180', 1, 3), ...tone(3), ...h264, ...aac],
  /** Pictures in another decoding than display order, open GOPs, and an odd size. */
  'reordered.mkv': [
    ...picture('321x181', 30, 2),
    ...tone(2, 22_050),
    ...words('-c:v libx264 -preset veryfast -bf 3 -g 12'),
    ...words('-x264-params open-gop=1:b-pyramid=normal -pix_fmt yuv444p'),
    ...words('-c:a libmp3lame -ac 1'),
  ],
  /** The pictures begin half a second after the sound, by the edit list. */
  'delayed.mp4': ['-itsoffset', '0.5', ...picture('320x180', 30, 1), ...tone(2), ...h264, ...aac],
  'studio.wav': [...lavfi('sine=f=440:r=96000:d=2,aformat=channel_layouts=5.1'), '-c:a', 'pcm_s24le'],
  'telephone.wav': [...tone(2, 8000), '-c:a', 'pcm_mulaw', '-ac', '1'],
  'long-sound.mp4': [...picture('320x180', 30, 1), ...tone(4), ...h264, ...aac],
  /** The sound begins half a second after the pictures. */
  'late-sound.mkv': [...picture('320x180', 30, 2), '-itsoffset', '0.5', ...tone(1), ...h264, '-c:a', 'pcm_s16le'],
  /** Silence, and a loud tone from exactly 1 s on. */
  'clap.mp4': [
    ...picture('320x180', 30, 2),
    ...lavfi('aevalsrc=gte(t\\,1)*sin(t*3000)*0.9:s=48000:d=2'),
    ...h264,
    ...aac,
    ...words('-b:a 256k'),
  ],
} satisfies Record<string, readonly string[]>;

export type SampleName = keyof typeof recipes;

const making = new Map<SampleName, Promise<string>>();

/** Makes a sample, unless the temporary folder has it under the hash of its recipe. @returns its path */
export function mediaSample(name: SampleName): Promise<string> {
  let path = making.get(name);
  if (!path) making.set(name, (path = make(name)));
  return path;
}

const make = (name: SampleName): Promise<string> => madeSample(name, recipes[name]);

/** Makes a file by the ffmpeg arguments that precede its name, unless the temporary folder has it. */
export async function madeSample(name: string, recipe: readonly string[]): Promise<string> {
  const path = derivedPath(name, recipe.join('\n'));
  if (existsSync(path)) return path;
  const { tools } = (await everyMediaTools())[0]!;
  await writeOnce(path, (file) => run(tools.ffmpegPath, ['-nostdin', '-loglevel', 'error', '-y', ...recipe, file]));
  return path;
}

/**
 * Makes a file as a phone in upright position films it: the pictures of `sideways.mp4`, with a rotation by 90 degrees
 * in its metadata.
 */
export function uprightSample(): Promise<string> {
  return changedSample('sideways.mp4', 'upright.mp4', (bytes) => {
    // In the matrix of the track header, a, b, c and d turn the picture (ISO/IEC 14496-12, 8.3.2).
    const matrix = bytes.indexOf('tkhd') + 44;
    [0, 0x10000, 0, -0x10000, 0].forEach((value, index) => bytes.writeInt32BE(value, matrix + index * 4));
    return bytes;
  });
}

/** Makes a sample that was cut without encoding: its edit list begins in the middle of a GOP. */
export async function trimmedSample(): Promise<string> {
  const source = await mediaSample('plain.mp4');
  const path = derivedPath('trimmed.mp4', source);
  const { tools } = (await everyMediaTools())[0]!;
  if (!existsSync(path))
    await writeOnce(path, (file) =>
      run(tools.ffmpegPath, ['-nostdin', '-loglevel', 'error', '-y', '-ss', '0.5', '-i', source, '-c', 'copy', file]),
    );
  return path;
}

/** Makes a changed copy of a sample. @returns its path */
export async function changedSample(
  name: SampleName,
  fileName: string,
  change: (bytes: Buffer) => Buffer,
): Promise<string> {
  const source = await mediaSample(name);
  const path = derivedPath(fileName, source + change.toString());
  if (!existsSync(path)) {
    const bytes = change(await readFile(source));
    await writeOnce(path, (file) => writeFile(file, bytes));
  }
  return path;
}

/** Makes a file with a name and a content. @returns its path */
export async function writtenFile(fileName: string, content: string | Buffer): Promise<string> {
  const path = derivedPath(fileName, content);
  await writeOnce(path, (file) => writeFile(file, content));
  return path;
}

export interface SampleServer extends AsyncDisposable {
  /** The signed address of a file. */
  readonly urlOf: (path: string) => string;
}

/** The secret in every address of a sample server. */
export const urlSignature = 'signature-that-nobody-may-see';

/**
 * Serves files by path, also ranges of them, as an object store does.
 * @param refuse the status to answer with instead, by the number of requests so far
 * @param cutAfterBytes number of bytes of an answer after which the connection is cut
 */
export async function serveSamples({
  refuse,
  cutAfterBytes,
}: { refuse?: (request: number) => number | null; cutAfterBytes?: number } = {}): Promise<SampleServer> {
  let requests = 0;
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const status = refuse?.(requests++) ?? null;
    if (status !== null) return void response.writeHead(status).end();
    const bytes = await readFile(decodeURIComponent(new URL(request.url!, 'http://localhost').pathname.slice(1)));
    const range = /^bytes=(\d+)-(\d*)$/u.exec(request.headers.range ?? '');
    const start = Number(range?.[1] ?? 0);
    if (start >= bytes.length)
      return void response.writeHead(416, { 'Content-Range': `bytes */${bytes.length}` }).end();
    const end = Math.min(Number(range?.[2] || bytes.length - 1), bytes.length - 1);
    response.writeHead(range ? 206 : 200, {
      'Content-Length': end - start + 1,
      'Accept-Ranges': 'bytes',
      ...(range && { 'Content-Range': `bytes ${start}-${end}/${bytes.length}` }),
    });
    if (cutAfterBytes === undefined || end - start < cutAfterBytes)
      return void response.end(bytes.subarray(start, end + 1));
    response.write(bytes.subarray(start, start + cutAfterBytes), () => response.destroy());
  };
  const server = createServer((request, response) => void answer(request, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the sample server has no port');
  return {
    urlOf: (path) => `http://127.0.0.1:${address.port}/${encodeURIComponent(path)}?X-Amz-Signature=${urlSignature}`,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function derivedPath(fileName: string, recipe: string | Buffer): string {
  const hash = createHash('sha256').update(recipe).digest('hex').slice(0, 12);
  return join(folder, `${hash}-${fileName}`);
}

/** Writes a file that appears whole or not at all, because parallel test files may want the same one. */
async function writeOnce(path: string, write: (file: string) => Promise<unknown>): Promise<void> {
  await mkdir(folder, { recursive: true });
  const extension = extname(path);
  const part = `${path.slice(0, -extension.length)}.${process.pid}${extension}`;
  await write(part);
  await rename(part, path);
}
