// An agent without a model: it knows what a person wants and has a list of tools, does what their descriptions say, and nothing else.
// It names no tool, so whatever it gets done, the list has told it how.
import { readFile } from 'node:fs/promises';
import { setTimeout } from 'node:timers/promises';
import type { McpClient } from './mcp-clients.ts';

/** What a person has told it: the values of arguments, by their names. */
export type Facts = Readonly<Record<string, unknown>>;

interface Schema {
  readonly description?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly examples?: readonly Facts[];
  readonly items?: { readonly oneOf?: readonly Schema[] };
  readonly const?: unknown;
}

interface ListedTool {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly inputSchema: Schema;
}

export class LiteralAgent {
  /** Each call and what came of it, with identifiers as `upl 1`, `upl 2`, … in the order they were met. */
  readonly transcript: string[] = [];
  readonly #client: McpClient;
  readonly #tools: readonly ListedTool[];
  /** Identifiers of what it made, in order. */
  readonly #made: string[] = [];
  /** What descriptions said to pass on. */
  readonly #toPassOn: Record<string, unknown> = {};

  private constructor(client: McpClient, tools: readonly ListedTool[]) {
    this.#client = client;
    this.#tools = tools;
  }

  static async with(client: McpClient): Promise<LiteralAgent> {
    return new LiteralAgent(client, await client.listTools());
  }

  /** Finds the tool whose title has these words, calls it with what it knows, and does what its description says comes next. @param file whose bytes are meant */
  async do(words: string, facts: Facts = {}, file?: string): Promise<Facts> {
    const titled = this.#tools.filter(({ title }) =>
      words.split(' ').every((word) => new RegExp(`\\b${word}\\b`, 'i').test(title)),
    );
    const [tool] = titled.toSorted((a, b) => a.title.length - b.title.length);
    if (!tool) throw new Error(`no title has the words “${words}”`);
    return this.#use(tool, facts, file);
  }

  async #use(tool: ListedTool, facts: Facts, file: string | undefined): Promise<Facts> {
    const answer = await this.#call(tool, facts);
    if (file !== undefined && typeof answer['url'] === 'string')
      await this.#send(file, answer as { url: string; method: string; headers: Record<string, string> });
    const passOn = /name it as (\w+)/.exec(tool.description)?.[1];
    if (passOn) this.#toPassOn[passOn] = answer['id'];

    const next = /Next: ([^.]*)\./.exec(tool.description)?.[1] ?? '';
    const poll = /poll (\w+) until (\w+) is (\w+)/.exec(next);
    if (poll) return this.#poll(this.#named(poll[1]!), poll[2]!, poll[3]!, next);
    for (const [name] of next.matchAll(/\b[a-z]+_[a-z_]+\b/g)) await this.#use(this.#named(name), facts, file);
    return answer;
  }

  async #call(tool: ListedTool, facts: Facts): Promise<Facts> {
    const args = this.#argumentsOf(tool.inputSchema, facts);
    const { structuredContent, isError } = await this.#client.callTool(tool.name, args);
    if (typeof structuredContent.id === 'string' && !this.#made.includes(structuredContent.id))
      this.#made.push(structuredContent.id);
    this.#note(`${tool.name} ${JSON.stringify(args)}`);
    if (isError || structuredContent.ready === false)
      throw new Error(`${this.transcript.join('\n')}\n${JSON.stringify(structuredContent)}`);
    return structuredContent;
  }

  /** What a description calls done, or failed. */
  async #poll(tool: ListedTool, field: string, done: string, sentence: string): Promise<Facts> {
    const args = this.#argumentsOf(tool.inputSchema, {});
    const ends = sentence.slice(sentence.indexOf(field)).match(/\b(?!until|is|or|then)\w+\b/g)!;
    for (;;) {
      const { structuredContent } = await this.#client.callTool(tool.name, args);
      if (ends.includes(String(structuredContent[field]))) {
        this.#note(`${tool.name} ${JSON.stringify(args)} until ${field} is ${structuredContent[field]}`);
        if (structuredContent[field] !== done)
          throw new Error(`${this.transcript.join('\n')}\n${JSON.stringify(structuredContent)}`);
        return structuredContent;
      }
      await setTimeout(100);
    }
  }

  /** Facts that fit; of what has to be there besides, what the schema says of it. */
  #argumentsOf(
    { properties = {}, required = [], examples: [example = {}] = [] }: Schema,
    facts: Facts,
  ): Record<string, unknown> {
    const known = { ...this.#toPassOn, ...facts };
    const given = Object.entries(known).filter(([name]) => Object.hasOwn(properties, name));
    const missing = required.filter((name) => !Object.hasOwn(known, name));
    return {
      ...Object.fromEntries(given),
      ...Object.fromEntries(missing.map((name) => [name, this.#valueOf(name, properties[name]!, example[name])])),
    };
  }

  #valueOf(name: string, schema: Schema, example: unknown): unknown {
    const each = /one (\w+) for each (\w+)/.exec(schema.description ?? '');
    const option =
      each &&
      schema.items?.oneOf?.find(({ properties = {} }) =>
        Object.values(properties).some((property) => property.const === each[1]),
      );
    if (option) {
      const field = option.required!.find((candidate) => candidate.startsWith(each[2]!))!;
      const tag = option.required!.find((candidate) => option.properties![candidate]!.const !== undefined)!;
      return this.#madeLike(each[2]!.slice(0, 3)).map((id) => ({ [tag]: each[1], [field]: id }));
    }
    const id =
      typeof example === 'string' ? this.#madeLike(/^[a-z]+(?=_)/.exec(example)?.[0] ?? '?').at(-1) : undefined;
    if (id === undefined) throw new Error(`nothing says what ${name} is to be:\n${this.transcript.join('\n')}`);
    return id;
  }

  #madeLike(prefix: string): string[] {
    return this.#made.filter((id) => id.startsWith(prefix));
  }

  async #send(
    file: string,
    { url, method, headers }: { url: string; method: string; headers: Record<string, string> },
  ): Promise<void> {
    const { status } = await fetch(url, { method, headers, body: await readFile(file) });
    this.#note(`${method} the bytes: ${status}`);
  }

  #named(name: string): ListedTool {
    const tool = this.#tools.find((candidate) => candidate.name === name);
    if (!tool) throw new Error(`a description names ${name}, which is not in the list`);
    return tool;
  }

  #note(line: string): void {
    this.transcript.push(
      line.replaceAll(/\b([a-z]{3})_[0-9a-z]+\b/g, (id, prefix: string) =>
        this.#made.includes(id) ? `${prefix} ${this.#madeLike(prefix).indexOf(id) + 1}` : id,
      ),
    );
  }
}
