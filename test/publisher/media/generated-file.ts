// Small media files of every admitted container, whose pictures carry their number and whose sound carries its time.
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { seeded } from '../../support/seeded.ts';

const run = promisify(execFile);
const words = (text: string): string[] => text.split(' ');

/** Everything that a file is made from. */
export interface Recipe {
  readonly container: string;
  /** Codec of the pictures with its options; null: none. */
  readonly pictures: string | null;
  /** The distance of keyframes, and how pictures refer to others. */
  readonly gop: string;
  readonly framesPerSecond: string;
  /** Codec of the sound with its options; null: none. */
  readonly sound: string | null;
  readonly clock: 'zero' | 'late' | 'wrapping' | 'cut' | 'pictures later' | 'sound later';
  /** Whether pictures are left out irregularly. */
  readonly isUneven: boolean;
  /** A track before the one that plays, which only the default disposition tells apart. */
  readonly decoy: 'none' | 'pictures' | 'sound';
  /** The seconds of parts that are joined one after the other. */
  readonly parts: readonly number[];
  /** Further options of ffmpeg. */
  readonly options: string;
}

export interface GeneratedFile extends AsyncDisposable {
  readonly path: string;
  /** ffmpeg's names of the tracks that play; null: there is none. */
  readonly pictures: string | null;
  readonly sound: string | null;
  readonly isJoined: boolean;
}

interface Container {
  readonly pictures: readonly string[];
  readonly sound: readonly string[];
  readonly clocks: readonly Recipe['clock'][];
  readonly canBeUneven?: boolean;
  readonly decoys?: readonly Recipe['decoy'][];
  readonly canBeJoined?: boolean;
  readonly options?: readonly string[];
}

const x264 = 'libx264 -preset ultrafast -pix_fmt yuv420p -crf 20';
const mpeg2 = 'mpeg2video -q:v 3';
const mpeg4 = 'mpeg4 -q:v 3';
const mjpeg = 'mjpeg -q:v 3 -pix_fmt yuvj420p';
const vp8 = 'libvpx -deadline realtime -cpu-used 8 -b:v 500k';
const vp9 = 'libvpx-vp9 -deadline realtime -cpu-used 8 -b:v 500k';
const [aac, mp2, mp3, opus, vorbis] = ['aac -b:a 96k', 'mp2', 'libmp3lame', 'libopus -b:a 96k', 'libvorbis'];
const offset = ['late', 'pictures later', 'sound later'] as const;
const boxes = ['', '', '-movflags +faststart', '-movflags +empty_moov+frag_keyframe+default_base_moof'];
const moving: Container = {
  pictures: [x264, x264, mpeg4],
  sound: [aac, aac, mp3],
  clocks: ['zero', 'cut', ...offset],
  canBeUneven: true,
  decoys: ['pictures', 'sound'],
  options: boxes,
};
const transport: Container = {
  pictures: [x264, x264, mpeg2],
  sound: [aac, mp2, 'ac3'],
  clocks: ['zero', 'wrapping', ...offset],
  canBeUneven: true,
  canBeJoined: true,
};
const soundAlone = (...sound: readonly string[]): Container => ({ pictures: [], sound, clocks: ['zero'] });

