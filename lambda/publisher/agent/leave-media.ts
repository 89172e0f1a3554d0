// Keeps an agent from opening files beside streams that need what it has.
import type { SQSRecord } from 'aws-lambda';
import type { Database } from '../../data/database.ts';
import type { MediaCommand } from '../../data/shared/outbox.ts';
import type { QueueHandler } from '../../ports/command-queue/command-queue.ts';

/** So long a command is held back that an agent leaves to others. */
const leftForSeconds = 5;
/** An agent that is behind leaves one command a second in each lane: to leave thousands would keep it behind. */
export const leavesEveryMs = 1000;

type DecodingCommand = Extract<
  MediaCommand,
  { readonly task: 'probe_upload' | 'prepare_upload' | 'prepare_join' | 'make_join' }
>;

/** An agent whose streams take more than this share of it has too little left for a tool beside them. */
const shareThatIsMuch = 0.5;

/**
 * Whether there is a better place for media commands than beside the streams of this agent: an agent that sends nothing
 * and, where streams take much of this one, also an agent of which they take less, with a lane that is free. While
 * there is one, this agent receives no such command. Where there is none, whoever keeps up carries them out: uploads
 * must not wait for ever.
 */
export class BetterMediaPlace {
  readonly #data: Pick<Database, 'agents'>;
  readonly #agentID: string;
  readonly #usedShare: () => number;
  #wasThere = false;

  constructor({ data, agentID, usedShare }: BetterMediaPlaceOptions) {
    this.#data = data;
    this.#agentID = agentID;
    this.#usedShare = usedShare;
  }

  /** Whether it has to be looked for: there is none that is better than an agent without streams. */
  get isDue(): boolean {
    return this.#usedShare() > 0;
  }

  get isThere(): boolean {
    return this.isDue && this.#wasThere;
  }

  async look(): Promise<void> {
    const mostUsedShare = this.#usedShare() > shareThatIsMuch ? shareThatIsMuch : 0;
    this.#wasThere = await this.#data.agents.isMediaPlaceBeside(this.#agentID, mostUsedShare);
  }
}

interface BetterMediaPlaceOptions {
  readonly data: Pick<Database, 'agents'>;
  readonly agentID: string;
  /** The part of the agent that its streams take. */
  readonly usedShare: () => number;
}

/** Whether a command decodes the file of a stranger. All others take milliseconds. */
const decodes = (command: MediaCommand): command is DecodingCommand =>
  ['probe_upload', 'prepare_upload', 'prepare_join', 'make_join'].includes(command.task);

/**
 * Carries out media commands. While the agent leaves what decodes to others, such commands become new ones, which
 * agents with room take, or media workers, of which the waiting commands start more.
 * @param pause is waited for after each command that was left
 */
export function unlessLeft(
  handle: QueueHandler,
  isLeaving: () => boolean,
  data: Pick<Database, 'outbox'>,
  pause: () => Promise<unknown>,
): QueueHandler {
  const leave = async (record: SQSRecord, body: DecodingCommand) => {
    // The new command has been received by nobody. How often the old one has failed goes on to count.
    const failures = (body.failures ?? 0) + Number(record.attributes.ApproximateReceiveCount) - 1;
    await data.outbox.send({ queue: 'media', body: failures > 0 ? { ...body, failures } : body }, leftForSeconds);
    await pause();
  };
  return async (event) => {
    if (!isLeaving()) return handle(event);
    const others: SQSRecord[] = [];
    for (const record of event.Records) {
      const body = JSON.parse(record.body) as MediaCommand;
      if (decodes(body)) await leave(record, body);
      else others.push(record);
    }
    return others.length > 0 ? handle({ Records: others }) : { batchItemFailures: [] };
  };
}
