import type { ReadFailure } from '@app/chain/evm';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { GRANTED, NOT_GRANTED, toUndetermined, type Verdict } from '../rules/verdict.js';
import { VAULTS_NOT_READ } from '../rules/rule-failures.js';
import { mergeRoles } from './roles-response.js';

const failure: ReadFailure = { ok: false, permanent: false, code: 'timeout', message: 'too late' };
const UNDETERMINED = toUndetermined(failure);
const oneRole = (...verdicts: Verdict[]) =>
  mergeRoles(
    verdicts.map(() => ({ roleId: 'a' })),
    verdicts,
  )[0];

describe('mergeRoles', () => {
  it.each([
    [GRANTED, GRANTED, 'granted'],
    [GRANTED, UNDETERMINED, 'granted'],
    [GRANTED, NOT_GRANTED, 'granted'],
    [UNDETERMINED, UNDETERMINED, 'undetermined'],
    [UNDETERMINED, NOT_GRANTED, 'undetermined'],
    [NOT_GRANTED, NOT_GRANTED, 'not_granted'],
  ])('mergeRoles: %j or %j is %s', (a, b, expected) => {
    expect(oneRole(a, b)?.kind).toBe(expected);
    expect(oneRole(b, a)?.kind).toBe(expected);
  });

  it('mergeRoles: reports errors by rule, for undetermined roles only', () => {
    expect(oneRole(UNDETERMINED, GRANTED)?.errors).toEqual([]);
    expect(oneRole(NOT_GRANTED, UNDETERMINED)?.errors).toEqual([
      { roleId: 'a', rule: 1, name: 'NodeTimeoutError', message: 'too late', retryable: true },
    ]);
  });

  it('mergeRoles: denies a role whose only unknown are vaults that the account may have hidden itself', () => {
    const hidden = toUndetermined(VAULTS_NOT_READ);
    const [alone, beside] = [oneRole(hidden, NOT_GRANTED), oneRole(hidden, UNDETERMINED)];
    expect([alone?.kind, beside?.kind, oneRole(hidden, GRANTED)?.kind]).toEqual([
      'not_granted',
      'undetermined',
      'granted',
    ]);
    expect(alone?.errors).toMatchObject([{ name: 'VaultsNotReadError', retryable: false }]);
    expect(beside?.errors).toHaveLength(2);
  });

  it('mergeRoles: returns one entry per role, in the order of first occurrence', () => {
    const rule = fc.record({
      roleId: fc.constantFrom('1', '2', 'b', '__proto__'),
      verdict: fc.constantFrom(GRANTED, NOT_GRANTED, UNDETERMINED),
    });
    fc.assert(
      fc.property(fc.array(rule), (rules) => {
        const merged = mergeRoles(
          rules,
          rules.map(({ verdict }) => verdict),
        );
        expect(merged.map(({ id }) => id)).toEqual([...new Set(rules.map(({ roleId }) => roleId))]);
      }),
    );
  });
});
