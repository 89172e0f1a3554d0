// Files as recorders, cameras and broadcasts write them: the probe finds how to read them, and each time shows its own.
import { readFile } from 'node:fs/promises';
import { beforeAll, describe, expect, it } from 'vitest';
import { onlyLayer } from '../../../lambda/publisher/ffmpeg/layered-pictures.ts';
import { probeMedia } from '../../../lambda/publisher/media/probe.ts';
import type { MediaFacts } from '../../../lambda/publisher/media/probe.ts';
import { everyMediaTools, madeSample, writtenFile } from '../../support/media-samples.ts';
import { decodePictures, encodeItem, itemRequest, joinItems, profile, readSound } from '../ffmpeg/encoded-item.ts';
import type { Picture } from '../ffmpeg/encoded-item.ts';

const builds = await everyMediaTools();
const { tools } = builds[0]!;
const never = new AbortController().signal;
const words = (text: string): string[] => text.split(' ');
const unclaimed = { mimeType: null, type: null, fileSize: null };
const probe = (path: string, by = tools): Promise<MediaFacts> => probeMedia(by, path, unclaimed, never);

/** Ten pictures a second. The luma of picture n is 16 + 20 times its units on the left, and its tens on the right. */
const counting = (seconds: number, from = 0): string[] => {
  const luma = `16+20*if(lt(X,160),mod(N+${from},10),floor((N+${from})/10))`;
  return ['-f', 'lavfi', '-i', `nullsrc=s=320x180:r=10:d=${seconds},format=yuv420p,geq=lum='${luma}':cb=128:cr=128`];
};
/** A tone of 300 Hz that rises by 100 Hz with each second. */
const rising = (seconds: number, from = 0): string[] => {
  const hertz = `300+100*(floor(t)+${from})`;
  return ['-f', 'lavfi', '-i', `aevalsrc=0.3*sin(2*PI*t*(${hertz})):s=48000:d=${seconds}`];
};
/** Keyframes four seconds apart, as they are where a recorder's encoder has its defaults. */
const distant = words('-g 40 -keyint_min 40 -sc_threshold 0');
const h264 = [...words('-c:v libx264 -preset veryfast'), ...distant];
const mpeg2 = [...words('-c:v mpeg2video -r 25 -g 100 -sc_threshold 1000000000 -b:v 2M')];
const aac = words('-c:a aac -ac 2');
/** Without them, the padding of MP3 would move the pictures by one. */
const unpadded = words('-af asetpts=PTS+1105');

/** The number in a picture of `counting`. */
function numberIn(picture: Picture): number {
  const digit = (pixel: number): number => Math.abs(Math.round((picture[pixel]! - 16) / 20));
  return digit(4 * 16 + 12) * 10 + digit(4 * 16 + 3);
}

/** The numbers that are shown, and the pitches in Hz that are heard, from frames on. */
async function shownAndHeard(path: string, frames: readonly number[], { reading, hasAudio }: MediaFacts, by = tools) {
  const layers = [onlyLayer({ sourceURL: path, kind: 'video', ...(reading && { reading }) })];
  const numbers: number[] = [];
  const pitches: number[] = [];
  for (const startFrame of frames) {
    const request = { ...itemRequest(path, { startFrame, frameCount: 2 }), layers };
    const [first] = await decodePictures(by, joinItems([await encodeItem(by, request)]));
    numbers.push(numberIn(first!));
    if (hasAudio) pitches.push(pitchOf(await readSound(by, { ...request, frameCount: 6 }, reading)));
  }
  return { numbers, pitches };
}

/** The pitch of 0.2 s, rounded to 100 Hz, by the times at which the left channel rises from low to high. */
function pitchOf(samples: Int16Array): number {
  const left = samples.filter((_, index) => index % 2 === 0);
  let [isLow, rises] = [false, 0];
  for (const sample of left) {
    if (sample < -1000) isLow = true;
    else if (sample > 1000 && isLow) [isLow, rises] = [false, rises + 1];
  }
  return Math.round((rises * 48_000) / left.length / 100) * 100;
}

const due = (frames: readonly number[], hasAudio: boolean) => ({
  numbers: frames.map((frame) => Math.floor(frame / 3)),
  pitches: hasAudio ? frames.map((frame) => 300 + 100 * Math.floor(frame / profile.framesPerSecond)) : [],
});

/** Frames before, at and after the keyframes at 4 s and 8 s, and near the end of nine seconds. */
const starts = [4, 31, 91, 112, 121, 181, 211, 241, 262];

