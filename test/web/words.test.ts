// The words of the page: all are in the catalogue, and each catalogue has the same ones.
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { parseAst } from 'vitest/node';
import { languages } from '../../lambda/web/languages.ts';
import { catalogueOf } from '../support/catalogues.ts';

const web = join(import.meta.dirname, '../../lambda/web');
/** Names that no language translates. */
const names = new Set(['OpenAPI 3.1', 'TypeScript']);
/** Words of texts that are the same in English and in German. */
const inBoth =
  'Album Bitrate Block Bucket Code Credits Discord Facebook GraphQL HEVC Kick Live Logo Loop Name Normal ' +
  'Passphrase Playlist Playlists Position Schema Server Slack Stinger Stream Streams System Telegram Ticker Twitch ' +
  'Uploads Video Videos Webhook Webhooks YouTube optional streaming';
/** Attributes whose values are no text. */
const unread = new Set(['className', 'key', 'placement', 'trigger']);

interface Node {
  readonly type: string;
}

/** Text of an element or an attribute that a person may read: it begins with a capital, or has several words. */
const isRead = (text: string) => /^\p{Lu}\p{L}+|\p{L}{2} \p{L}{2}/u.test(text.trim()) && !names.has(text.trim());

/** Texts in JSX below a node that do not come from a variable, as the catalogue does. */
function literalTexts(node: unknown, isInMarkup = false): readonly string[] {
  if (Array.isArray(node)) return node.flatMap((each) => literalTexts(each, isInMarkup));
  if (typeof node !== 'object' || node === null || !('type' in node)) return [];
  const { type, ...parts } = node as Node & Record<string, any>;
  if (type === 'JSXText') return /\p{L}{2}/u.test(parts['value']) && isRead(parts['value']) ? [parts['value']] : [];
  if (type === 'JSXAttribute' && unread.has(parts['name'].name)) return [];
  if (isInMarkup && type === 'Literal') return isRead(String(parts['value'])) ? [String(parts['value'])] : [];
  if (isInMarkup && type === 'TemplateElement') return isRead(parts['value'].raw) ? [parts['value'].raw] : [];
  const isMarkup = type === 'JSXAttribute' || type === 'JSXExpressionContainer';
  const isChoice = type === 'LogicalExpression' || type === 'ConditionalExpression' || type === 'TemplateLiteral';
  return Object.values(parts).flatMap((part) => literalTexts(part, isMarkup || (isInMarkup && isChoice)));
}

describe('the words of the page', () => {
  test('are in the catalogue, and not in components', () => {
    const found = globSync('**/*.tsx', { cwd: web }).flatMap((path) =>
      literalTexts(parseAst(readFileSync(join(web, path), 'utf8'), { lang: 'tsx' })).map(
        (text) => `${path}: ${text.trim()}`,
      ),
    );
    expect(found).toEqual([]);
  });

  test('are found there, in text, attributes and choices', () => {
    const component = `const Part = () => (
      <p className="Not this" title="Sign in" hidden={isOld && 'One more'} lang={isOld ? 'de' : \`Two of \${all}\`}>
        Text {words.part} <b>and more</b>
      </p>
    );`;
    const found = literalTexts(parseAst(component, { lang: 'tsx' })).map((text) => text.trim());
    expect(found.toSorted()).toEqual(['One more', 'Sign in', 'Text', 'Two of', 'and more']);
  });

  // The compiler holds this for all but words by the codes of the API, which are open lists.
  test('are the same in each language', async () => {
    const [english, ...others] = await Promise.all(languages.map(catalogueOf));
    expect(english!.size).toBeGreaterThan(900);
    for (const other of others) {
      expect([...other.keys()].toSorted()).toEqual([...english!.keys()].toSorted());
      const kinds = (catalogue: typeof other) => [...catalogue].map(([key, entry]) => [key, typeof entry]).toSorted();
      expect(kinds(other)).toEqual(kinds(english!));
    }
  });

  test('are translated, but for names and words that both languages have', async () => {
    const [english, german] = await Promise.all([catalogueOf('en'), catalogueOf('de')]);
    const untranslated = [...english]
      .filter(([key, entry]) => typeof entry === 'string' && entry === german.get(key))
      .flatMap(([, entry]) => String(entry).match(/\p{L}{4,}/gu) ?? []);
    expect([...new Set(untranslated)].toSorted().join(' ')).toBe(inBoth);
  });
});
