import type { z } from 'zod';

/** One reason why an input was refused. `path` is dotted: `rules.0.chainId`. */
export interface InputIssue {
  path: string;
  message: string;
}

/** Why PostgreSQL would not keep a text that JSON allows, or undefined. */
export function findTextProblem(text: string): string | undefined {
  if (text.includes('\0')) return 'must not hold a NUL character';
  if (!text.isWellFormed()) return 'must not hold half of a surrogate pair';
  return undefined;
}

/** Enough to mend a request by; a hostile one does not get to fill the answer. */
const MAX_ISSUES = 50;

type Path = readonly PropertyKey[];

const formatPath = (path: Path): string => path.map(String).join('.');

/** A union that no branch fits says most about the branch that got furthest. */
function findClosestBranch(branches: readonly z.core.$ZodIssue[][]): readonly z.core.$ZodIssue[] {
  const depth = (issues: readonly z.core.$ZodIssue[]) =>
    Math.max(0, ...issues.map(({ path }) => path.length));
  return [...branches].sort((a, b) => depth(b) - depth(a) || a.length - b.length)[0] ?? [];
}

/** zod's own words for the commonest mistakes are those of a programmer. */
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

/** One entry for every field that failed, unknown ones by their own name. */
export function toInputIssues(issues: readonly z.core.$ZodIssue[]): InputIssue[] {
  return issues.flatMap((issue) => flattenIssue(issue, [])).slice(0, MAX_ISSUES);
}

/** The same in one line: where and why, never the values. */
export const summarizeIssues = (issues: readonly z.core.$ZodIssue[]): string =>
  toInputIssues(issues)
    .map(({ path, message }) => `${path || 'payload'}: ${message}`)
    .join('; ');