describe('a file with distant keyframes shows and sounds at each time what is due', { timeout: 120_000 }, () => {
  it.each([
    ['ts', [...h264, ...aac]],
    ['m2ts', [...h264, ...words('-c:a ac3')]],
    ['mp4', [...h264, ...aac]],
    ['mkv', [...h264, ...aac]],
    ['flv', [...h264, ...aac]],
    ['vob', [...mpeg2, ...words('-c:a mp2 -f vob')]],
    ['mpg', [...mpeg2, ...words('-c:a mp2')]],
    ['avi', [...words('-c:v mpeg4 -q:v 2 -g 40 -c:a ac3')]],
    // MP3 of a variable rate and of a constant one, as programs for copying discs wrote it.
    ['variable.avi', [...words('-c:v mpeg4 -q:v 2 -g 40 -c:a libmp3lame -q:a 6'), ...unpadded]],
    ['constant.avi', [...words('-c:v mpeg4 -q:v 2 -g 40 -c:a libmp3lame -b:a 96k'), ...unpadded]],
    ['wmv', [...words('-c:v wmv2 -q:v 2 -g 40 -c:a wmav2')]],
    // Its clock counts pictures.
    ['ogv', [...words('-c:v libtheora -q:v 7 -g 40 -c:a libvorbis')]],
  ])('in %s', async (extension, recipe) => {
    const path = await madeSample(`distant.${extension}`, [...counting(9), ...rising(9), ...recipe]);
    const facts = await probe(path);
    expect(facts.durationSeconds).toBeCloseTo(9, 0);
    expect(await shownAndHeard(path, starts, facts)).toEqual(due(starts, true));
  });
});

describe(
  'sound alone whose packets refer to earlier ones is heard at each time from its first sample on',
  { timeout: 60_000 },
  () => {
    it.each([
      ['MP3 of a variable rate', 'variable.mp3', 'libmp3lame -q:a 6'],
      ['MP3 of a constant rate', 'constant.mp3', 'libmp3lame -b:a 96k'],
      ['MP3 of a high rate', 'high.mp3', 'libmp3lame -b:a 320k'],
      ['MP3 without a header', 'bare.mp3', 'libmp3lame -b:a 96k -write_xing 0'],
      ['WMA', 'alone.wma', 'wmav2 -b:a 96k'],
    ])('%s', async (_codec, name, recipe) => {
      const path = await madeSample(name, [...rising(9), ...words(`-c:a ${recipe}`)]);
      const { reading } = await probe(path);
      const layers = [onlyLayer({ sourceURL: path, kind: 'video' })];
      for (const startFrame of starts) {
        const request = { ...itemRequest(path, { startFrame, frameCount: 6 }), layers };
        const samples = await readSound(tools, request, reading);
        // A period of the lowest tone is 160 samples of two channels.
        expect(Math.max(...samples.subarray(0, 400))).toBeGreaterThan(5000);
        expect(pitchOf(samples)).toBe(300 + 100 * Math.floor(startFrame / profile.framesPerSecond));
      }
    });
  },
);

describe('a file whose tracks do not begin or end together', { timeout: 60_000 }, () => {
  it.each(['flv', 'mkv', 'mp4'])('shows its late pictures from any time in %s', async (extension) => {
    const late = ['-itsoffset', '0.5', ...counting(9)];
    const path = await madeSample(`late-pictures.${extension}`, [...late, ...rising(9), ...h264, ...aac]);
    const { numbers } = await shownAndHeard(path, [3, 9, 31, 121], await probe(path));
    expect(numbers).toEqual([0, 0, 5, 35]);
  });

  it('lasts as long as its late sound, where only its last picture tells the length', async () => {
    const late = ['-itsoffset', '0.3', ...rising(6)];
    const options = words('-flvflags no_duration_filesize');
    const path = await madeSample('late-sound.flv', [...counting(6), ...late, ...h264, ...aac, ...options]);
    expect((await probe(path)).durationSeconds).toBeCloseTo(6.3, 1);
  });

  it('has no jump of its clock where pictures refer to much later ones', async () => {
    const uneven = words('-vf select=lt(mod(n\\,7)\\,3)+eq(mod(n\\,7)\\,5) -fps_mode vfr');
    const encoder = words('-c:v libx264 -preset ultrafast -g 24 -bf 2 -flags -cgop');
    const path = await madeSample('reordered.mkv', [...counting(8), ...rising(8), ...uneven, ...encoder, ...aac]);
    expect((await probe(path)).durationSeconds).toBeCloseTo(8, 1);
  });
});

