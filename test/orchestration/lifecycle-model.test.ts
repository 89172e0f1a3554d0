// Random calls and reports on the real handlers, beside a model that knows only the table of the lifecycle.
import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import type { Replica } from '../../lambda/data/fleet/replicas.ts';
import type { StreamState } from '../../lambda/domain/streams/stream-lifecycle.ts';
import { judgeUsersOf } from '../../lambda/orchestration/streams/judge-parts.ts';
import { recoverReplicas } from '../../lambda/orchestration/fleet/recover-replicas.ts';
import { actorsOn, inFuture } from '../support/actors.ts';
import { testService } from '../support/service.ts';
import type { Answer } from '../support/service.ts';
import { letScheduleEnd } from '../support/stored-streams.ts';
import { expectConsistent } from './contradictions.ts';

const service = testService();
const {
  call,
  claim,
  data,
  destination,
  fallDue,
  fire,
  forgetAll,
  loseLease,
  register,
  report,
  stream,
  transaction,
  upload,
} = actorsOn(service);

/** The decided transitions, as FROM CAUSE TO. */
const table = new Set([
  ...['draft', 'invalid', 'stopped', 'failed', 'scheduled'].map((from) => `${from} start activating`),
  'scheduled schedule_start activating',
  'scheduled schedule_start_refused failed',
  'scheduled schedule_missed failed',
  'scheduled cancel_schedule draft',
  'activating media_accepted active',
  'failing media_accepted active',
  'activating no_evidence failing',
  'active media_interrupted failing',
  'failing hopeless failed',
  ...['activating', 'active', 'failing'].flatMap((from) =>
    ['stop', 'schedule_end', 'duration_over'].map((cause) => `${from} ${cause} stopping`),
  ),
  'stopping replicas_ended stopped',
  'stopping next_occurrence scheduled',
  'failed next_occurrence scheduled',
  ...['draft', 'stopped', 'failed'].flatMap((from) => [`${from} part_missing invalid`, `${from} schedule scheduled`]),
  'invalid parts_complete draft',
]);

/** The state of a stream as the table alone determines it. */
interface Model {
  state: StreamState;
  /** The stream names a destination. */
  named: boolean;
  /** The upload of the stream exists and can be played. */
  whole: boolean;
  /** An agent holds the replica of the stream. */
  held: boolean;
  /** The run had its first evidence, the origin of its duration. */
  started: boolean;
  recurs: boolean;
  ends: boolean;
  /** The end of its last schedule has passed, and has not been cleared. */
  overdue: boolean;
}

interface Real {
  readonly id: string;
  readonly destinationID: string;
  uploadID: string;
  agent: string;
  replica: Replica | null;
}

const isRunning = ({ state }: Model) => ['activating', 'active', 'failing'].includes(state);
const isLive = (model: Model) => isRunning(model) || model.state === 'stopping';
const isReady = ({ named, whole, overdue }: Model) => named && whole && !overdue;
const isIdle = ({ state }: Model) => ['draft', 'stopped', 'failed'].includes(state);

/** Updates the state as every change of a part, and every PATCH, does. */
function judge(model: Model): void {
  if (isIdle(model) && !model.whole) model.state = 'invalid';
  else if (model.state === 'invalid' && model.whole) model.state = 'draft';
}

/** A run begins. */
function begin(model: Model): void {
  Object.assign(model, { state: 'activating', held: false, started: false });
}

/** The stream must stop, and has stopped if its replica has no holder. */
function end(model: Model): void {
  model.state = 'stopping';
  if (!model.held) settle(model);
}

/** The replica has ended, or has lost its holder. */
function settle(model: Model): void {
  model.held = false;
  if (model.state === 'stopping') model.state = model.recurs ? 'scheduled' : 'stopped';
}

type Step = fc.AsyncCommand<Model, Real>;
let seen: Set<string>;

/** A step. After it the stream has the state of the model, and no table contradicts another. */
function step(
  name: string,
  run: (model: Model, real: Real) => Promise<void>,
  check: (model: Readonly<Model>) => boolean = () => true,
): Step {
  return {
    check,
    toString: () => name,
    async run(model, real) {
      await run(model, real);
      const { state, status } = await stream(real.id);
      expect([name, state, status]).toEqual([name, model.state, isRunning(model) ? 'ACTIVE' : 'INACTIVE']);
      seen.add(state);
      await expectConsistent(service.pool());
    },
  };
}

/** @param code of the expected refusal; null: success */
function expectCode({ status, body }: Answer, code: string | null): void {
  if (code === null) expect([status < 300, body?.code]).toEqual([true, undefined]);
  else expect([status, body?.code]).toEqual([422, code]);
}

