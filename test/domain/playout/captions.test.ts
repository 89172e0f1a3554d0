// Captions are read as their authors meant them, and broken ones are refused with their line.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  afterCues,
  captionBounds,
  CaptionsError,
  parseCaptions,
  shownCaptions,
} from '../../../lambda/domain/playout/captions.ts';

const cue = (text: string) => `1\n00:00:01,000 --> 00:00:02,500\n${text}\n`;

describe('files of captions', () => {
  it('are read as SubRip, with a mark of UTF-8 and line ends of Windows', () => {
    const first = '\ufeff1\r\n00:00:01,000 --> 00:00:02,500\r\n<i>Guten</i> {\\an8}Tag\r\n你好 🎈';
    const file = `${first}\r\n\r\n2\r\n01:00:00,000 --> 01:00:01,000\r\nمرحبا`;
    expect(parseCaptions(file)).toEqual([
      { fromMs: 1000, toMs: 2500, lines: ['Guten Tag', '你好 🎈'] },
      { fromMs: 3_600_000, toMs: 3_601_000, lines: ['مرحبا'] },
    ]);
  });

  it('are read as WebVTT, without what says how and where', () => {
    const file =
      'WEBVTT a title\nKind: captions\n\nNOTE of mine\n\nSTYLE\n::cue { color: red }\n\n' +
      'last\n00:09.000 --> 00:10.000 line:0\n<v Ada>1 &lt; 2 &amp; 3 > 2\n\n00:01.000 --> 00:02.000\n<00:01.500>First';
    expect(parseCaptions(file)).toEqual([
      { fromMs: 1000, toMs: 2000, lines: ['First'] },
      { fromMs: 9000, toMs: 10_000, lines: ['1 < 2 & 3 > 2'] },
    ]);
  });

  it.each([
    ['', /no captions/],
    ['WEBVTT\n', /no captions/],
    [cue('<b></b>'), /no captions/],
    ['<html>\n<body>', /^Line 2: times were expected/],
    ['1', /^Line 1: times were expected/],
    [`${cue('a')}\n2\n00:00:61,000 --> 00:01:02,000\nb`, /^Line 6: times were expected/],
    ['1\n00:00:02,000 --> 00:00:01,000\na', /^Line 2: the caption ends before it begins/],
    [cue('a\n'.repeat(captionBounds.lines + 1).trim()), /^Line 2: the caption has more than 4 lines/],
    ['é'.repeat(captionBounds.bytes / 2 + 1), /more than 300000 bytes/],
    ['00:01.000 --> 00:02.000\na\n\n'.repeat(captionBounds.cues + 1), /^Line 30001: there are more than 10000/],
    ['00:09.500 --> 00:12.000\na\n\n'.repeat(captionBounds.densest.cues + 1), /^From 9 seconds on, more than 60/],
  ])('are refused with a sentence: %#', (file, sentence) => {
    expect(() => parseCaptions(file)).toThrow(sentence);
  });

  it('never break the reader, and give bounded cues in their order', () => {
    const piece = fc.constantFrom(
      'WEBVTT',
      '\n',
      '\r\n',
      '1',
      '00:01.000',
      ' --> ',
      '99:00:02,000',
      '<',
      'b>',
      '{\\',
      '}',
    );
    const file = fc.array(fc.oneof(piece, fc.string({ unit: 'binary' })), { maxLength: 60 }).map((all) => all.join(''));
    fc.assert(
      fc.property(file, (text) => {
        try {
          const cues = parseCaptions(text);
          expect(cues.map(({ fromMs }) => fromMs)).toEqual(cues.map(({ fromMs }) => fromMs).toSorted((a, b) => a - b));
          expect(cues.every(({ fromMs, toMs, lines }) => fromMs < toMs && lines.length > 0)).toBe(true);
        } catch (error) {
          expect(error).toBeInstanceOf(CaptionsError);
        }
      }),
    );
  });

  it('are shortened where a line is longer than anybody reads, with signs of tags that never end', () => {
    const open = '<a'.repeat(captionBounds.bytes / 2 - 100);
    expect(parseCaptions(cue(open))[0]!.lines[0]).toHaveLength(200);
  });
});

describe('what is shown', () => {
  const cueOf = (from: string, to: string, text: string) => `00:${from}.000 --> 00:${to}.000\n${text}\n\n`;
  const file = cueOf('01', '05', 'one') + cueOf('03', '08', 'two') + cueOf('10', '12', 'three');
  const shown = (fromMs: number, toMs: number, text = file) =>
    shownCaptions(parseCaptions(text), { fromMs, toMs }).map((each) => [each.fromMs, each.toMs, each.lines.join(' ')]);

  it('at once is together, and each for its own time', () => {
    expect(shown(0, 20_000)).toEqual([
      [1000, 3000, 'one'],
      [3000, 5000, 'one two'],
      [5000, 8000, 'two'],
      [10_000, 12_000, 'three'],
    ]);
  });

  it('in a stretch begins and ends where it does in the whole, so that stretches fit', () => {
    expect(shown(4000, 6000)).toEqual([
      [3000, 5000, 'one two'],
      [5000, 8000, 'two'],
    ]);
    expect(shown(8000, 10_000)).toEqual([]);
  });

  it('is never more than four lines, whatever never ends', () => {
    const all = Array.from({ length: 50 }, (_, index) => cueOf(String(index).padStart(2, '0'), '59', `line ${index}`));
    expect(shown(9500, 10_500, all.join(''))).toEqual([
      [9000, 10_000, 'line 6 line 7 line 8 line 9'],
      [10_000, 11_000, 'line 7 line 8 line 9 line 10'],
    ]);
  });

  it('is counted, so that not too much is drawn at once', () => {
    expect(afterCues(parseCaptions(file), 0, 2)).toBe(10_000);
    expect(afterCues(parseCaptions(file), 1000, 1)).toBe(10_000);
    expect(afterCues(parseCaptions(file), 0, 3)).toBe(Infinity);
  });
});
