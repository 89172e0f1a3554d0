// The check of plain English: the sentences that it finds suspicious, and the parts of a file that it reads.
import { describe, expect, it } from 'vitest';
import { rulesBrokenBy, sentencesOf } from './support/prose/sentences.ts';

describe('the rules of plain English', () => {
  it.each([
    ['What a replica sends.', 'opening'],
    ['Of the picture, in percent.', 'opening'],
    ['Where buckets begin', 'opening'],
    ['@returns who may read it', 'opening'],
    ['Where does a stream go?', null],
    ['Of course this costs nothing.', null],
    ['What', null],
    ['Sends black where it has no picture.', 'where-condition'],
    ['Answers 404 where the stream is gone.', 'where-condition'],
    ['The folder where it keeps uploads.', null],
    ['Retries until somebody removes the upload.', 'nobody'],
    ['The user is told of it once.', 'say-tell'],
    ['The log says nothing.', 'say-tell'],
    ['Two clients are told apart by their addresses.', null],
    ['The key by which a join is found.', 'preposition-which'],
    ['The region in which the stage runs.', null],
    ['Play the first item; what is ready comes next.', 'what-as-noun'],
    ['Reads how long it takes, and what it costs.', null],
    ['The same of runs.', 'reference'],
    ['Returns the value; null likewise.', 'reference'],
    ['Renders the item anew.', 'idiom'],
    ['The stream goes on with the next item.', 'idiom'],
    ['The stream goes on air.', null],
    ['Calls `whoever` and [a lease](settle-what-is.md).', null],
    ['Applies the playlist to a live stream from its next item.', null],
  ])('%s', (sentence, rule) => {
    expect(rulesBrokenBy(sentence)).toEqual(rule === null ? [] : [rule]);
  });
});

describe('the sentences of a file', () => {
  const found = (path: string, text: string) =>
    sentencesOf(path, text).map(({ line, text: says }) => `${line} ${says}`);

  it('are in comments, joined over their lines', () => {
    const code = [
      '// Holds a lease,',
      '// e.g. of an agent. Renews it.',
      "const address = 'https://example.org'; // An address.",
      '/**',
      ' * Renews the lease.',
      ' *',
      ' * @returns its end',
      ' */',
      'const half = (end / 2) / 1; const pattern = /[/"]/; // A pattern.',
    ].join('\n');
    expect(found('lambda/lease.ts', code)).toEqual([
      '1 Holds a lease, e.g. of an agent.',
      '2 Renews it.',
      '3 An address.',
      '5 Renews the lease.',
      '7 @returns its end',
      '9 A pattern.',
    ]);
  });

  it('are in texts for users, whose parts are joined, and in no other literals', () => {
    const code = [
      "const summary = 'The stream is live. It goes ' +",
      '  `to ${count > 1 ? "all of its outputs" : one}.`;',
      "const word = 'stream';",
    ].join('\n');
    expect(found('lambda/operations/streams.ts', code)).toEqual([
      '2 all of its outputs',
      '1 The stream is live.',
      '1 It goes to `…`.',
    ]);
    expect(found('lambda/publisher/streams.ts', code)).toEqual([]);
  });

  it('are in headings, paragraphs, items and cells of pages, and not in blocks of code', () => {
    const page = [
      '# A page',
      'Its text',
      'ends. `A. B`',
      '- An item.',
      '```',
      'code here',
      '```',
      '| One | A row `a|b` |',
    ];
    expect(found('README.md', page.join('\n'))).toEqual([
      '1 A page',
      '2 Its text ends.',
      '4 An item.',
      '8 One',
      '8 A row `a|b`',
    ]);
  });

  it('are in comments of SQL, also within code', () => {
    const code = ['const query = sql`', '  SELECT 1', '  -- The oldest is first.', '  ORDER BY id`;'].join('\n');
    expect(found('lambda/data/rows.ts', code)).toEqual(['3 The oldest is first.']);
    expect(found('lambda/data/rows.sql', '-- Rows of\n-- a table.\nSELECT 1;')).toEqual(['1 Rows of a table.']);
  });
});
