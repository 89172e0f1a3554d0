// An AI client without a model: it follows the descriptions of tools literally, with facts from a user.
// It does nothing else and names no tool, so it can learn how to do something only from the list of tools.
import { readFile } from 'node:fs/promises';
import { setTimeout } from 'node:timers/promises';
import type { McpClient } from './mcp-clients.ts';

/**
 * Facts that a user gave the client: values of arguments by their names. Texts such as `col 1` stand for identifiers,
 * as in the transcript.
 */
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

export class LiteralAIClient {
  /** All calls, with identifiers written as `upl 1`, `upl 2` and so on, in the order in which they came. */
  readonly transcript: string[] = [];
  readonly #client: Pick<McpClient, 'listTools' | 'callTool'>;
  readonly #tools: readonly ListedTool[];
  /** The identifiers of everything that the client has created, or knows from a user, in order. */
  readonly #made: string[] = [];
  /** Arguments that descriptions asked to pass on to later calls. */
  readonly #toPassOn: Record<string, unknown> = {};

  private constructor(client: Pick<McpClient, 'listTools' | 'callTool'>, tools: readonly ListedTool[]) {
    this.#client = client;
    this.#tools = tools;
  }

  static async with(client: Pick<McpClient, 'listTools' | 'callTool'>): Promise<LiteralAIClient> {
    return new LiteralAIClient(client, await client.listTools());
  }

  /** The client knows from now on the identifier of a resource. */
  learn(id: string): void {
    this.#made.push(id);
  }

  /**
   * Finds the tool whose title has these words, calls it, and follows the next steps in its description.
   * @param file the path of the file to upload
   */
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
    const passOn = /\bset it as (\w+)/.exec(tool.description)?.[1];
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

  /** Calls a tool repeatedly until a field has one of the final values that a description names. */
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

  /** The facts that match arguments of a tool. Other required arguments get values that the schema suggests. */
  #argumentsOf(
    { properties = {}, required = [], examples: [example = {}] = [] }: Schema,
    facts: Facts,
  ): Record<string, unknown> {
    const known = { ...this.#toPassOn, ...facts };
    const given = Object.entries(this.#withIDs(known) as Facts).filter(([name]) => Object.hasOwn(properties, name));
    const missing = required.filter((name) => !Object.hasOwn(known, name));
    return {
      ...Object.fromEntries(given),
      ...Object.fromEntries(missing.map((name) => [name, this.#valueOf(name, properties[name]!, example[name])])),
    };
  }

  /** A value with the identifiers that its texts stand for. */
  #withIDs(value: unknown): unknown {
    const text = JSON.stringify(value).replaceAll(/"([a-z]{3}) (\d+)"/g, (whole, prefix: string, number: string) => {
      const id = this.#madeLike(prefix)[Number(number) - 1];
      return id === undefined ? whole : JSON.stringify(id);
    });
    return JSON.parse(text);
  }

  #valueOf(name: string, schema: Schema, example: unknown): unknown {
    const list = this.#listOf(schema);
    if (list) return list;
    const prefix = typeof example === 'string' ? /^[a-z]+(?=_)/.exec(example)?.[0] : undefined;
    const id = prefix === undefined ? undefined : this.#madeLike(prefix).at(-1);
    if (id === undefined) throw new Error(`nothing says what ${name} is to be:\n${this.transcript.join('\n')}`);
    return id;
  }

  /** The list that a description requests by “one VERB for each THING”; null if it requests none. */
  #listOf({ description = '', items }: Schema): object[] | null {
    const [, verb, thing] = /one (\w+) for each (\w+)/.exec(description) ?? [];
    if (verb === undefined || thing === undefined) return null;
    const isMeant = ({ properties = {} }: Schema) => Object.values(properties).some((each) => each.const === verb);
    const option = items?.oneOf?.find(isMeant);
    if (!option) return null;
    const field = option.required!.find((candidate) => candidate.startsWith(thing))!;
    const tag = option.required!.find((candidate) => option.properties![candidate]!.const !== undefined)!;
    return this.#madeLike(thing.slice(0, 3)).map((id) => ({ [tag]: verb, [field]: id }));
  }

  /** The identifiers with a prefix among those that the client has created. */
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