describe('recordings that were joined one after the other play whole', { timeout: 120_000 }, () => {
  it.each([
    ['ts', [...h264, ...words('-c:a ac3')]],
    ['vob', [...mpeg2, ...words('-c:a mp2 -f vob')]],
  ])('in %s', async (extension, recipe) => {
    const parts = [
      await madeSample(`first.${extension}`, [...counting(4), ...rising(4), ...recipe]),
      await madeSample(`second.${extension}`, [...counting(4, 40), ...rising(4, 4), ...recipe]),
    ];
    const path = await writtenFile(
      `joined.${extension}`,
      Buffer.concat(await Promise.all(parts.map((part) => readFile(part)))),
    );
    const facts = await probe(path);
    expect(facts.durationSeconds).toBeCloseTo(8, 0);
    const frames = [4, 91, 136, 199, 226];
    expect(await shownAndHeard(path, frames, facts)).toEqual(due(frames, true));
  });

  it('in Ogg', async () => {
    const part = await madeSample('part.ogg', [...rising(2), ...words('-c:a libvorbis')]);
    const other = await madeSample('other.ogg', [...rising(2), ...words('-c:a libvorbis -serial_offset 9')]);
    const path = await writtenFile('joined.ogg', Buffer.concat([await readFile(part), await readFile(other)]));
    expect((await probe(path)).durationSeconds).toBeCloseTo(4, 1);
  });
});

describe('a file whose clock begins late has its own length', { timeout: 60_000 }, () => {
  it('in FLV from the middle of a live stream', async () => {
    const options = words('-f flv -flvflags no_duration_filesize -output_ts_offset 100');
    const path = await madeSample('late.flv', [...counting(5), ...rising(5), ...h264, ...aac, ...options]);
    const facts = await probe(path);
    expect(facts.durationSeconds).toBeCloseTo(5, 0);
    expect(await shownAndHeard(path, [4, 91, 136], facts)).toEqual(due([4, 91, 136], true));
  });

  it('in later segments of CMAF behind their header', async () => {
    const fragments = words('-movflags +empty_moov+default_base_moof+frag_keyframe');
    const whole = await madeSample('fragmented.mp4', [...counting(9), ...h264, ...fragments]);
    const path = await writtenFile('clip.mp4', withoutFirstFragment(await readFile(whole)));
    const facts = await probe(path);
    expect(facts.durationSeconds).toBeCloseTo(5, 0);
    expect((await shownAndHeard(path, [4, 91, 136], facts)).numbers).toEqual([41, 70, 85]);
  });
});

/** A fragmented MP4 without its first pair of `moof` and `mdat`. */
function withoutFirstFragment(bytes: Buffer): Buffer {
  const kept: Buffer[] = [];
  for (let at = 0, fragments = 0; at < bytes.length;) {
    const type = bytes.toString('latin1', at + 4, at + 8);
    const end = at + bytes.readUInt32BE(at);
    if (type === 'moof') fragments += 1;
    if (!['moof', 'mdat'].includes(type) || fragments > 1) kept.push(bytes.subarray(at, end));
    at = end;
  }
  return Buffer.concat(kept);
}

