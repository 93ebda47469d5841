import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';

/** @typedef {Map<string, number>} Statuses the status that each factory answers, by its name */

const FACTORIES_FILE = 'libs/common/src/errors.ts';

/**
 * @typedef {object} ErrorFacts
 * @property {string} code
 * @property {number[]} statuses
 * @property {string[]} sources apps and libs that answer it
 * @property {string[]} messages
 */

/**
 * Finds every error code that the code can answer: calls of the factories of libs/common, and of functions that pass
 * their own parameter `code` on to one.
 * @param {string} root
 * @returns {ErrorFacts[]} by code
 */
export function collectErrors(root) {
  const files = sourcesOf(root);
  const statuses = factoryStatuses(join(root, FACTORIES_FILE));
  // Wrappers of wrappers need another round.
  for (let round = 0; round < 3; round += 1)
    for (const file of files)
      for (const [name, status] of wrappersIn(file, statuses)) statuses.set(name, status);
  /** @type {Map<string, ErrorFacts>} */
  const errors = new Map();
  for (const file of files)
    for (const { code, status, message } of callsIn(file, statuses)) {
      const facts = errors.get(code) ?? { code, statuses: [], sources: [], messages: [] };
      errors.set(code, facts);
      add(facts.statuses, status);
      add(facts.sources, file.owner);
      if (message !== undefined) add(facts.messages, message);
    }
  // Not in the order of the files, which may move.
  for (const { sources, messages } of errors.values()) {
    sources.sort();
    messages.sort();
  }
  return [...errors.values()].sort((a, b) => (a.code < b.code ? -1 : 1));
}

/**
 * @template T
 * @param {T[]} list
 * @param {T} value
 */
function add(list, value) {
  if (!list.includes(value)) list.push(value);
}

/** @param {string} root */
function sourcesOf(root) {
  return ['apps', 'libs'].flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.ts') && !/\.spec\.ts$|migrations|[\\/]browser[\\/]/.test(name))
      .sort()
      .map((name) => {
        const [project = ''] = name.split(/[\\/]/);
        const owner = folder === 'apps' ? project : `every app (libs/${project})`;
        return new SourceFile(owner, name, readFileSync(join(root, folder, name), 'utf8'));
      }),
  );
}

/** A file that is parsed only if it may answer an error. */
class SourceFile {
  /** @type {ts.SourceFile | undefined} */
  #parsed;

  /** @param {string} owner @param {string} name @param {string} text */
  constructor(owner, name, text) {
    this.owner = owner;
    this.name = name;
    this.text = text;
  }

  get source() {
    this.#parsed ??= ts.createSourceFile(this.name, this.text, ts.ScriptTarget.Latest, true);
    return this.#parsed;
  }

  /**
   * Whether the text of a node has the name of a factory, or calls the constructor of an error.
   * @param {Statuses} statuses
   */
  mentions(statuses) {
    return this.text.includes('super(') || [...statuses.keys()].some((name) => this.text.includes(name));
  }
}

/** `export const notFound = createErrorFactory(404)` @param {string} file */
function factoryStatuses(file) {
  const found = readFileSync(file, 'utf8').matchAll(/export const (\w+) = createErrorFactory\((\d+)\)/g);
  return new Map([...found].map(([, name = '', status]) => [name, Number(status)]));
}

/**
 * Functions with a parameter `code` that they pass on: `[name, status]`.
 * @param {SourceFile} file
 * @param {Statuses} statuses
 * @returns {Generator<[name: string, status: number]>}
 */
function* wrappersIn(file, statuses) {
  if (!file.mentions(statuses)) return;
  for (const node of descendants(file.source)) {
    if (!isCall(node, statuses) || node.arguments[0]?.getText() !== 'code') continue;
    const name = nameOfFunctionWithCode(node);
    if (name !== undefined) yield [name, statusOf(node, statuses)];
  }
}

/** @param {ts.Node} node */
function nameOfFunctionWithCode(node) {
  for (let at = node.parent; !ts.isSourceFile(at); at = at.parent) {
    if (!ts.isFunctionLike(at) || !at.parameters.some(({ name }) => name.getText() === 'code')) continue;
    if (at.name) return at.name.getText();
    if (ts.isVariableDeclaration(at.parent)) return at.parent.name.getText();
  }
  return undefined;
}

/**
 * @param {SourceFile} file
 * @param {Statuses} statuses
 * @returns {Generator<{ code: string, status: number, message: string | undefined }>}
 */
function* callsIn(file, statuses) {
  if (!file.mentions(statuses)) return;
  const { source } = file;
  for (const node of descendants(source)) {
    if (ts.isCallExpression(node) && isCall(node, statuses)) {
      const message = messageOf(
        node.arguments.slice(1).findLast((argument) => messageOf(argument) !== undefined),
      );
      for (const code of codesOf(node.arguments[0], source))
        yield { code, status: statusOf(node, statuses), message };
    }
    // `new AppError(name, 503, message, { code })` and classes that extend it.
    if (!ts.isCallExpression(node)) continue;
    const isSuper = node.expression.kind === ts.SyntaxKind.SuperKeyword;
    const status = isSuper ? Number(node.arguments[1]?.getText()) : NaN;
    const code = isSuper ? /code: '(\w+)'/.exec(source.text)?.[1] : undefined;
    if (code !== undefined && status >= 400) yield { code, status, message: messageOf(node.arguments[2]) };
  }
}

/** @param {ts.Node} node @returns {Generator<ts.Node>} */
function* descendants(node) {
  yield node;
  /** @type {ts.Node[]} */
  const children = [];
  ts.forEachChild(node, (child) => void children.push(child));
  for (const child of children) yield* descendants(child);
}

/** @param {ts.Node} node @param {Statuses} statuses @returns {node is ts.CallExpression} */
const isCall = (node, statuses) => ts.isCallExpression(node) && statuses.has(node.expression.getText());
/** @param {ts.CallExpression} node @param {Statuses} statuses */
const statusOf = (node, statuses) => statuses.get(node.expression.getText()) ?? NaN;

/**
 * The literals that a first argument may be.
 * @param {ts.Node | undefined} node
 * @param {ts.SourceFile} source
 * @returns {string[]}
 */
function codesOf(node, source) {
  if (node === undefined) return [];
  if (ts.isStringLiteral(node)) return [node.text];
  if (ts.isConditionalExpression(node))
    return [...codesOf(node.whenTrue, source), ...codesOf(node.whenFalse, source)];
  if (!ts.isIdentifier(node)) return [];
  const constants = [...descendants(source)]
    .filter(ts.isVariableDeclaration)
    .filter((each) => each.name.getText() === node.text);
  return constants.flatMap(({ initializer }) => codesOf(initializer, source));
}

/** @param {ts.Node | undefined} node */
function messageOf(node) {
  if (node === undefined) return undefined;
  const isText =
    ts.isStringLiteral(node) || ts.isNoSubstitutionTemplateLiteral(node) || ts.isTemplateExpression(node);
  if (!isText) return undefined;
  const text = ts.isTemplateExpression(node)
    ? node
        .getText()
        .slice(1, -1)
        .replaceAll(/\$\{[^}]*\}+/g, '…')
    : node.text;
  return text.includes(' ') ? text.replaceAll('|', '\\|') : undefined;
}
