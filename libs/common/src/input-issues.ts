import type { z } from 'zod';

/** A reason why an input is invalid. `path` is dotted: `rules.0.chainId`. */
export interface InputIssue {
  path: string;
  message: string;
}

/** Levels of arrays and objects in JSON that comes from outside: in bodies of requests and in jobs of queues. */
export const MAX_JSON_DEPTH = 32;

/** Why PostgreSQL cannot store a text that is valid JSON; undefined for a storable text. */
export function findTextProblem(text: string): string | undefined {
  if (text.includes('\0')) return 'must not contain a NUL character';
  if (!text.isWellFormed()) return 'must not contain an unpaired surrogate';
  return undefined;
}

/** Bounds the size of the error response. */
const MAX_ISSUES = 50;

type Path = readonly PropertyKey[];

const formatPath = (path: Path): string => path.map(String).join('.');

/** The issues of the union branch that matched deepest: the one that the caller most likely meant. */
function findClosestBranch(branches: readonly z.core.$ZodIssue[][]): readonly z.core.$ZodIssue[] {
  const depth = (issues: readonly z.core.$ZodIssue[]) =>
    Math.max(0, ...issues.map(({ path }) => path.length));
  return [...branches].sort((a, b) => depth(b) - depth(a) || a.length - b.length)[0] ?? [];
}

function toPlainMessage({ code, message }: z.core.$ZodIssue): string {
  return code === 'invalid_type' && message.endsWith('received undefined') ? 'is required' : message;
}

function flattenIssue(issue: z.core.$ZodIssue, base: Path): InputIssue[] {
  const path = [...base, ...issue.path];
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map((key) => ({ path: formatPath([...path, key]), message: 'is not a known field' }));
  }
  if (issue.code === 'invalid_union' && issue.errors.length > 0) {
    return findClosestBranch(issue.errors).flatMap((inner) => flattenIssue(inner, path));
  }
  return [{ path: formatPath(path), message: toPlainMessage(issue) }];
}

/** Turns zod's issues into ours: an issue for each invalid or unknown field. */
export function toInputIssues(issues: readonly z.core.$ZodIssue[]): InputIssue[] {
  return issues.flatMap((issue) => flattenIssue(issue, [])).slice(0, MAX_ISSUES);
}

/** The issues in one line, for logs: paths and reasons, never values. */
export const summarizeIssues = (issues: readonly z.core.$ZodIssue[]): string =>
  toInputIssues(issues)
    .map(({ path, message }) => `${path || 'payload'}: ${message}`)
    .join('; ');