describe.each(builds)('with the $name build', { timeout: 60_000 }, ({ tools: by }) => {
  it('the tracks that a file calls default play', async () => {
    const colours = words('-f lavfi -i color=black:s=320x180:r=10:d=2 -f lavfi -i color=white:s=320x180:r=10:d=2');
    const tracks = words('-map 0 -map 1 -map 2 -map 3 -disposition:v:0 0 -disposition:v:1 default');
    const commentary = words('-disposition:a:0 comment -disposition:a:1 default');
    const path = await madeSample('default.mkv', [
      ...colours,
      ...rising(2, 9),
      ...rising(2),
      ...tracks,
      ...h264,
      ...words('-pix_fmt yuv420p'),
      ...aac,
      ...commentary,
    ]);
    const facts = await probe(path, by);
    expect(facts.reading).toEqual({ pictures: 1, sound: 3 });
    const { numbers, pitches } = await shownAndHeard(path, [3, 33], facts);
    // White is beyond all numbers.
    expect(Math.min(...numbers)).toBeGreaterThan(99);
    expect(pitches).toEqual([300, 400]);
  });

  it.each([
    ['ts', [...h264, ...aac]],
    ['vob', [...mpeg2, ...words('-c:a mp2 -f vob')]],
  ])('sound that begins later than the pictures stays later in %s', async (extension, recipe) => {
    const later = ['-itsoffset', '0.5', ...rising(8)];
    const path = await madeSample(`later.${extension}`, [...counting(9), ...later, ...recipe]);
    const facts = await probe(path, by);
    const frames = [31, 121, 211];
    const pitches = [300, 600, 900];
    expect(await shownAndHeard(path, frames, facts, by)).toEqual({ numbers: due(frames, false).numbers, pitches });
  });

  it('sound belongs to the programme of the pictures', async () => {
    const programmes = words('-map 0 -map 1 -map 2 -program title=a:st=1 -program title=b:st=0:st=2');
    const path = await madeSample('programmes.ts', [
      ...counting(2),
      ...rising(2, 9),
      ...rising(2),
      ...programmes,
      ...h264,
      ...aac,
    ]);
    const facts = await probe(path, by);
    expect((await shownAndHeard(path, [3, 33], facts)).pitches).toEqual([300, 400]);
  });

  it('a declared track of sound without a packet is none', async () => {
    const path = await madeSample('silent.mp4', [
      ...counting(2),
      ...rising(1),
      ...h264,
      ...aac,
      ...words('-af aselect=0 -movflags +empty_moov+frag_keyframe'),
    ]);
    const facts = { kind: 'video', hasAudio: false, audioCodec: null };
    // Its pictures are reordered, and it has fragments.
    expect(await probe(path, by)).toMatchObject({ ...facts, reading: { leadSeconds: 0.3 } });
  });

  it('times in whole milliseconds are no rate', async () => {
    const times = "settb=1/1000,setpts='if(eq(N,1),1,N*33+floor(random(1)*12))'";
    const made = await madeSample('made.webm', [
      ...words('-f lavfi -i color=red:s=320x180:r=30:d=4 -vf'),
      times,
      ...words(
        '-fps_mode passthrough -enc_time_base 1/1000 -c:v libvpx -deadline realtime -cpu-used 8 -live 1 -f webm',
      ),
    ]);
    const bytes = await readFile(made);
    // DefaultDuration becomes Void, as browsers write none (RFC 9559, 5.1.4.1.13).
    const at = bytes.indexOf(Buffer.from('23e38384', 'hex'));
    bytes.set([0xec, 0x86, 0, 0, 0, 0, 0, 0], at);
    const facts = await probe(await writtenFile('milliseconds.webm', bytes), by);
    expect(facts.framerate).toBeCloseTo(30, 0);
    expect(facts.decodeCost).toBeLessThan(0.1);
  });

  it('a picture may last ten seconds', async () => {
    const path = await madeSample('rare.mkv', [
      ...words('-f lavfi -i testsrc2=s=320x180:r=1/10:d=30,format=yuv420p'),
      ...words('-fps_mode vfr -c:v libx264 -preset ultrafast'),
    ]);
    expect((await probe(path, by)).framerate).toBe(0.1);
  });
});

describe('colours that a file does not state', { timeout: 60_000 }, () => {
  const colour = (size: string) =>
    words(`-f lavfi -i color=0xc83c3c:s=${size}:r=25:d=0.2,format=rgb24,scale=out_color_matrix=bt601:out_range=tv`);
  it.each([
    ['dv.avi', [...colour('720x576'), ...words('-pix_fmt yuv420p -c:v dvvideo')], 'smpte170m'],
    ['disc.mpg', [...colour('720x576'), ...words('-pix_fmt yuv420p -c:v mpeg2video -q:v 2')], 'smpte170m'],
    ['broadcast.mp4', [...colour('720x480'), ...words('-pix_fmt yuv420p -c:v libx264')], 'smpte170m'],
    ['high.mpg', [...colour('1920x1080'), ...words('-pix_fmt yuv420p -c:v mpeg2video -q:v 2')], undefined],
    ['small.mp4', [...colour('320x180'), ...words('-pix_fmt yuv420p -c:v libx264')], undefined],
  ])('are those of its definition: %s', async (name, recipe, matrix) => {
    expect((await probe(await madeSample(name, recipe))).reading?.matrix).toBe(matrix);
  });

  let luma: number;
  beforeAll(async () => {
    const path = await madeSample('dv.avi', [...colour('720x576'), ...words('-pix_fmt yuv420p -c:v dvvideo')]);
    const { reading } = await probe(path);
    const layers = [onlyLayer({ sourceURL: path, kind: 'video', ...(reading && { reading }) })];
    const [first] = await decodePictures(
      tools,
      joinItems([await encodeItem(tools, { ...itemRequest(path, { frameCount: 2 }), layers })]),
    );
    luma = first![4 * 16 + 8]!;
  });

  it('become those of BT.709', () => {
    // 16 + 219 × (0.2126 × 200 + 0.7152 × 60 + 0.0722 × 60) / 255
    expect(Math.abs(luma - 93)).toBeLessThanOrEqual(1);
  });
});