const start = (way: 'POST' | 'PATCH') =>
  step(`start by ${way}`, async (model, { id }) => {
    const answer = await (way === 'POST'
      ? call('POST', `/streams/${id}/start`)
      : call('PATCH', `/streams/${id}`, { status: 'ACTIVE' }));
    if (isRunning(model)) return expectCode(answer, null);
    if (model.state === 'stopping') return expectCode(answer, 'stream_not_startable');
    expectCode(answer, isReady(model) ? null : 'stream_not_ready');
    if (isReady(model)) begin(model);
  });

const stop = (way: 'POST' | 'PATCH', endsRecurrence = false) =>
  step(`stop by ${way}${endsRecurrence ? ' for good' : ''}`, async (model, { id }) => {
    const answer = await (way === 'POST'
      ? call('POST', `/streams/${id}/stop`, { endsRecurrence })
      : call('PATCH', `/streams/${id}`, { status: 'INACTIVE' }));
    const judged = { ...model };
    if (way === 'PATCH') judge(judged);
    if (['scheduled', 'invalid', 'failed'].includes(judged.state)) return expectCode(answer, 'stream_not_stoppable');
    expectCode(answer, null);
    Object.assign(model, { state: judged.state, recurs: model.recurs && !endsRecurrence });
    if (isRunning(model)) end(model);
  });

const schedule = (recurs: boolean, ends: boolean) =>
  step(`schedule${recurs ? ' daily' : ''}${ends ? ' with an end' : ''}`, async (model, { id }) => {
    const answer = await call('POST', `/streams/${id}/schedule`, {
      scheduleStartAt: inFuture(3600),
      ...(ends ? { scheduleEndAt: inFuture(7200) } : {}),
      ...(recurs ? { recurrence: { rule: 'FREQ=DAILY', timeZone: 'Europe/Berlin' } } : {}),
    });
    const isSchedulable = isIdle(model) || model.state === 'scheduled';
    expectCode(answer, isSchedulable ? null : 'stream_not_schedulable');
    if (isSchedulable) Object.assign(model, { state: 'scheduled', recurs, ends, overdue: false });
  });

const cancel = step('cancel the schedule', async (model, { id }) => {
  const scheduled = model.state === 'scheduled';
  expectCode(await call('DELETE', `/streams/${id}/schedule`), scheduled ? null : 'stream_not_scheduled');
  if (scheduled) Object.assign(model, { state: 'draft', recurs: false, ends: false });
});

const startTime = step('the start time comes', async (model, { id }) => {
  await fallDue(id, 'schedule_start');
  await fire();
  if (model.state !== 'scheduled') return;
  if (isReady(model)) begin(model);
  else model.state = model.recurs ? 'scheduled' : 'failed';
});

const missedStart = step(
  'start and end time were missed',
  async (model, { id }) => {
    await letScheduleEnd(service, id);
    await fallDue(id, 'schedule_start', 600);
    await fire();
    Object.assign(model, model.recurs ? { state: 'scheduled' } : { state: 'failed', overdue: true });
  },
  ({ state, ends }) => state === 'scheduled' && ends,
);

const endTime = step(
  'the end time comes',
  async (model, { id }) => {
    await fallDue(id, 'schedule_end');
    await fire();
    if (isRunning(model) && model.ends) end(model);
  },
  (model) => model.state !== 'scheduled',
);

const durationOver = step('the duration is over', async (model, { id }) => {
  await fallDue(id, 'duration_over');
  await fire();
  if (isRunning(model) && model.started) end(model);
});

const timeout = step('30 s without evidence', async (model, { id }) => {
  await fallDue(id, 'activation_timeout');
  await fire();
  if (model.state === 'activating' && !model.started) model.state = 'failing';
});

const take = step(
  'an agent takes it',
  async (model, real) => {
    real.replica = (await claim(real.agent)).find((replica) => replica.stream_id === real.id) ?? null;
    expect(real.replica).not.toBeNull();
    model.held = true;
  },
  (model) => isRunning(model) && !model.held,
);

const evidence = step(
  'the destination takes media',
  async (model, { replica }) => {
    await report(replica!, 'live');
    if (model.state !== 'activating' && model.state !== 'failing') return;
    Object.assign(model, { state: 'active', started: true });
  },
  (model) => model.held && isLive(model),
);

const trouble = step(
  'the connection is lost',
  async (model, { replica }) => {
    await report(replica!, 'failing', { reason: { code: 'connection_lost', detail: 'x' } });
    if (model.state === 'active') model.state = 'failing';
  },
  (model) => model.held && isLive(model),
);

const hopeless = step(
  'the key is refused for too long',
  async (model, { replica }) => {
    await report(replica!, 'failing', { reason: { code: 'key_refused', detail: 'x' }, hopeless: true });
    if (isRunning(model)) model.state = 'failed';
  },
  (model) => model.held && isLive(model),
);

