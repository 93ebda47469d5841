import { findTextProblem } from '@app/common';
import type { z } from 'zod';

/** As over HTTP. */
const MAX_JSON_DEPTH = 32;

interface JsonNode {
  value: unknown;
  path: string[];
}

/** Refuses JSON that a row cannot hold, names and values alike: `schema.superRefine(storable)`. */
export function checkStorableJson(json: unknown, context: z.RefinementCtx): void {
  const places: JsonNode[] = [{ value: json, path: [] }];
  for (let place = places.pop(); place; place = places.pop()) {
    const problem = findProblem(place);
    if (problem !== undefined) {
      context.addIssue({ code: 'custom', path: place.path, message: problem });
      return;
    }
    places.push(...listChildren(place));
  }
}

function findProblem({ value, path }: JsonNode): string | undefined {
  if (path.length > MAX_JSON_DEPTH) return `is nested deeper than ${MAX_JSON_DEPTH} levels`;
  const name = findTextProblem(path.at(-1) ?? '');
  if (name !== undefined) return name;
  return typeof value === 'string' ? findTextProblem(value) : undefined;
}

const listChildren = ({ value, path }: JsonNode): JsonNode[] =>
  typeof value === 'object' && value !== null
    ? Object.entries(value).map(([name, inner]: [string, unknown]) => ({
        value: inner,
        path: [...path, name],
      }))
    : [];