const containers: Readonly<Record<string, Container>> = {
  mp4: moving,
  mov: { ...moving, pictures: [...moving.pictures, mjpeg], sound: [aac, 'pcm_s16le'] },
  mkv: { ...moving, pictures: [x264, vp8, mpeg2], sound: [aac, opus, vorbis, mp3, 'flac', 'ac3'], options: [''] },
  webm: { ...moving, pictures: [vp8, vp9], sound: [opus, vorbis], decoys: [], options: ['', '-live 1'] },
  ts: transport,
  m2ts: { ...transport, sound: ['ac3', aac] },
  mpg: { ...transport, pictures: [mpeg2], sound: [mp2, 'ac3'], canBeUneven: false, options: ['-f vob'] },
  flv: { ...moving, pictures: [x264, 'flv1 -q:v 3'], decoys: [], options: ['', '-flvflags no_duration_filesize'] },
  avi: { pictures: [mpeg4, mjpeg], sound: [mp3, 'ac3', 'pcm_s16le', `${mp3} -q:a 6`], clocks: ['zero'] },
  wmv: { pictures: ['wmv2 -q:v 3'], sound: ['wmav2'], clocks: ['zero', 'late'] },
  ogv: { pictures: ['libtheora -q:v 7'], sound: [vorbis, opus], clocks: ['zero', 'late'], canBeJoined: false },
  mp3: { ...soundAlone(mp3, `${mp3} -q:a 5`, `${mp3} -write_xing 0`), canBeJoined: true },
  aac: { ...soundAlone(aac), canBeJoined: true },
  m4a: soundAlone(aac, 'alac'),
  wav: soundAlone('pcm_s16le', 'pcm_f32le'),
  flac: soundAlone('flac'),
  ogg: { ...soundAlone(vorbis, opus, 'flac'), canBeJoined: true },
  opus: { ...soundAlone(opus), canBeJoined: true },
};

const gops = {
  short: '-g 6',
  long: '-g 60 -keyint_min 60 -sc_threshold 1000000000',
  distant: '-g 1000 -keyint_min 1000 -sc_threshold 1000000000',
  /** Pictures before a keyframe refer to it, if the codec has such pictures. */
  open: '-g 24 -bf 2 -flags -cgop',
} as const;
const rates = ['10', '24', '25', '30', '30000/1001'];

/** Options for pictures without keyframes at changes of scene. x264 needs 0 for none, and others a high threshold. */
function gopOptions({ pictures, gop }: Recipe): string[] {
  return words(pictures?.startsWith('libx264') ? gop.replace(/(?<=-sc_threshold )\d+/u, '0') : gop);
}

/** The recipe of a seed. */
export function recipeOf(seed: number): Recipe {
  const random = seeded(seed * 7919 + 1);
  random();
  const any = <T>(values: readonly T[]): T => values[Math.floor(random() * values.length)]!;
  const [container, made] = any(Object.entries(containers));
  const pictures = made.pictures.length > 0 && random() > 0.05 ? any(made.pictures) : null;
  const sound = pictures !== null && random() < 0.1 ? null : any(made.sound);
  const isJoined = made.canBeJoined === true && random() < 0.4;
  const isStrict = /^(?:mpeg2video)/u.test(pictures ?? '');
  const clock = isJoined ? 'zero' : any(made.clocks);
  const isBoth = pictures !== null && sound !== null;
  return {
    container,
    pictures,
    gop: any(Object.values(gops).filter((gop) => gop !== gops.open || /^(?:libx264|mpeg[24])/u.test(pictures ?? ''))),
    framesPerSecond: any(isStrict ? rates.slice(1) : rates),
    sound,
    clock: (clock === 'pictures later' || clock === 'sound later') && !isBoth ? 'zero' : clock,
    isUneven: made.canBeUneven === true && !isStrict && random() < 0.25,
    decoy:
      isBoth && clock === 'zero' && random() < 0.3
        ? any(made.decoys?.length ? made.decoys : (['none'] as const))
        : 'none',
    parts: isJoined ? [2 + 2 * random(), 2 + 3 * random()] : [5 + 6 * random()],
    options: any(made.options ?? ['']),
  };
}

/** Cells of a picture, five beside each other in two rows. Each is a bit of the picture's number. */
export const cells = { columns: 5, rows: 2 } as const;
/** The pitch of the sound: at its beginning in Hz, and how much it rises in a second. */
export const chirp = { fromHz: 300, risesHz: 400 } as const;

