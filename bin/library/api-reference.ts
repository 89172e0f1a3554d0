// The reference of the library, from the comments in the code: a section for each module, a table for each type.
// Decision D188.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  type ClassDeclaration,
  type Identifier,
  type InterfaceDeclaration,
  type Node,
  type ParameterDeclaration,
  type TypeNode,
  isClassDeclaration,
  isConstructorDeclaration,
  isIdentifier,
  isInterfaceDeclaration,
  isMethodDeclaration,
  isMethodSignatureDeclaration,
  isTypeAliasDeclaration,
} from 'typescript/unstable/ast';
import { API, type Checker, type Project, type Symbol as Named } from 'typescript/unstable/sync';

const head = `# Reference of the library

<!-- \`npm run library -- --reference\` writes this file from the comments in the code. -->
`;

type TypeWithMembers = ClassDeclaration | InterfaceDeclaration;

/** A property, an accessor or a method. */
interface Member extends Node {
  readonly name: Identifier;
  /** The question mark of an optional property. */
  readonly postfixToken?: Node;
  readonly parameters?: readonly ParameterDeclaration[];
  readonly type?: TypeNode;
}

/**
 * @param root the folder of tsconfig.json
 * @param modules the source of each module, relative to it, by the path that apps import
 * @returns Markdown
 */
export function apiReference(root: string, modules: Readonly<Record<string, string>>): string {
  const work = mkdtempSync(join(tmpdir(), 'reference-'));
  const api = new API({ cwd: root });
  try {
    const project = openProject(api, work, root, Object.values(modules));
    const { checker, program } = project;
    const exported = Object.entries(modules).map(([path, source]) => {
      const module = checker.getSymbolAtLocation(program.getSourceFile(join(root, source))!)!;
      return { path, symbols: checker.getExportsOfModule(module) };
    });
    const known = new Set(exported.flatMap(({ symbols }) => symbols.map(({ name }) => name)));
    const sections = new Sections(project, known);
    return [
      head,
      ...exported.flatMap(({ path, symbols }) => [`## ${path}\n`, ...symbols.map((symbol) => sections.of(symbol))]),
    ].join('\n');
  } finally {
    api.close();
    rmSync(work, { recursive: true });
  }
}

function openProject(api: API, work: string, root: string, sources: readonly string[]): Project {
  const config = join(work, 'tsconfig.json');
  // Types are shown as the code writes them, so the large declarations of packages are not read.
  const nothing = join(work, 'nothing.d.ts');
  writeFileSync(nothing, 'export {};');
  const content = {
    extends: join(root, 'tsconfig.json'),
    compilerOptions: { types: [], paths: { '*': [nothing] } },
    files: sources.map((source) => join(root, source)),
    include: [],
  };
  writeFileSync(config, JSON.stringify(content));
  return api.updateSnapshot({ openProjects: [config] }).getProject(config)!;
}

class Sections {
  readonly #project: Project;
  readonly #checker: Checker;
  readonly #known: ReadonlySet<string>;

  /** @param known names of the types that have sections of their own */
  constructor(project: Project, known: ReadonlySet<string>) {
    this.#project = project;
    this.#checker = project.checker;
    this.#known = known;
  }

