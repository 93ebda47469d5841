import { badRequest, findTextProblem } from '@app/common';
import { createScanner, type JSONScanner } from 'jsonc-parser';

export const MAX_JSON_DEPTH = 32;

/** The kinds of jsonc-parser's tokens that matter here; its own enum is `const` and cannot be imported. */
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

const pathOf = (stack: Container[]): string => stack.map(({ at }) => at).join('.');

function refuse(path: string, message: string): never {
  throw badRequest(
    'json_invalid',
    `The body is not acceptable JSON: ${path === '' ? message : `${path}: ${message}`}.`,
    {
      issues: [{ path, message }],
    },
  );
}

function checkText(text: string, stack: Container[]): void {
  const problem = findTextProblem(text);
  if (problem !== undefined) refuse(pathOf(stack), problem);
}

function enterKey(container: Container, key: string, stack: Container[]): void {
  container.at = key;
  container.expectsKey = false;
  if (container.keys?.has(key)) refuse(pathOf(stack), 'is there twice');
  if (FORBIDDEN_KEYS.has(key)) refuse(pathOf(stack), 'is not an allowed name');
  container.keys?.add(key);
}

function nextItem(container: Container | undefined): void {
  if (!container) return;
  if (container.keys) container.expectsKey = true;
  else container.at = Number(container.at) + 1;
}

function open(stack: Container[], keys: Set<string> | undefined): void {
  if (stack.length >= MAX_JSON_DEPTH) refuse('', `is nested deeper than ${MAX_JSON_DEPTH} levels`);
  stack.push({ keys, at: keys ? '' : 0, expectsKey: keys !== undefined });
}

/** Looks at every token once and without recursion: what JSON.parse would accept in silence is refused here. */
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
 * Parses a JSON text (RFC 8259) of I-JSON's kind (RFC 7493): no duplicate names, no lone surrogates; also no NUL, no
 * names that reach prototypes, at most 32 levels.
 * @throws AppError 400 `json_invalid` that names the place.
 */
export function parseStrictJson(bytes: Buffer): unknown {
  let text: string;
  try {
    text = utf8.decode(bytes);
  } catch {
    refuse('', 'is not UTF-8');
  }
  checkTokens(createScanner(text, true));
  try {
    return JSON.parse(text) as unknown;
  } catch (error) {
    refuse('', error instanceof Error ? error.message : 'does not parse');
  }
}
