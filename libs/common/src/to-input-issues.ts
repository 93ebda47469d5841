import type { z } from 'zod';
import type { InputIssue } from './issue.js';

/** Enough to mend a request by; a hostile one does not get to fill the answer. */
const MOST_ISSUES = 50;

type Path = readonly PropertyKey[];

const dotted = (path: Path): string => path.map(String).join('.');

/** A union that no branch fits says most about the branch that got furthest. */
function closestBranch(branches: readonly z.core.$ZodIssue[][]): readonly z.core.$ZodIssue[] {
  const depth = (issues: readonly z.core.$ZodIssue[]) =>
    Math.max(0, ...issues.map(({ path }) => path.length));
  return [...branches].sort((a, b) => depth(b) - depth(a) || a.length - b.length)[0] ?? [];
}

/** zod's own words for the commonest mistakes are those of a programmer. */
function plainMessage({ code, message }: z.core.$ZodIssue): string {
  return code === 'invalid_type' && message.endsWith('received undefined') ? 'is required' : message;
}

function flatten(issue: z.core.$ZodIssue, base: Path): InputIssue[] {
  const path = [...base, ...issue.path];
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map((key) => ({ path: dotted([...path, key]), message: 'is not a known field' }));
  }
  if (issue.code === 'invalid_union' && issue.errors.length > 0) {
    return closestBranch(issue.errors).flatMap((inner) => flatten(inner, path));
  }
  return [{ path: dotted(path), message: plainMessage(issue) }];
}

/** One entry for every field that failed, unknown ones by their own name. */
export function toInputIssues(issues: readonly z.core.$ZodIssue[]): InputIssue[] {
  return issues.flatMap((issue) => flatten(issue, [])).slice(0, MOST_ISSUES);
}

/** The same in one line: where and why, never the values. */
export const summarizeIssues = (issues: readonly z.core.$ZodIssue[]): string =>
  toInputIssues(issues)
    .map(({ path, message }) => `${path || 'payload'}: ${message}`)
    .join('; ');