  of(symbol: Named): string {
    const declaration = symbol.declarations[0]!.resolve(this.#project)!;
    const members = hasMembers(declaration) ? this.#membersOf(declaration) : [];
    const parts = [
      `### ${symbol.name}`,
      this.#use(symbol.name, declaration).map(code).join(', '),
      this.#comment(symbol),
      table(members.map((member) => this.#row(member))),
    ];
    return `${parts.filter((part) => part !== '').join('\n\n')}\n`;
  }

  /** The code that shows the use of a name. */
  #use(name: string, declaration: Node): readonly string[] {
    if (isClassDeclaration(declaration)) return [...newOf(name, declaration), ...extensionsOf(declaration)];
    if (isInterfaceDeclaration(declaration))
      return extensionsOf(declaration).filter((text) => text.includes('<') || this.#known.has(text.split(' ')[1]!));
    if (isTypeAliasDeclaration(declaration)) return [oneLine(declaration.getText()).replace(/^export |;$/g, '')];
    return [`${name}: ${this.#checker.typeToString(this.#checker.getTypeAtLocation(declaration)!)}`];
  }

  /** Own members for users, and members of interfaces without a section. */
  #membersOf(declaration: TypeWithMembers): readonly Member[] {
    const own = [...declaration.members].filter(
      (member) =>
        !isConstructorDeclaration(member) && !/^(?:private|override|declare|readonly #|#)/.test(member.getText()),
    ) as unknown as Member[];
    const inherited = isInterfaceDeclaration(declaration) ? this.#unknownBases(declaration) : [];
    return [...own, ...inherited.flatMap((base) => this.#membersOf(base))];
  }

  #unknownBases({ heritageClauses }: InterfaceDeclaration): readonly InterfaceDeclaration[] {
    const bases = [...(heritageClauses ?? [])].flatMap(({ types }) => [...types]);
    return bases.flatMap(({ expression, typeArguments }) => {
      if (typeArguments || !isIdentifier(expression) || this.#known.has(expression.text)) return [];
      const imported = this.#checker.getSymbolAtLocation(expression)!;
      const base = this.#checker.getAliasedSymbol(imported).declarations[0]?.resolve(this.#project);
      return base && isInterfaceDeclaration(base) ? [base] : [];
    });
  }

  #row(member: Member): string {
    const symbol = this.#checker.getSymbolAtLocation(member.name)!;
    const isStatic = member.getText().startsWith('static ');
    const name = `${isStatic ? 'static ' : ''}${member.name.text}${member.postfixToken ? '?' : ''}`;
    const cells = [code(name), code(this.#typeOf(member, symbol)), oneLine(this.#comment(symbol))];
    return `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
  }

  #typeOf(member: Member, symbol: Named): string {
    const written = member.type && oneLine(member.type.getText());
    if (isMethodDeclaration(member) || isMethodSignatureDeclaration(member)) {
      const parameters = [...(member.parameters ?? [])].map((parameter) => oneLine(parameter.getText()));
      return `(${parameters.join(', ')}) => ${written ?? 'void'}`;
    }
    return written ?? this.#checker.typeToString(this.#checker.getTypeOfSymbol(symbol)!);
  }

  /** The comment, with its tags as further lines. */
  #comment(symbol: Named): string {
    const tags = this.#checker
      .getJsDocTagsOfSymbol(symbol)
      .map(({ name, text = '' }) => (name === 'default' ? `Default: ${text}.` : `\`@${name}\` ${text}.`));
    return [this.#checker.getDocumentationCommentOfSymbol(symbol), ...tags].filter((line) => line !== '').join('\n');
  }
}

function hasMembers(declaration: Node): declaration is TypeWithMembers {
  return isClassDeclaration(declaration) || isInterfaceDeclaration(declaration);
}

/** The call of a public constructor. Parameters that are taken apart are called `props`. */
function newOf(name: string, { members }: ClassDeclaration): readonly string[] {
  const constructor = members.find(isConstructorDeclaration);
  if (!constructor || constructor.getText().startsWith('private ')) return [];
  const parameters = [...constructor.parameters].map(
    ({ name, type }) => `${isIdentifier(name) ? name.text : 'props'}: ${type?.getText()}`,
  );
  return [`new ${name}(${parameters.join(', ')})`];
}

function extensionsOf({ heritageClauses }: TypeWithMembers): readonly string[] {
  return [...(heritageClauses ?? [])].flatMap(({ types }) =>
    [...types].map((type) => `extends ${oneLine(type.getText())}`),
  );
}

function table(rows: readonly string[]): string {
  return rows.length === 0 ? '' : ['| Name | Type | Meaning |', '| --- | --- | --- |', ...rows].join('\n');
}

function code(text: string): string {
  return `\`${text}\``;
}

function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, ' ').trim();
}
