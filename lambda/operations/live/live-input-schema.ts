// A live input in answers, and the fields of requests that create or update one.
// The answers to its creation and to a new key are the only ones with the key.
import * as z from 'zod';
import { sessionEnds } from '../../domain/live/session-end.ts';
import { lostAfterSeconds, presentLoss, signalLossReasons } from '../../domain/live/signal-loss.ts';
import type { LiveInput, LiveInputSettings } from '../../data/live/live-inputs.ts';
import type { LiveSession } from '../../data/live/live-sessions.ts';
import { stableSecondsAfter } from '../../domain/live/flapping.ts';
import { ingestAddresses, liveProtocols } from '../../domain/live/live-ingest.ts';
import { liveInputState, liveInputStates } from '../../domain/live/live-input-state.ts';
import type { ReceivedSession } from '../../domain/live/live-input-state.ts';
import { tooDemandingFor } from '../../domain/live/ingest-places.ts';
import { keyEnded } from '../../domain/live/live-key.ts';
import { gopSeconds } from '../../domain/playout/rendition.ts';
import { bounds } from '../../domain/shared/bounds.ts';
import { isNetwork } from '../../domain/shared/network-address.ts';
import { isTimeZone } from '../../domain/shared/time-zone.ts';
import { slateFaultOf } from '../../orchestration/live/takeovers.ts';
import type { Context } from '../context.ts';
import { fieldProblem } from '../field-problems.ts';
import { failure, id, text, timestamp } from '../fields.ts';
import { shownColumns } from '../shown-columns.ts';
import { availableHours, mostHours } from '../uploads/upload-availability.ts';

const takes = z.enum(['on_request', 'always', 'in_windows']).meta({ id: 'LiveInputTakes' });
const afterTakeover = z.enum(['join_in_progress', 'next_item']).meta({ id: 'AfterTakeover' });
const protocol = z.enum(liveProtocols).meta({ id: 'LiveProtocol' });
const secondPublisher = z.enum(['refuse', 'replace']).meta({ id: 'SecondPublisher' });
const allow = z.array(z.string().max(50).refine(isNetwork, { error: 'Use a network such as 203.0.113.0/24.' }));

const takeWindows = z
  .strictObject({
    timeZone: z.string().max(100).refine(isTimeZone, { error: 'Use an IANA time zone name, such as Europe/Berlin.' }),
    hours: z.array(availableHours).min(1).max(mostHours).describe('Hours in which sessions take over.'),
  })
  .meta({ id: 'TakeWindows' });

const lossSeconds = z.int32().min(lostAfterSeconds.least).max(lostAfterSeconds.most).nullable();
const lostAfter = z.strictObject({ silenceSeconds: lossSeconds, blackSeconds: lossSeconds }).meta({ id: 'LostAfter' });

/** The fields of requests that create or update an input. */
export const liveInputFields = {
  name: text(1, 255).describe('Name for people.'),
  takes: takes.describe(
    'on_request: take_over_stream is needed. always: each stable session takes over. in_windows: it does within ' +
      'windows, until their end. Blocks that name the input are windows too, unless always.',
  ),
  secondPublisher: secondPublisher.describe('While a contributor is connected, another one is refused or replaces it.'),
  allow: allow.max(bounds.networksPerLiveInput).describe('Networks that may send, in CIDR notation. Empty: all.'),
  stableSeconds: z.int32().min(2).max(60).describe('Seconds that a session has to last before it can take over.'),
  graceSeconds: z.int32().min(0).max(300).describe('Seconds after a loss in which a takeover can continue.'),
  lostAfter: lostAfter.describe(
    'Seconds of silence, or of black pictures, after which a session counts as lost until it is stable again. ' +
      'null: never.',
  ),
  delaySeconds: z.int32().min(8).max(30).describe('Seconds from the arrival of a picture to its sending.'),
  windows: takeWindows.nullable().describe('For takes in_windows. null: none.'),
  afterTakeover: afterTakeover.describe(
    'After a hand-back or a planned end, a list joins the present item or begins the next one. After a loss, and in ' +
      'programmes, the present item is joined.',
  ),
  slateUploadID: id
    .nullable()
    .describe(
      'Video or image that is shown after a loss, for graceSeconds or until the contributor returns. null: none.',
    ),
  record: z.boolean().describe('Whether each takeover becomes an upload, prepared for the stream. 12 hours at most.'),
};

