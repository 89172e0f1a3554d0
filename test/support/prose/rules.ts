// The rules of plain English: constructions that make a reader read a sentence twice, and what to write instead.

export interface ProseRule {
  readonly name: string;
  readonly pattern: RegExp;
  readonly instead: string;
}

const verbs = 'is|are|was|were|has|have|had|does|do|did|can|cannot|may|must|will|would';
const pronouns = 'it|there|none|they|one|he|she|this|that|these|those|we|you';
const articles = 'an?|the|no|its|their|each|every|another';
/** After one of these, “where” names a place. */
const places = 'offset|place|point|position|line|folder|file|region|stack|account|bucket|page';
const noQuestionBefore = String.raw`(?<!\b(?:how|who|which|whether|when|why|what)\b.*)`;
const prepositions = 'of|by|with|for|to|from|than|as|at|on|in|into|after|before|until|beside|without|like|all';

export const proseRules: readonly ProseRule[] = [
  {
    name: 'opening',
    // Questions may open so. `Of course` and a lone table heading such as `What` may, too.
    pattern:
      /^[^\w`]*(?:what|who|whoever|whatever|whose|of(?! course)|so (?:many|long|much|few)|up to (?:which|where|what)|(?:by|from|in|with|at) (?:which|whom|what)|where)\b(?=.*\w )(?!.*\?[^\w]*$)/i,
    instead: 'begin with the noun of the thing',
  },
  {
    name: 'where-condition',
    pattern: new RegExp(
      String.raw`(?<!\b(?:${places}) )\bwhere (?:(?:${pronouns})\b|(?:${articles}) (?:[\w-]+ ){1,3}(?:${verbs})\b)`,
      'i',
    ),
    instead: '“if” or “when” for a condition; “where” only for a place',
  },
  {
    name: 'nobody',
    pattern: /\b(?:nobody|somebody|whoever|whomever|anybody)\b/i,
    instead: 'name the actor: the user, the agent, the worker, the client',
  },
  {
    name: 'say-tell',
    pattern:
      /\b(?:is|are|was|were|be|been|being) (?:told(?! apart)|said)\b|\bsa(?:ys?|id) (?:so|nothing|of|which|what|it)\b|\b(?:tells?|told) (?:of|nothing|which|what|that|it)\b/i,
    instead: 'report, show, notify, record, describe, state',
  },
  {
    name: 'preposition-which',
    pattern: /\b(?:(?:by|with|of|from) which|(?:by|with|of|to|from) (?:whom|whose))\b/i,
    instead: 'two sentences, or a noun',
  },
  {
    name: 'what-as-noun',
    // In a list of questions (“who asks, what it costs and whether …”) it is plain.
    pattern: new RegExp(
      [
        String.raw`(?:[;:–—(]|\b(?:${prepositions})|${noQuestionBefore}(?:,|\b(?:and|or)))`,
        String.raw`what (?:${verbs}|it|they|its|we|you|he|an?|the|comes?|goes|follows?|plays?|stands?)\b`,
      ].join(' '),
      'i',
    ),
    instead: 'name the thing: the item, the value, the rows that …',
  },
  {
    name: 'reference',
    pattern:
      /\blikewise\b|\bbesides\b|^[^\w`]*the same(?:[^\w\s]*$|[.,:;]| (?:by|for|of|in|with|as|where|when|at|on|from|to|is|holds|goes)\b)|\bthe same (?:of|by|goes for|holds for)\b|^[^\w`]*(?:beside|not so|nor|neither)\b/i,
    instead: 'state it in full: the sentence must stand alone',
  },
  {
    name: 'idiom',
    pattern:
      /\banew\b|\b(?:takes?|took|taken|taking) (?:\w+ )?up\b|\b(?:go|goes|going|gone|went) on\b(?! (?:the )?(?:air|to\b))|\bsettl(?:e[sd]?|ing)\b|\bhas? to do with\b/i,
    instead: 'apply, retry, continue, decide, finish, reconcile',
  },
];
