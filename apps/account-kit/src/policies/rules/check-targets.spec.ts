import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { Address } from 'viem';
import { ACCOUNT_CONTRACTS } from '../../evm/accounts/account-contracts.js';
import { checkTargets } from './check-targets.js';

const ACCOUNT: Address = '0x42424C5D1206fC37401Aba4281980f53c23D88dd';
const EXECUTOR: Address = '0x90F79bf6EB2c4f870365E785982E1f101E93b906';
const OTHER: Address = '0x00000000000000000000000000000000000a11ce';

const callTo = (target: Address) => ({ target, value: 0n, data: '0x' as const });

const FORBIDDEN: Address[] = [
  ACCOUNT,
  EXECUTOR,
  '0x4e59b44847b379578588920cA78FbF26c0B4956C',
  ...Object.values(ACCOUNT_CONTRACTS).flatMap(({ entryPoint, factory, implementation }) => [
    entryPoint,
    factory,
    implementation,
  ]),
];

describe('checkTargets', () => {
  it('checkTargets: allows other targets', () => {
    expect(() => {
      checkTargets([callTo(OTHER), callTo(OTHER)], [ACCOUNT, EXECUTOR]);
    }).not.toThrow();
  });

  it('checkTargets: refuses a forbidden target in any case and at any place', () => {
    const written = fc
      .constantFrom(...FORBIDDEN)
      .chain((address) =>
        fc.constantFrom(
          address,
          address.toLowerCase() as Address,
          `0x${address.slice(2).toUpperCase()}` satisfies Address,
        ),
      );
    fc.assert(
      fc.property(fc.nat(31), written, (position, address) => {
        const calls = Array.from({ length: 32 }, (_, index) => callTo(index === position ? address : OTHER));
        expect(() => {
          checkTargets(calls, [ACCOUNT, EXECUTOR]);
        }).toThrow(`call ${position} has the target`);
      }),
    );
  });
});
