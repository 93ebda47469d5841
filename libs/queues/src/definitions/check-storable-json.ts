import { findTextProblem, MAX_JSON_DEPTH } from '@app/common';
import type { z } from 'zod';

interface JsonNode {
  value: unknown;
  path: string[];
}

/** Rejects JSON with text that PostgreSQL cannot store, or too deep: `schema.superRefine(checkStorableJson)`. */
export function checkStorableJson(json: unknown, context: z.RefinementCtx): void {
  const nodes: JsonNode[] = [{ value: json, path: [] }];
  for (let node = nodes.pop(); node; node = nodes.pop()) {
    const problem = findProblem(node);
    if (problem !== undefined) {
      context.addIssue({ code: 'custom', path: node.path, message: problem });
      return;
    }
    nodes.push(...listChildren(node));
  }
}

function findProblem({ value, path }: JsonNode): string | undefined {
  if (path.length > MAX_JSON_DEPTH) return `is nested deeper than ${MAX_JSON_DEPTH} levels`;
  const nameProblem = findTextProblem(path.at(-1) ?? '');
  if (nameProblem !== undefined) return nameProblem;
  return typeof value === 'string' ? findTextProblem(value) : undefined;
}

const listChildren = ({ value, path }: JsonNode): JsonNode[] =>
  typeof value === 'object' && value !== null
    ? Object.entries(value).map(([name, inner]: [string, unknown]) => ({
        value: inner,
        path: [...path, name],
      }))
    : [];
