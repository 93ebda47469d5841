import { textProblem } from '@app/common';
import type { z } from 'zod';

/** As over HTTP. */
const MOST_LEVELS = 32;

interface Place {
  value: unknown;
  path: string[];
}

/** Refuses JSON that a row cannot hold, names and values alike: `schema.superRefine(storable)`. */
export function storable(json: unknown, context: z.RefinementCtx): void {
  const places: Place[] = [{ value: json, path: [] }];
  for (let place = places.pop(); place; place = places.pop()) {
    const problem = problemOf(place);
    if (problem !== undefined) {
      context.addIssue({ code: 'custom', path: place.path, message: problem });
      return;
    }
    places.push(...within(place));
  }
}

function problemOf({ value, path }: Place): string | undefined {
  if (path.length > MOST_LEVELS) return `is nested deeper than ${MOST_LEVELS} levels`;
  const name = textProblem(path.at(-1) ?? '');
  if (name !== undefined) return name;
  return typeof value === 'string' ? textProblem(value) : undefined;
}

const within = ({ value, path }: Place): Place[] =>
  typeof value === 'object' && value !== null
    ? Object.entries(value).map(([name, inner]: [string, unknown]) => ({
        value: inner,
        path: [...path, name],
      }))
    : [];