const recordingSchema = z
  .object({
    takeoverID: z.string(),
    uploadID: z.string().nullable().describe('null: it was refused, or the upload is deleted.'),
    seconds: z.int32(),
    isCut: z.boolean().describe('Whether the takeover was longer than a recording may be.'),
    refusal: z.string().nullable().describe('Limit that was reached, and the remedy. null: none.'),
  })
  .meta({ id: 'LiveRecording' });

const lossSchema = z
  .object({
    reason: z.enum(signalLossReasons).meta({ id: 'SignalLossReason' }),
    lostAt: timestamp,
    returnedAt: timestamp.nullable().describe('null: it is lost.'),
  })
  .meta({ id: 'SignalLoss' });

export const sessionSchema = z
  .object({
    id: z.string(),
    protocol,
    beganAt: timestamp,
    receivedSeconds: z.number().describe('Seconds of media that were received.'),
    source: z
      .object({
        videoCodec: z.string(),
        audioCodec: z.string().nullable().describe('null: no sound.'),
        width: z.int32().nullable().describe('Pixels. null: unknown.'),
        height: z.int32().nullable().describe('Pixels. null: unknown.'),
        framerate: z.number().nullable().describe('null: variable.'),
        bitrateKbps: z.number(),
        keyframeSeconds: z.number().nullable().describe('Seconds between keyframes. null: unknown.'),
      })
      .meta({ id: 'LiveSource' })
      .nullable()
      .describe('Media that the contributor sends. null: unknown.'),
    endedAt: timestamp.nullable().describe('null: it is running.'),
    endReason: z
      .enum(sessionEnds)
      .meta({ id: 'LiveSessionEnd' })
      .nullable()
      .describe('too_demanding: more than 4096 × 2304 at 60 pictures a second.'),
    losses: z.array(lossSchema).describe('Its latest losses by lostAfter, oldest first.'),
    recordings: z
      .array(recordingSchema)
      .describe('Uploads of its parts that takeovers have shown, about a minute after they ended.'),
  })
  .meta({ id: 'LiveSession' });

const shape = {
  id: z.string(),
  name: z.string(),
  streamID: z.string(),
  takes,
  secondPublisher,
  allow: z.array(z.string()),
  stableSeconds: z.int32(),
  graceSeconds: z.int32(),
  lostAfter,
  delaySeconds: z.int32(),
  slateUploadID: z.string().nullable(),
  record: z.boolean(),
  windows: takeWindows.nullable(),
  afterTakeover,
  addresses: z
    .array(z.object({ protocol, url: z.string() }).meta({ id: 'LiveInputAddress' }))
    .describe('Servers. The key is the stream key of RTMP, and the stream ID of SRT.'),
  hasPassphrase: z.boolean().describe('Whether SRT needs the passphrase.'),
  state: z.enum(liveInputStates).meta({ id: 'LiveInputState' }).describe('on_air: viewers see it, or will soon.'),
  disabledReason: failure.nullable().describe('Why no contributor is admitted. null: none.'),
  slateReason: z.string().nullable().describe('Why its slate prevents takeovers.'),
  session: sessionSchema.nullable().describe('Running or last connection.'),
  createdAt: timestamp,
  updatedAt: timestamp,
};

export const liveInputSchema = z.object(shape).meta({ id: 'LiveInput' });

const exampleInput: z.output<typeof liveInputSchema> = {
  id: 'inp_0mb3kq5zj4h8s2n7t1w9x6c0p',
  name: 'Studio',
  streamID: 'str_0mb3kq5zj4h8s2n7t1w9x6c0p',
  takes: 'on_request',
  secondPublisher: 'refuse',
  allow: [],
  stableSeconds: 5,
  graceSeconds: 15,
  lostAfter: { silenceSeconds: null, blackSeconds: 20 },
  delaySeconds: 10,
  slateUploadID: null,
  record: false,
  windows: null,
  afterTakeover: 'join_in_progress',
  addresses: [{ protocol: 'rtmps', url: 'rtmps://live.example.org/live' }],
  hasPassphrase: false,
  state: 'idle',
  disabledReason: null,
  slateReason: null,
  session: null,
  createdAt: '2030-01-31T18:00:00.000Z',
  updatedAt: '2030-01-31T18:00:00.000Z',
};