const replicaEnds = step(
  'the agent ends what it was asked to end',
  async (model, { agent, replica }) => {
    const { ending } = await data().agentRenewals.renew(agent);
    if (!replica || !ending.includes(replica.id)) return;
    await report(replica, 'ended');
    settle(model);
  },
  (model) => model.held,
);

const agentDies = step('the agent dies', async (model, real) => {
  await loseLease(real.agent);
  await recoverReplicas(service.pool());
  real.agent = `${real.agent}'`;
  await register(real.agent);
  if (model.held && model.state === 'active') model.state = 'failing';
  if (model.held) settle(model);
});

const deleteUpload = step(
  'the upload is deleted',
  async (model, { uploadID }) => {
    expectCode(await call('DELETE', `/uploads/${uploadID}`), isLive(model) ? 'resource_in_use' : null);
    if (isLive(model)) return;
    model.whole = false;
    judge(model);
  },
  ({ whole }) => whole,
);

const failProbe = step(
  'the upload turns out to be broken',
  async (model, { uploadID }) => {
    await transaction(async (tx) => {
      await tx.uploads.recordFailure(uploadID, { code: 'unreadable', detail: 'x' });
      await judgeUsersOf(tx, { uploadID });
    });
    model.whole = false;
    judge(model);
  },
  ({ whole }) => whole,
);

const mend = step('another upload is named', async (model, real) => {
  const uploadID = await upload();
  expectCode(
    await call('PATCH', `/streams/${real.id}`, { videoUploadObjectID: uploadID }),
    isLive(model) ? 'stream_live' : null,
  );
  if (isLive(model)) return;
  real.uploadID = uploadID;
  model.whole = true;
  judge(model);
});

const name = (named: boolean) =>
  step(named ? 'the destination is named' : 'no destination is named', async (model, { id, destinationID }) => {
    expectCode(
      await call('PATCH', `/streams/${id}`, { destinationID: named ? destinationID : null }),
      isLive(model) ? 'stream_live' : null,
    );
    if (isLive(model)) return;
    model.named = named;
    judge(model);
  });

const anyStep = fc.oneof(
  ...[
    start('POST'),
    start('PATCH'),
    startTime,
    take,
    take,
    evidence,
    evidence,
    replicaEnds,
    endTime,
    name(true),
    mend,
  ].map((each) => ({ weight: 3, arbitrary: fc.constant(each) })),
  { weight: 6, arbitrary: fc.tuple(fc.boolean(), fc.boolean()).map(([recurs, ends]) => schedule(recurs, ends)) },
  ...[
    stop('POST'),
    stop('POST', true),
    stop('PATCH'),
    cancel,
    missedStart,
    durationOver,
    timeout,
    trouble,
    hopeless,
    agentDies,
    deleteUpload,
    failProbe,
    name(false),
  ].map((each) => fc.constant(each)),
);

const isLong = process.env['SUITE'] === 'long';

/** All transitions of all streams, as FROM CAUSE TO. */
async function moves(): Promise<string[]> {
  const { rows } = await service.pool().query('select from_state, cause, to_state from stream_transitions');
  return rows.map((row) => `${row.from_state} ${row.cause} ${row.to_state}`);
}

it('a stream is always in the state that the table of the lifecycle leads to', { timeout: 600_000 }, async () => {
  seen = new Set();
  const setup = async () => {
    await forgetAll();
    const [uploadID, destinationID] = [await upload(), await destination()];
    const id = (
      await call('POST', '/streams', {
        videoUploadObjectID: uploadID,
        destinationID,
        quality: 'q_720p',
        streamDuration: 3600,
      })
    ).body.id as string;
    await register('agent');
    const model: Model = {
      state: 'draft',
      named: true,
      whole: true,
      held: false,
      started: false,
      recurs: false,
      ends: false,
      overdue: false,
    };
    return { model, real: { id, destinationID, uploadID, agent: 'agent', replica: null } };
  };
  await fc.assert(
    fc.asyncProperty(fc.commands([anyStep], { maxCommands: 60, size: 'max' }), async (steps) => {
      await fc.asyncModelRun(setup, steps);
      expect((await moves()).filter((move) => !table.has(move))).toEqual([]);
    }),
    { numRuns: isLong ? 120 : 8 },
  );
  // A model that never reached some state would prove nothing about it. A few runs may miss some.
  if (isLong)
    expect([...seen].toSorted()).toEqual([
      'activating',
      'active',
      'draft',
      'failed',
      'failing',
      'invalid',
      'scheduled',
      'stopped',
      'stopping',
    ]);
});