/** Makes the file of a recipe. */
export async function generate(ffmpegPath: string, recipe: Recipe): Promise<GeneratedFile> {
  const folder = await mkdtemp(join(tmpdir(), 'generated-'));
  const path = join(folder, `file.${recipe.container}`);
  const make = (arguments_: readonly string[]) => run(ffmpegPath, ['-nostdin', '-v', 'error', '-y', ...arguments_]);
  try {
    const parts: string[] = [];
    let fromSeconds = 0;
    for (const [index, seconds] of recipe.parts.entries()) {
      const part = join(folder, `part-${index}.${recipe.container}`);
      await make([...argumentsOf(recipe, fromSeconds, seconds), part]);
      parts.push(part);
      fromSeconds += seconds;
    }
    if (recipe.clock === 'cut') await make(['-ss', '1.3', '-i', parts[0]!, '-map', '0', '-c', 'copy', path]);
    else await writeFile(path, Buffer.concat(await Promise.all(parts.map((part) => readFile(part)))));
  } catch (error) {
    await rm(folder, { recursive: true });
    throw error;
  }
  const isPicturesLater = recipe.decoy === 'pictures';
  return {
    path,
    pictures: recipe.pictures === null ? null : `0:v:${isPicturesLater ? 1 : 0}`,
    sound: recipe.sound === null ? null : `0:a:${recipe.decoy === 'sound' ? 1 : 0}`,
    isJoined: recipe.parts.length > 1,
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true }),
  };
}

/** When the clock of a file begins, in seconds. Clocks of transport streams have 33 bits of 1/90,000 s. */
const beginnings = { late: 37.4, wrapping: 2 ** 33 / 90_000 - 4.2 } as const;

function argumentsOf(recipe: Recipe, fromSeconds: number, seconds: number): string[] {
  const { pictures, sound, framesPerSecond, clock, isUneven, decoy, container } = recipe;
  const first = `floor(${fromSeconds}*${framesPerSecond}+0.5)`;
  const source = `nullsrc=s=${2 * cells.columns}x${2 * cells.rows}:r=${framesPerSecond}:d=${seconds},format=gray`;
  const number = `geq=lum='if(mod(floor((N+${first})/pow(2,floor(X/2)+${cells.columns}*floor(Y/2))),2),235,16)'`;
  const numbered = `${source},${number},scale=160:90:flags=neighbor,format=yuv420p`;
  const at = `(t+${fromSeconds})`;
  const wave = `0.5*sin(2*PI*(${chirp.fromHz}*${at}+${chirp.risesHz / 2}*${at}*${at}))`;
  const later = (track: Recipe['clock']) => (clock === track ? ['-itsoffset', '0.45'] : []);
  const inputs: string[][] = [];
  const maps: string[] = [];
  const add = (input: string[]) => {
    maps.push('-map', String(inputs.length));
    inputs.push(input);
  };
  const lavfi = (graph: string) => ['-f', 'lavfi', '-i', graph];
  if (decoy === 'pictures') add(lavfi(`color=black:s=160x90:r=${framesPerSecond}:d=${seconds}`));
  if (pictures) add([...later('pictures later'), ...lavfi(numbered)]);
  if (decoy === 'sound') add(lavfi(`sine=f=200:r=48000:d=${seconds}`));
  if (sound) add([...later('sound later'), ...lavfi(`aevalsrc='${wave}':s=48000:d=${seconds}`)]);
  const chosen = [
    ...(decoy === 'pictures' ? words('-disposition:v:0 0 -disposition:v:1 default') : []),
    ...(decoy === 'sound' ? words('-disposition:a:0 0 -disposition:a:1 default') : []),
  ];
  const uneven = isUneven ? ['-vf', "select='lt(mod(n,7),3)+eq(mod(n,7),5)'", '-fps_mode', 'vfr'] : [];
  const begins = clock === 'late' || clock === 'wrapping' ? ['-output_ts_offset', String(beginnings[clock])] : [];
  const chained =
    container === 'ogg' || container === 'opus' ? ['-serial_offset', String(Math.round(fromSeconds * 100))] : [];
  return [
    ...inputs.flat(),
    ...maps,
    ...(pictures ? ['-c:v', ...words(pictures), ...gopOptions(recipe), ...uneven] : []),
    ...(sound ? ['-c:a', ...words(sound), '-ac', '2'] : []),
    ...chosen,
    ...begins,
    ...chained,
    ...(recipe.options ? words(recipe.options) : []),
  ];
}
