// The part of lib/README.md that is computed: the tables of costs, between two marks.
import { posterSeconds } from '../../lambda/domain/playout/posters.ts';
import { previewPieceSeconds } from '../../lambda/domain/playout/preview.ts';
import {
  byUseTable,
  idleTable,
  type IdleRow,
  lookHourTable,
  scaleTable,
  standingTable,
  streamHourTable,
  type StageTemplates,
} from '../../lib/cost/cost-tables.ts';
import { streamKinds } from './stream-kinds.ts';

/** What most of the streams are. */
const planned = '1080p30';
const begin = '<!-- npm run cost -- --write: begin -->';
const end = '<!-- npm run cost -- --write: end -->';

/**
 * @param stages at least one; the table of costs by the hour is about streams on the last one
 * @param idle what these stages may do without
 */
export function costSection(stages: readonly StageTemplates[], idle: readonly IdleRow[]): string {
  const last = stages.at(-1);
  if (!last) throw new Error('costs are those of at least one stage');
  return [
    'A month of each stage while nothing is on air, at the sizes of its templates:',
    standingTable(stages),
    'What a stage may do without while nobody streams: what it costs where a stage has it, and in brackets what it ' +
      'would cost where a stage does without:',
    idleTable(
      stages.map(([name]) => name),
      idle,
    ),
    'What is paid by use:',
    byUseTable(stages),
    `An hour of a stream on the agents of ${last[0]}, in dollars. ` +
      'Egress and what is left of the price: at the first and at the last tier.',
    streamHourTable(streamKinds(), last),
    'An hour of looking at a stream, in dollars, with egress at the first tier. At streams at which nobody looks: 0.',
    lookHourTable(streamKinds(), { pieceSeconds: previewPieceSeconds, posterSeconds }),
    `Many prepared streams at ${planned} over TLS on the agents of ${last[0]}, egress at the last tier:`,
    scaleTable(
      streamKinds().find(({ name }) => name === planned)!,
      last,
    ),
  ].join('\n\n');
}

/** @returns the text with a new section between its marks @throws if the text lacks the marks */
export function withCostSection(text: string, section: string): string {
  const [before, rest] = text.split(begin);
  const after = rest?.split(end)[1];
  if (before === undefined || after === undefined) throw new Error(`lib/README.md lacks the marks ${begin} and ${end}`);
  return `${before}${begin}\n\n${section}\n\n${end}${after}`;
}
