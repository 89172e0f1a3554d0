// An AI client without a model. It chooses tools by the words of a task, and uses only what it has read.
// It counts the bytes that it reads, its calls, and its dead ends: places where nothing that it has read helps.

// oxlint-disable-next-line typescript/no-explicit-any -- the client reads answers of any form
type Read = any;

/** Values that a user gave, or that answers had, by the words for them: `stream` is the ID of a stream. */
export type Facts = Readonly<Record<string, unknown>>;

interface Schema {
  readonly description?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly enum?: readonly string[];
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
}

interface ReadTool {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly inputSchema: Schema;
}

/** The tools of a list. */
export type ReadTools = readonly ReadTool[];

/** The share of the words of a task that a tool must have to be chosen without a search. */
const enough = 0.75;

export class ReadingClient {
  bytesRead: number;
  calls = 0;
  readonly deadEnds: string[] = [];
  readonly #tools: ReadTools;
  readonly #callTool: (name: string, args: object) => Promise<Read>;

  constructor(tools: ReadTools, callTool: (name: string, args: object) => Promise<Read>) {
    this.#tools = tools;
    this.#callTool = callTool;
    this.bytesRead = Buffer.byteLength(JSON.stringify({ tools }));
  }

  /**
   * Does what the words say. If the answer lacks a field that is needed, the client follows the next steps of the
   * description until an answer has it.
   * @param needed the name of the field
   * @returns the answer
   */
  async do(words: string, facts: Facts = {}, needed?: string): Promise<Read> {
    const tool = this.#best(words, facts);
    const answer = tool ? await this.#use(tool, words, facts) : await this.#search(words, facts);
    if (needed === undefined || Object.hasOwn(answer, needed) || !tool) return answer;
    const [, steps = ''] = /Next: ([^]*)/.exec(tool.description) ?? [];
    const [next] = (steps.match(/\b[a-z]+(?:_[a-z]+)+\b/g) ?? []).flatMap((name) =>
      this.#tools.filter((each) => each.name === name),
    );
    const [noun = ''] = stemsOf(tool.title).slice(-1);
    if (!next) return this.#fail(`${tool.name} answers without ${needed}`);
    return { ...answer, ...(await this.#use(next, next.title, { [noun]: answer.id })) };
  }

  /** The tool whose texts have most of the words and take the facts; null if none has enough of them. */
  #best(words: string, facts: Facts): ReadTool | null {
    const wanted = [...new Set(stemsOf(words))];
    const rated = this.#tools.map((tool) => {
      const [name, title] = [new Set(stemsOf(tool.name)), new Set(stemsOf(tool.title))];
      const sentences = tool.description.split('. ').slice(0, 3);
      const said = new Set([...name, ...title, ...sentences.flatMap(stemsOf), ...this.#choices(tool)]);
      const share = wanted.filter((word) => said.has(word)).length / wanted.length;
      const inName = wanted.filter((word) => name.has(word) || title.has(word)).length / wanted.length;
      const isTaking = Object.keys(facts).every((fact) => argumentFor(tool.inputSchema, fact) !== undefined);
      return { tool, share: isTaking ? share : 0, points: share + inName - name.size / 100 };
    });
    const [best] = rated.filter(({ share }) => share >= enough).toSorted((a, b) => b.points - a.points);
    return best?.tool ?? null;
  }

  /** The words of the choices that a tool requires, such as a kind of resource. */
  #choices({ inputSchema: { properties = {}, required = [] } }: ReadTool): readonly string[] {
    return required.flatMap((name) => properties[name]?.enum ?? []).flatMap(stemsOf);
  }

