// Texts of the API as the page shows them: complete sentences without the names of fields.
import { expect, test } from 'vitest';
import { machineStart } from '../../lambda/domain/fleet/machine-start.ts';
import { describeIncident } from '../../lambda/domain/notices/incident-words.ts';
import { fallsBehind } from '../../lambda/publisher/replica/faults.ts';
import { withoutFieldNames } from '../../lambda/web/app/without-field-names.ts';

const adviceFor = (code: string) => describeIncident('stream_away', { reason: { code, detail: '' } }).advice;

test('the remarks that name fields are left out, and the sentences stay', () => {
  expect(withoutFieldNames(adviceFor('falling_behind'))).toBe(
    'Lower the quality or framerate, or let its media be prepared once.',
  );
  expect(withoutFieldNames(adviceFor('codec_refused'))).toBe(
    'Set the video codec to h264, then start the stream again.',
  );
  expect(withoutFieldNames(fallsBehind.detail)).toMatch(/or send prepared media\.$/);
  expect(withoutFieldNames(machineStart(60).detail)).toContain('or prepared media, need not wait for one.');
  expect(withoutFieldNames('Its file (a song) is missing (see below).')).toBe(
    'Its file (a song) is missing (see below).',
  );
});

test('a stream without room is not blamed on its destination', () => {
  expect(adviceFor('no_capacity')).not.toContain('destination');
});