export const keyedLiveInputSchema = z
  .object({ ...shape, key: z.string().describe('Stream key of the contributor. Only this answer contains it.') })
  .meta({ id: 'KeyedLiveInput', examples: [{ ...exampleInput, key: `live_${'A'.repeat(32)}` }] });

export function presentLiveInput(ctx: Context, input: LiveInput): z.input<typeof liveInputSchema> {
  const { session } = input;
  const running = session?.endedAt === null ? session : null;
  return {
    ...shownColumns(liveInputSchema, input),
    allow: [...input.allow],
    windows: input.windows && {
      ...input.windows,
      hours: input.windows.hours.map((each) => ({ ...each, days: [...each.days] })),
    },
    addresses: [...ingestAddresses(ctx.settings.liveIngest)],
    state: liveInputState(running && receivedOf(running), {
      stableSeconds: stableSecondsAfter(input.stable_seconds, input.recent_losses),
      isShown: input.is_shown,
      now: ctx.now,
    }),
    disabledReason: disabledReasonOf(ctx, input),
    slateReason: slateReasonOf(input),
    session: session && presentSession(session),
  };
}

/** The reason why no contributor of an input is admitted; null: there is none. */
export function disabledReasonOf(
  { settings }: Context,
  { has_key: hasKey, format, is_funded: isFunded }: LiveInput,
): z.output<typeof failure> | null {
  if (!hasKey) return keyEnded;
  const { cores, coresOfUnfunded } = settings.liveIngest ?? {};
  if (format === null || cores === undefined) return null;
  return tooDemandingFor({ cores, coresOfUnfunded }, format, isFunded);
}

const slateReasons = {
  preparing: 'The slate is being prepared. The input can take over once it is ready.',
  failed: 'The slate cannot be prepared. Set slateUploadID to another video or image, or to null.',
  codec: 'Slates need a stream whose videoCodec is h264. Set slateUploadID to null.',
} as const;

/** The reason why an input cannot take over with its slate; null: there is none. */
export function slateReasonOf(input: LiveInput): string | null {
  const fault = slateFaultOf(input);
  return fault && slateReasons[fault];
}

function receivedOf({ firstPictureAt, segmentCount, losses }: LiveSession): ReceivedSession {
  return { firstPictureAt: dateOf(firstPictureAt), segmentCount, isLost: presentLoss(losses) !== null };
}

export function presentSession(session: LiveSession): z.input<typeof sessionSchema> {
  const { id, protocol, source, segmentCount, endReason, losses, recordings } = session;
  return {
    id,
    protocol,
    beganAt: new Date(session.beganAt),
    receivedSeconds: segmentCount * gopSeconds,
    source,
    endedAt: dateOf(session.endedAt),
    endReason,
    losses: losses.map(({ reason, lostAt, returnedAt }) => ({
      reason,
      lostAt: new Date(lostAt),
      returnedAt: dateOf(returnedAt),
    })),
    recordings: recordings.map(({ segmentCount: segments, ...recording }) => ({
      ...recording,
      seconds: segments * gopSeconds,
    })),
  };
}

function dateOf(text: string | null): Date | null {
  return text === null ? null : new Date(text);
}

type Fields = { readonly [Key in keyof typeof liveInputFields]: z.output<(typeof liveInputFields)[Key]> };

/**
 * The settings of an input from the fields of a request, which may leave fields out.
 * @throws {ProblemError} if it takes over in windows, and has none
 */
export function settingsOf(
  given: { readonly [Key in keyof Fields]?: Fields[Key] | undefined },
  before: LiveInputSettings,
): LiveInputSettings {
  const windows = given.windows === undefined ? before.windows : given.windows;
  if ((given.takes ?? before.takes) === 'in_windows' && windows === null)
    throw fieldProblem('windows', 'Name at least one window, as takes is in_windows.');
  return {
    name: given.name ?? before.name,
    takes: given.takes ?? before.takes,
    second_publisher: given.secondPublisher ?? before.second_publisher,
    allow: given.allow ?? before.allow,
    stable_seconds: given.stableSeconds ?? before.stable_seconds,
    grace_seconds: given.graceSeconds ?? before.grace_seconds,
    lost_after: given.lostAfter ?? before.lost_after,
    delay_seconds: given.delaySeconds ?? before.delay_seconds,
    slate_upload_id: given.slateUploadID === undefined ? before.slate_upload_id : given.slateUploadID,
    record: given.record ?? before.record,
    windows,
    after_takeover: given.afterTakeover ?? before.after_takeover,
  };
}