  /** Finds an operation with the tool whose description offers a search of operations. */
  async #search(words: string, facts: Facts): Promise<Read> {
    const finder = this.#tools.find(({ description }) => /^Searches all \d+ operations/.test(description));
    if (!finder) return this.#fail(`no tool is for “${words}”`);
    const named = (words: RegExp) =>
      Object.entries(finder.inputSchema.properties!).find(([, { description = '' }]) => words.test(description))![0];
    const found = await this.#call(finder.name, { [named(/in words/)]: words });
    const { name, tool } = found.operations[0] ?? {};
    if (!name) return this.#fail(`no operation is for “${words}”`);
    const { inputSchema } = await this.#call(finder.name, { [named(/^Name of an operation/)]: name });
    return this.#call(tool, { name, arguments: this.#argumentsOf(inputSchema, words, facts) });
  }

  async #use(tool: ReadTool, words: string, facts: Facts): Promise<Read> {
    const inputSchema = await this.#wholeSchema(tool, facts);
    return this.#call(tool.name, this.#argumentsOf(inputSchema, words, facts));
  }

  /** The schema of a tool. If it outlines a fact, the client reads the schema where the outline says. */
  async #wholeSchema({ inputSchema }: ReadTool, facts: Facts): Promise<Schema> {
    for (const [fact, value] of Object.entries(facts)) {
      const argument = argumentFor(inputSchema, fact)!;
      const { description = '', ...schema } = inputSchema.properties![argument]!;
      const [, finder, name] = /(\w+) with name (\w+) has/.exec(description) ?? [];
      if (finder === undefined || unread(value, schema) === null) continue;
      const { inputSchema: whole } = await this.#call(finder, { name });
      const properties = { ...inputSchema.properties, [argument]: whole.properties[argument] };
      return { ...inputSchema, properties };
    }
    return inputSchema;
  }

  #argumentsOf(schema: Schema, words: string, facts: Facts): object {
    const { properties = {}, required = [] } = schema;
    const given = Object.entries(facts).map(([fact, value]) => {
      const argument = argumentFor(schema, fact);
      if (argument === undefined) return this.#fail(`no argument takes ${fact} for “${words}”`);
      const strange = unread(value, properties[argument]!);
      return strange === null ? [argument, value] : this.#fail(`nothing describes ${strange} of ${argument}`);
    });
    const args = Object.fromEntries(given);
    for (const name of required.filter((one) => !Object.hasOwn(args, one))) {
      const stems = stemsOf(words);
      args[name] =
        properties[name]!.enum?.find((choice) => stemsOf(choice).every((stem) => stems.includes(stem))) ??
        this.#fail(`nothing says what ${name} is to be for “${words}”`);
    }
    return args;
  }

  async #call(name: string, args: object): Promise<Read> {
    const { structuredContent, isError } = await this.#callTool(name, args);
    this.calls += 1;
    this.bytesRead += Buffer.byteLength(JSON.stringify(structuredContent));
    return isError ? this.#fail(`${name} refuses: ${structuredContent.problem.detail}`) : structuredContent;
  }

  #fail(deadEnd: string): never {
    this.deadEnds.push(deadEnd);
    throw new DeadEnd(deadEnd);
  }
}

export class DeadEnd extends Error {}

/** The argument for a fact: the one of its name, or an ID with the word in its name or description. */
function argumentFor({ properties = {} }: Schema, fact: string): string | undefined {
  if (Object.hasOwn(properties, fact)) return fact;
  const isIts = ([name, { description = '' }]: [string, Schema]) =>
    /^id$|ID$/.test(name) &&
    new RegExp(`^ID of (?:the|a|an) (?:${fact}|resource)\\b|^${fact}ID$`, 'i').test(name === 'id' ? description : name);
  const exact = Object.entries(properties).find(isIts);
  const described = Object.entries(properties).find(
    ([name, { description = '' }]) => name.endsWith('ID') && new RegExp(`\\b${fact}\\b`, 'i').test(description),
  );
  return (exact ?? described)?.[0];
}

/** The first field of a value that a schema does not describe; null: it describes all. */
function unread(value: unknown, schema: Schema): string | null {
  const options = [schema, ...(schema.anyOf ?? []), ...(schema.oneOf ?? [])];
  if (Array.isArray(value)) {
    const items = options.find((option) => option.items)?.items ?? {};
    return value.map((each) => unread(each, items)).find((each) => each !== null) ?? null;
  }
  if (value === null || typeof value !== 'object') return null;
  const all = Object.assign({}, ...options.map(({ properties }) => properties)) as Record<string, Schema>;
  // A field may stand in several options, each with its own choices.
  const strange = Object.keys(value).find((name) => !Object.hasOwn(all, name));
  if (strange !== undefined) return strange;
  return (
    Object.entries(value)
      .map(([name, member]) => unread(member, all[name]!))
      .find((each) => each !== null) ?? null
  );
}

const empty = new Set([
  'a',
  'an',
  'the',
  'of',
  'to',
  'for',
  'in',
  'on',
  'my',
  'and',
  'with',
  'is',
  'by',
  'from',
  'it',
  'all',
]);

/** The words of a text without their endings. */
function stemsOf(text: string): readonly string[] {
  const words = text.toLowerCase().match(/[a-z]+/g) ?? [];
  return words.filter((word) => !empty.has(word)).map((word) => word.replace(/(?<=..)(?:ing|ed|es|e|s)$/, ''));
}
