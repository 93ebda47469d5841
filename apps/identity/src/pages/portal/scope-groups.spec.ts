import { expect, it } from '@jest/globals';
import { SELECTABLE_SCOPES } from './application-form.js';
import { SCOPE_GROUPS } from './scope-groups.js';

it('scope groups: have each scope that an application may request once, token-gating first', () => {
  const grouped = SCOPE_GROUPS.flatMap(({ scopes }) => scopes);
  expect([...grouped].sort()).toEqual([...SELECTABLE_SCOPES].sort());
  expect(grouped[0]).toBe('token-gating');
});
