// The spans of a replica's start, from its first claim to the first picture that its destination accepted.
import type { Replica } from '../../data/fleet/replicas.ts';
import { measures } from '../../telemetry/measures.ts';
import { beginSpan, errorTypeOf } from '../../telemetry/spans.ts';
import type { OpenSpan } from '../../telemetry/spans.ts';
import { readTraceparent } from '../../telemetry/trace-context.ts';
import type { ConnectionTurns } from '../replica/connection-turns.ts';
import type { PublishPlan } from '../replica/publish-plan.ts';

/** The epoch of the first claim in a run. */
export const firstEpoch = 1;

export class StartTrace {
  readonly #attributes;
  readonly #beganMs = performance.now();
  /** Null after the start, and for claims that are no start. */
  #span: OpenSpan | null = null;
  #isOver: boolean;

  constructor({ epoch, backend, role, stream_id: streamID, traceparent }: Replica) {
    this.#attributes = { 'loop.stream.backend': backend };
    this.#isOver = epoch !== firstEpoch;
    const parent = readTraceparent(traceparent);
    if (this.#isOver || parent === null) return;
    const attributes = { ...this.#attributes, 'loop.stream.id': streamID, 'loop.replica.role': role };
    this.#span = beginSpan('start replica', 'internal', attributes, parent);
  }

  /** The destination has accepted the first picture. */
  onAir(): void {
    if (this.#isOver) return;
    measures.record('loop.replica.start.duration', (performance.now() - this.#beganMs) / 1000, this.#attributes);
    this.#end(null);
  }

  /** The replica has ended, perhaps before its first picture. */
  gone(): void {
    if (!this.#isOver) this.#end('given_up');
  }

  loadingPlan(load: () => Promise<PublishPlan>): () => Promise<PublishPlan> {
    return async () => {
      const plan = await this.#timed('load plan', load);
      const open: PublishPlan['media']['open'] = (...from) => this.#timed('open media', () => plan.media.open(...from));
      return this.#isOver ? plan : { ...plan, media: { ...plan.media, open } };
    };
  }

  /** Traces each turn, which lasts until the connection is made. */
  connecting(turns: Pick<ConnectionTurns, 'take'>): Pick<ConnectionTurns, 'take'> {
    return {
      take: async (...of) => {
        const endTurn = await turns.take(...of);
        const span = this.#child('connect', 'client');
        return () => {
          span?.end();
          endTurn();
        };
      },
    };
  }

  #child(name: string, kind: 'internal' | 'client' = 'internal'): OpenSpan | null {
    return this.#span && beginSpan(name, kind, this.#attributes, this.#span.context);
  }

  async #timed<Result>(name: string, work: () => Promise<Result>): Promise<Result> {
    const span = this.#child(name);
    try {
      const result = await work();
      span?.end();
      return result;
    } catch (error) {
      span?.end(errorTypeOf(error));
      throw error;
    }
  }

  #end(errorType: string | null): void {
    this.#isOver = true;
    this.#span?.end(errorType);
    this.#span = null;
  }
}
