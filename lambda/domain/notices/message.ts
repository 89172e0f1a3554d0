// A message to a user in parts. Its plain text and its mail are made of them.
import { oneLine, shortened } from '../shared/one-line.ts';

/** Text of users may be in every string: `partsToShow` makes each a bounded line. */
export type MessagePart = string | ListPart | IncidentPart;

export interface ListPart {
  /** The sentence before the items; empty if the heading of the message is enough. */
  readonly lead: string;
  readonly items: readonly string[];
}

export interface IncidentPart {
  readonly title: string;
  /** The time of the incident, which continues the title: “since …”, “from … to …”. */
  readonly span: string;
  readonly isOver: boolean;
  readonly lines: readonly (string | Fact)[];
}

export interface Fact {
  readonly label: string;
  readonly value: string;
}

/** Gmail cuts mails after 102 KB, so lists and texts end before. */
const listedAtMost = 20;
const longestText = 800;

/** The parts as they are shown: each string is one line of limited length, and each list ends after twenty items. */
export function partsToShow(parts: readonly MessagePart[]): readonly MessagePart[] {
  return parts.map((part) => {
    if (typeof part === 'string') return line(part);
    if ('items' in part) {
      const rest = part.items.length - listedAtMost;
      const items = part.items.slice(0, listedAtMost).map(line);
      return { lead: line(part.lead), items: rest > 0 ? [...items, `… and ${rest} more`] : items };
    }
    const lines = part.lines.map((each) =>
      typeof each === 'string' ? line(each) : { label: line(each.label), value: line(each.value) },
    );
    return { ...part, title: line(part.title), span: line(part.span), lines };
  });
}

/** The message as plain text, with an empty line between its parts. */
export function textOf(parts: readonly MessagePart[]): string {
  return partsToShow(parts).map(textOfPart).join('\n\n');
}

function textOfPart(part: MessagePart): string {
  if (typeof part === 'string') return part;
  if ('items' in part) {
    const items = part.items.map((item) => (item.startsWith('…') ? item : `• ${item}`));
    return [...(part.lead === '' ? [] : [part.lead]), ...items].join('\n');
  }
  const lines = part.lines.map((each) => (typeof each === 'string' ? each : `${each.label}: ${each.value}`));
  return [`${part.title} ${part.span}`, ...lines].join('\n');
}

function line(text: string): string {
  return shortened(oneLine(text), longestText);
}
