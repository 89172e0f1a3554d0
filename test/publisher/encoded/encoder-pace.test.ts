// A software encoder gets a faster preset step by step while streams have short buffers, and its own when idle.
import { expect, it } from 'vitest';
import { EncoderPace } from '../../../lambda/publisher/encoded/encoder-pace.ts';

it('takes one step in ten seconds, as far as there are faster presets, and goes back when it has nothing to do', () => {
  let nowMs = 0;
  const changes: string[] = [];
  const chosen = { codec: 'libx264', preset: 'veryfast' } as const;
  const pace = new EncoderPace(
    chosen,
    () => nowMs,
    (encoder) => changes.push('preset' in encoder ? encoder.preset : ''),
  );
  for (; nowMs < 60_000; nowMs += 1000) pace.speedUp();
  expect(changes).toEqual(['superfast', 'ultrafast']);
  expect(pace.encoder).toEqual({ codec: 'libx264', preset: 'ultrafast' });
  pace.relax();
  pace.relax();
  expect(pace.encoder).toBe(chosen);
  expect(changes).toHaveLength(3);
});

it('leaves a GPU alone', () => {
  const chosen = { codec: 'h264_nvenc' } as const;
  const pace = new EncoderPace(
    chosen,
    () => 0,
    () => expect.unreachable(),
  );
  pace.speedUp();
  expect(pace.encoder).toBe(chosen);
});
