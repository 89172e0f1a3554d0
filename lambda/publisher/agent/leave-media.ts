// Keeps an agent from decoding files while its streams need its CPU.
import type { SQSRecord } from 'aws-lambda';
import type { Database } from '../../data/database.ts';
import type { MediaCommand } from '../../data/shared/outbox.ts';
import type { QueueHandler } from '../../ports/command-queue/command-queue.ts';

/** Delay of a command that an agent returns for other agents. */
const leftForSeconds = 5;
/** Pause after each returned command, in each lane: returning thousands would keep an agent behind. */
export const leavesEveryMs = 1000;

const decodingTasks = ['probe_upload', 'prepare_upload', 'make_join', 'capture_frame', 'capture_posters'] as const;
type DecodingCommand = Extract<MediaCommand, { readonly task: (typeof decodingTasks)[number] }>;

/** Share of an agent above which its streams leave too little for decoding beside them. */
const shareThatIsMuch = 0.5;

/**
 * Whether another agent with a free lane is a better place for media commands: one without streams or, if streams take
 * much of this agent, one whose streams take less. While there is one, this agent receives no media commands. Otherwise
 * every agent that keeps up carries them out: uploads must not wait for ever.
 */
export class BetterMediaPlace {
  readonly #usedShare: () => number;
  #isThere = false;

  /** @param usedShare the share of the agent that its streams occupy */
  constructor(usedShare: () => number) {
    this.#usedShare = usedShare;
  }

  /** The most that streams may use of a better place; null: an agent without streams is itself the best place. */
  get mostUsedShare(): number | null {
    const used = this.#usedShare();
    if (used <= 0) return null;
    return used > shareThatIsMuch ? shareThatIsMuch : 0;
  }

  get isThere(): boolean {
    return this.#isThere && this.mostUsedShare !== null;
  }

  /** The answer of the last renewal. */
  set isThere(isThere: boolean) {
    this.#isThere = isThere;
  }
}

/** Whether a command decodes a user's file. All other commands take milliseconds. */
const decodes = (command: MediaCommand): command is DecodingCommand =>
  decodingTasks.some((task) => task === command.task);

/**
 * Wraps the handler of media commands. While `isLeaving`, commands that decode are sent again as new ones, for agents
 * with room or for media workers, which scale with the number of waiting commands.
 * @param pause awaited after each command that was sent again
 */
export function unlessLeft(
  handle: QueueHandler,
  isLeaving: () => boolean,
  data: Pick<Database, 'outbox'>,
  pause: () => Promise<unknown>,
): QueueHandler {
  const leave = async (record: SQSRecord, body: DecodingCommand) => {
    // The receive count of the new command begins at zero, so the failures of the old one are kept in its body.
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
