import { expect, it } from '@jest/globals';
import type { z } from 'zod';
import { toInputIssues } from './errors.js';

it('toInputIssues: looks at no more issues than it returns, and names fifty unknown fields at most', () => {
  let looks = 0;
  const issue = {
    code: 'custom',
    message: 'is wrong',
    get path() {
      looks += 1;
      return ['rules', looks];
    },
  } satisfies z.core.$ZodIssueCustom;
  expect(toInputIssues(Array<z.core.$ZodIssue>(1_000).fill(issue))).toHaveLength(50);
  expect(looks).toBe(50);
  const keys = Array.from({ length: 1_000 }, (_, at) => `field${at}`);
  expect(toInputIssues([{ code: 'unrecognized_keys', keys, path: [], message: '' }])).toHaveLength(50);
});
