import { readFileSync, statSync } from 'node:fs';
import { basename } from 'node:path';
import { formatErrorReason, toInputIssues } from '@app/common';
import { EXIT_CODES } from '@app/database';
import { type Document, isMap, isNode, isScalar, LineCounter, type Node, parseDocument } from 'yaml';
import { CommandLineError } from '../command-line.errors.js';
import { type Declaration, declaration } from './declaration.js';

const MAX_FILE_BYTES = 1024 * 1024;
/** Anchors may stand for an entry each; documents that grow by them are refused. */
const MAX_ALIASES = 100;

/** YAML reads `0x…` and `0o…` without quotes as a number. An address is text. */
const NUMBERS_OF_OTHER_BASES = new Set(['HEX', 'OCT']);

const invalid = (message: string, cause?: unknown) =>
  new CommandLineError(message, EXIT_CODES.data, { cause });

/** @throws CommandLineError that names file, line and field of everything that is wrong */
export function readDeclaration(file: string): Declaration {
  return parseDeclaration(basename(file), readBounded(file));
}

function readBounded(file: string): string {
  try {
    if (statSync(file).size > MAX_FILE_BYTES) throw new Error('it has more than 1 MiB');
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw invalid(`${file} cannot be read: ${formatErrorReason(error)}`, error);
  }
}

/** @param name of the file, for errors. @throws CommandLineError that names line and field of everything that is wrong */
export function parseDeclaration(name: string, text: string): Declaration {
  const lines = new LineCounter();
  const document = parseDocument(text, {
    lineCounter: lines,
    prettyErrors: false,
    customTags: (tags) =>
      tags.filter((tag) => typeof tag === 'string' || !NUMBERS_OF_OTHER_BASES.has(tag.format ?? '')),
  });
  const [broken] = document.errors;
  if (broken) throw invalid(`${name}:${String(lines.linePos(broken.pos[0]).line)}: ${broken.message}`);
  const { success, data, error } = declaration.safeParse(toValue(name, document));
  if (success) return data;
  const problems = toInputIssues(error.issues).map(({ path, message }) => {
    const parts = path === '' ? [] : path.split('.');
    const line = findLine(document, lines, parts);
    return `${name}:${String(line)}: ${formatPath(parts)}${explain(message)}`;
  });
  throw invalid([...new Set(problems)].join('\n'));
}

function toValue(name: string, document: Document): unknown {
  try {
    return document.toJS({ maxAliasCount: MAX_ALIASES }) ?? {};
  } catch (error) {
    throw invalid(`${name}: ${formatErrorReason(error)}`, error);
  }
}

/** `communities[1].rules[0].chainId: ` */
function formatPath(parts: readonly string[]): string {
  const text = parts.map((part, index) =>
    /^\d+$/.test(part) ? `[${part}]` : index === 0 ? part : `.${part}`,
  );
  return parts.length === 0 ? '' : `${text.join('')}: `;
}

const explain = (message: string): string =>
  message.endsWith('expected string, received number') ? `${message}; put it in quotes` : message;

/** The line of a field, or of what should hold it. */
function findLine(document: Document, lines: LineCounter, parts: readonly string[]): number {
  let node: unknown = document.contents;
  let found = findStart(node);
  for (const part of parts) {
    const [key, value] = findChild(node, part);
    if (!key && !value) break;
    found = findStart(key ?? value) ?? found;
    node = value;
  }
  return lines.linePos(found ?? 0).line;
}

function findChild(node: unknown, part: string): [key: Node | undefined, value: unknown] {
  if (isMap(node)) {
    const pair = node.items.find(({ key }) => isScalar(key) && String(key.value) === part);
    return [isNode(pair?.key) ? pair.key : undefined, pair?.value];
  }
  const value = isCollectionOfItems(node) ? node.items[Number(part)] : undefined;
  return [undefined, value];
}

const isCollectionOfItems = (node: unknown): node is { readonly items: readonly unknown[] } =>
  typeof node === 'object' && node !== null && 'items' in node && Array.isArray(node.items);

const findStart = (node: unknown): number | undefined => (isNode(node) ? node.range?.[0] : undefined);
