// Keeps an agent from opening files beside streams that need what it has.
import type { SQSRecord } from 'aws-lambda';
import type { Database } from '../../data/database.ts';
import type { MediaCommand } from '../../data/outbox.ts';
import type { QueueHandler } from '../../ports/command-queue/command-queue.ts';

/** So long a command is held back that an agent leaves to others. */
const leftForSeconds = 5;
/** An agent that is behind leaves one command a second in each lane: to leave thousands would keep it behind. */
export const leavesEveryMs = 1000;

type DecodingCommand = Extract<MediaCommand, { readonly task: 'probe_upload' | 'prepare_upload' }>;

/** An agent whose streams take more than this share of it has too little left for a tool beside them. */
const shareThatIsMuch = 0.5;

/** What an agent knows of itself. */
export interface OwnLoad {
  readonly usedShare: number;
  readonly behindReason: string | null;
}

/**
 * Whether an agent leaves to others what decodes.
 * @param othersTakeMedia whether there are workers that send no streams. Without them, who keeps up has to take it
 */
export function leavesMedia({ usedShare, behindReason }: OwnLoad, othersTakeMedia: boolean): boolean {
  return behindReason !== null || (othersTakeMedia && usedShare > shareThatIsMuch);
}

/** Whether a command decodes the file of a stranger. All others take milliseconds. */
const decodes = (command: MediaCommand): command is DecodingCommand =>
  command.task === 'probe_upload' || command.task === 'prepare_upload';

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
