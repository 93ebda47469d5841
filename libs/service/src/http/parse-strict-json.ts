import { badRequest, findTextProblem, MAX_JSON_DEPTH } from '@app/common';
import { createScanner, type JSONScanner } from 'jsonc-parser';

/** Tokens of jsonc-parser, whose own `const enum` cannot be imported. */
const Token = {
  OpenBrace: 1,
  CloseBrace: 2,
  OpenBracket: 3,
  CloseBracket: 4,
  Comma: 5,
  String: 10,
  EndOfText: 17,
} as const;

const utf8 = new TextDecoder('utf-8', { fatal: true });

const FORBIDDEN_KEYS = new Set(['__proto__', 'constructor', 'prototype']);

interface Container {
  /** Keys seen so far; undefined for an array. */
  keys: Set<string> | undefined;
  /** Key or index of the value being read. */
  at: string | number;
  expectsKey: boolean;
}

const formatPath = (stack: Container[]): string => stack.map(({ at }) => at).join('.');

function reject(path: string, message: string): never {
  throw badRequest(
    'json_invalid',
    `The body is not valid JSON: ${path === '' ? message : `${path}: ${message}`}.`,
    {
      issues: [{ path, message }],
    },
  );
}

function checkText(text: string, stack: Container[]): void {
  const problem = findTextProblem(text);
  if (problem !== undefined) reject(formatPath(stack), problem);
}

function enterKey(container: Container, key: string, stack: Container[]): void {
  container.at = key;
  container.expectsKey = false;
  if (container.keys?.has(key)) reject(formatPath(stack), 'must not be repeated');
  if (FORBIDDEN_KEYS.has(key)) reject(formatPath(stack), 'is not an allowed name');
  container.keys?.add(key);
}

function nextItem(container: Container | undefined): void {
  if (!container) return;
  if (container.keys) container.expectsKey = true;
  else container.at = Number(container.at) + 1;
}

function open(stack: Container[], keys: Set<string> | undefined): void {
  if (stack.length >= MAX_JSON_DEPTH) reject('', `is nested deeper than ${MAX_JSON_DEPTH} levels`);
  stack.push({ keys, at: keys ? '' : 0, expectsKey: keys !== undefined });
}

/** Rejects what JSON.parse would accept silently. Reads each token once, without recursion. */
function checkTokens(scanner: JSONScanner): void {
  const stack: Container[] = [];
  for (let token: number = scanner.scan(); token !== Token.EndOfText; token = scanner.scan()) {
    const top = stack.at(-1);
    switch (token) {
      case Token.OpenBrace:
        open(stack, new Set());
        break;
      case Token.OpenBracket:
        open(stack, undefined);
        break;
      case Token.CloseBrace:
      case Token.CloseBracket:
        stack.pop();
        break;
      case Token.Comma:
        nextItem(top);
        break;
      case Token.String: {
        const text = scanner.getTokenValue();
        checkText(text, stack);
        if (top?.expectsKey) enterKey(top, text, stack);
        break;
      }
      default:
        break;
    }
  }
}

/**
 * The value of a text that needs no closer look; undefined for all others, which the token by token check judges. Most texts have no
 * backslash, so that every quotation mark begins or ends a string. A text without repeated names has as many colons as its
 * value has properties. A rule of a check takes 1.1 µs instead of 2.7 µs.
 */
function parsePlainJson(text: string): { readonly value: unknown } | undefined {
  if (text.includes('\\')) return undefined;
  // Before it is parsed, because JSON.parse takes 0.2 s for a megabyte of brackets.
  const colons = countColons(text);
  if (colons === undefined) return undefined;
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  return countProperties(value) === colons ? { value } : undefined;
}

/** Colons outside of strings; undefined for a text that is nested too deeply. */
function countColons(text: string): number | undefined {
  let [colons, level] = [0, 0];
  for (let at = 0; at < text.length; at += 1) {
    switch (text.charCodeAt(at)) {
      case QUOTATION_MARK: {
        at = text.indexOf('"', at + 1);
        if (at < 0) return undefined;
        break;
      }
      case COLON:
        colons += 1;
        break;
      case OPEN_BRACE:
      case OPEN_BRACKET:
        level += 1;
        if (level > MAX_JSON_DEPTH) return undefined;
        break;
      case CLOSE_BRACE:
      case CLOSE_BRACKET:
        level -= 1;
        break;
      default:
        break;
    }
  }
  return colons;
}

const QUOTATION_MARK = 0x22;
const COLON = 0x3a;
const OPEN_BRACKET = 0x5b;
const CLOSE_BRACKET = 0x5d;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;

/** Properties of all objects in a value; NaN if one has a forbidden name. */
function countProperties(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  let count = 0;
  if (Array.isArray(value)) {
    for (const item of value as readonly unknown[]) count += countProperties(item);
    return count;
  }
  const fields = value as Readonly<Record<string, unknown>>;
  for (const name in fields) {
    if (FORBIDDEN_KEYS.has(name)) return NaN;
    count += 1 + countProperties(fields[name]);
  }
  return count;
}

/**
 * Parses I-JSON (RFC 7493), which has no duplicate names and no lone surrogates. Also rejects NUL characters, names that
 * reach prototypes, and more than 32 levels.
 * @throws AppError 400 `json_invalid` with the path
 */
export function parseStrictJson(bytes: Buffer): unknown {
  let text: string;
  try {
    text = utf8.decode(bytes);
  } catch {
    reject('', 'is not UTF-8');
  }
  const plain = parsePlainJson(text);
  if (plain) return plain.value;
  checkTokens(createScanner(text, true));
  try {
    return JSON.parse(text) as unknown;
  } catch (error) {
    reject('', error instanceof Error ? error.message : 'cannot be parsed');
  }
}
