// The editor of GraphQL queries: CodeMirror with completion and checks by the schema. It is loaded on demand.
import { autocompletion, closeBrackets, closeBracketsKeymap, completionKeymap } from '@codemirror/autocomplete';
import { defaultKeymap, history, historyKeymap } from '@codemirror/commands';
import { bracketMatching, HighlightStyle, syntaxHighlighting } from '@codemirror/language';
import { lintKeymap } from '@codemirror/lint';
import { EditorState } from '@codemirror/state';
import { EditorView, keymap, lineNumbers } from '@codemirror/view';
import { tags } from '@lezer/highlight';
import { graphql, updateSchema } from 'cm6-graphql';
import { buildClientSchema, printType } from 'graphql';
import type { GraphQLSchema, IntrospectionQuery } from 'graphql';

export { getIntrospectionQuery } from 'graphql';

export interface EditorOptions {
  readonly text: string;
  readonly label: string;
  readonly onChange: (text: string) => void;
  readonly onRun: () => void;
}

export interface GraphqlEditor {
  /** Replaces the schema of completion and checks. */
  setSchema(schema: GraphQLSchema): void;
  end(): void;
}

/**
 * Opens an editor in an empty element below a shadow root. There CodeMirror passes its styles to the browser as
 * objects; in a document it would write style elements, which the page's policy blocks.
 */
export function openEditor(place: HTMLElement, { text, label, onChange, onRun }: EditorOptions): GraphqlEditor {
  const root = place.shadowRoot ?? place.attachShadow({ mode: 'open' });
  const run = { key: 'Mod-Enter', run: () => (onRun(), true) };
  const view = new EditorView({
    root,
    parent: root,
    state: EditorState.create({
      doc: text,
      extensions: [
        keymap.of([
          run,
          ...closeBracketsKeymap,
          ...defaultKeymap,
          ...historyKeymap,
          ...completionKeymap,
          ...lintKeymap,
        ]),
        lineNumbers(),
        history(),
        bracketMatching(),
        closeBrackets(),
        autocompletion(),
        syntaxHighlighting(colours),
        graphql(),
        look,
        EditorView.lineWrapping,
        EditorView.contentAttributes.of({ 'aria-label': label }),
        EditorView.updateListener.of((update) => {
          if (update.docChanged) onChange(update.state.doc.toString());
        }),
      ],
    }),
  });
  // The package has CommonJS types, so TypeScript sees two different CodeMirrors. The bundle has one.
  return { setSchema: (schema) => updateSchema(view as never, schema), end: () => view.destroy() };
}

/** @param introspection the platform's answer to `getIntrospectionQuery()` */
export function schemaOf(introspection: IntrospectionQuery): GraphQLSchema {
  return buildClientSchema(introspection);
}

/** The types whose definition contains the text, in the schema language. */
export function typesWith(schema: GraphQLSchema, sought: string): readonly string[] {
  return Object.values(schema.getTypeMap())
    .filter(({ name }) => !name.startsWith('__'))
    .map(printType)
    .filter((text) => text.toLowerCase().includes(sought.toLowerCase()));
}

const colours = HighlightStyle.define([
  { tag: [tags.keyword, tags.definitionKeyword], color: 'var(--accent)', fontWeight: '600' },
  { tag: [tags.string, tags.number, tags.bool, tags.null], color: 'var(--live)' },
  { tag: [tags.typeName, tags.atom, tags.variableName], color: 'var(--moving)' },
  { tag: tags.comment, color: 'var(--quiet)' },
]);

const look = EditorView.theme({
  '&': { color: 'var(--text)', backgroundColor: 'var(--surface)', fontSize: '0.88rem', minHeight: '320px' },
  '&.cm-focused': { outline: '2px solid var(--accent)', outlineOffset: '1px' },
  '.cm-content': { fontFamily: 'var(--mono)', caretColor: 'var(--text)' },
  '.cm-gutters': { color: 'var(--quiet)', backgroundColor: 'var(--ground)', border: 'none' },
  '.cm-cursor': { borderLeftColor: 'var(--text)' },
  '.cm-tooltip': { color: 'var(--text)', backgroundColor: 'var(--surface)', border: '1px solid var(--line)' },
  '.cm-tooltip-autocomplete ul li[aria-selected]': { color: 'var(--on-accent)', backgroundColor: 'var(--accent)' },
});
