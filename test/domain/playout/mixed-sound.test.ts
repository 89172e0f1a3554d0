// Mixed parts of a sound track and the videos above it: parts without gaps that depend only on both timelines.
import { describe, expect, it } from 'vitest';
import { samplesPerSoundFrame } from '../../../lambda/domain/playout/composed-sound.ts';
import { contentsOf } from '../../../lambda/domain/playout/composition-parts.ts';
import { withJoins, withPictureJoins } from '../../../lambda/domain/playout/item-joins.ts';
import {
  mixesSoundUnder,
  mixLeadGroups,
  mixPartAt,
  mixPartsWithin,
} from '../../../lambda/domain/playout/mixed-sound.ts';
import { occurrencesFrom } from '../../../lambda/domain/playout/play-out.ts';
import type { TimelineEntry, TimelineItem } from '../../../lambda/domain/playout/play-out.ts';
import { soundFramesOf, soundGridFrame } from '../../../lambda/domain/playout/prepared-play-out.ts';
import { withSoundUnder } from '../../../lambda/domain/playout/sound-under.ts';
import { framesPerSecond } from '../../../lambda/domain/shared/video-format.ts';

const under = { enabled: true, gainDB: -12, duck: false };

function itemOf(uploadID: string, durationSeconds: number, more: Partial<TimelineItem> = {}): TimelineItem {
  const kind = uploadID.startsWith('song') ? 'audio' : 'video';
  return {
    itemID: uploadID,
    uploadID,
    name: uploadID,
    objectKey: uploadID,
    kind,
    durationSeconds,
    hasAudio: true,
    ...more,
  };
}

function entriesOf(items: readonly TimelineItem[], mode: 'sequential' | 'shuffle' = 'sequential'): TimelineEntry[] {
  return [{ number: 0, offsetSeconds: 0, playlistID: null, snapshot: { mode, seed: 3, items } }];
}

function trackOf(video: readonly TimelineEntry[], audio: readonly TimelineEntry[], framerate = 'f_30' as const) {
  const all = [...video, ...audio].flatMap(({ snapshot }) => snapshot.items);
  const contentHashes = new Map(all.map(({ uploadID }) => [uploadID, uploadID]));
  const format = { quality: 'q_720p', framerate, videoCodec: 'h264' } as const;
  return { entries: audio, contentHashes, under: { pictures: { entries: video, contentHashes }, format } };
}

const songs = [itemOf('song0', 50.7), itemOf('song1', 21.34), itemOf('song2', 3.9)];
const films = [itemOf('film0', 7.31), itemOf('film1', 5.01), itemOf('film2', 33.3)];
const stretch = { startFrame: 0, frameCount: 600 * 30 };
const everything = (mode: 'sequential' | 'shuffle' = 'sequential') =>
  trackOf(entriesOf(withSoundUnder(films, under), mode), entriesOf(withJoins(songs, undefined, mode), mode));

describe.each(['sequential', 'shuffle'] as const)('a track under which videos are heard all the time, %s', (mode) => {
  it('is mixed without a gap, each part within one playing of a song', () => {
    const track = everything(mode);
    const mixes = mixPartsWithin(track, stretch, 30);
    let grid = 0;
    for (const { item, startFrame, frameCount } of occurrencesFrom(track.entries, 0, 30)) {
      if (startFrame >= stretch.frameCount) break;
      const groups = soundFramesOf({ startFrame, frameCount }, 30);
      expect(soundGridFrame(startFrame, 30)).toBe(grid);
      for (let first = 0; first < groups && mixes.length > 0; first += 1000) {
        const { part } = mixes.shift()!;
        const place = [part.rendition.contentHash, part.firstGroup, part.groupCount];
        expect(place).toEqual([item.uploadID, first, Math.min(1000, groups - first)]);
      }
      grid += groups;
    }
    expect(mixes).toEqual([]);
  });

  it('has each video where it is shown, to the sample', () => {
    const track = everything(mode);
    for (const { item, startFrame } of occurrencesFrom(track.entries, 0, 30).take(6)) {
      const occurrence = [...occurrencesFrom(track.entries, startFrame, 30).take(1)][0]!;
      const { part } = mixPartAt(track, occurrence, 0, 30)!;
      const base = soundGridFrame(startFrame, 30) * samplesPerSoundFrame;
      let at = Math.max(0, base - mixLeadGroups * samplesPerSoundFrame);
      for (const { sound, startSample, fromSample, sampleCount } of part.under!) {
        expect(base + fromSample).toBe(at);
        const frame = Math.floor((base + fromSample) / 1600);
        const shown = [...occurrencesFrom(track.under.pictures.entries, frame, 30).take(1)][0]!;
        expect([sound.item.source, startSample]).toEqual([shown.item.uploadID, at - shown.startFrame * 1600]);
        at += sampleCount;
      }
      expect(at).toBeGreaterThan(base + part.groupCount * samplesPerSoundFrame);
      expect(contentsOf(part)).toContain(item.uploadID);
    }
  });
});

it('is another mix where anything of it is heard otherwise, and the same one where nothing is', () => {
  const named = (video: readonly TimelineItem[], audio: readonly TimelineItem[] = songs) =>
    mixPartsWithin(trackOf(entriesOf(video), entriesOf(audio)), { startFrame: 0, frameCount: 30 }, 30)[0]!.name;
  const usual = named(withSoundUnder(films, under));
  const others = [
    named(withSoundUnder(films, { ...under, gainDB: -12.5 })),
    named(withSoundUnder(films, { ...under, duck: true })),
    named(withSoundUnder([films[1]!, films[0]!, films[2]!], under)),
    named(withPictureJoins(withSoundUnder(films, under), { kind: 'dip', seconds: 0.5 })),
    named(withSoundUnder(films, under), withJoins([itemOf('song0', 6), ...songs], { kind: 'fade', seconds: 2 })),
  ];
  expect(new Set([usual, ...others]).size).toBe(others.length + 1);
  expect(named(withSoundUnder([...films, itemOf('film3', 9)], under))).toBe(usual);
  // The key of an index has this limit.
  expect(usual.length).toBeLessThan(100);
});

it('is none where no video is heard, or all are too short', () => {
  const silent = [itemOf('film0', 60, { ownUnder: { ...under, enabled: false } })];
  const [quiet, audio] = [entriesOf(withSoundUnder(silent, under)), entriesOf(songs)];
  expect([mixesSoundUnder(quiet, audio), mixesSoundUnder(everything().under.pictures.entries, [])]).toEqual([
    false,
    false,
  ]);
  expect(mixPartsWithin(trackOf(quiet, audio), stretch, 30)).toEqual([]);
  const short = entriesOf(withSoundUnder([itemOf('film0', 4.9), itemOf('film1', 1)], under));
  expect(mixPartsWithin(trackOf(short, audio), stretch, 30)).toEqual([]);
});

it.each(['f_24', 'f_25', 'f_60'] as const)('has whole samples with %s', (framerate) => {
  const track = {
    ...everything(),
    under: { ...everything().under, format: { ...everything().under.format, framerate } },
  };
  const mixes = mixPartsWithin(track, { startFrame: 0, frameCount: 6000 }, framesPerSecond[framerate]);
  const counts = mixes.flatMap(({ part }) =>
    part.under!.flatMap(({ startSample, sampleCount }) => [startSample, sampleCount]),
  );
  expect(counts.every(Number.isInteger)).toBe(true);
  expect(mixes.length).toBeGreaterThan(4);
});
