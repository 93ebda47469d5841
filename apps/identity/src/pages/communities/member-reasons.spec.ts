import type { TokenGatingExplanation } from '@app/dto';
import { describe, expect, it } from '@jest/globals';
import { createRuleNames } from '../rules/rule-sentence.js';
import { type RoleTimes, toRoleReasons } from './member-reasons.js';

const names = createRuleNames([{ chainId: 1, name: 'Ethereum', nativeSymbol: 'ETH' }]);
const native = (minToken: string) => ({ type: 'NATIVE', chainId: 1, minToken });
const roles = [{ id: 'whale', name: 'Whale', color: 255 }];

const explain = (more: Partial<TokenGatingExplanation>): TokenGatingExplanation => ({
  ...{ rule: 0, roleId: 'whale', granted: false, code: 'below_minimum', min: '1', max: null, unit: 'coin' },
  ...more,
});

const linesOf = (
  rules: { roleId: string }[],
  granted: boolean | null,
  explanations: TokenGatingExplanation[],
) => {
  const [role] = toRoleReasons({ roles, rules, names }, { roles: [{ id: 'whale', granted }], explanations });
  return {
    state: role?.verdict?.state,
    lines: role?.rules.map(({ text, reason }) => [reason?.mark, text, reason?.text]),
  };
};

describe('toRoleReasons', () => {
  it('toRoleReasons: says what a role asks for where nobody was checked', () => {
    expect(toRoleReasons({ roles, rules: [{ roleId: 'whale', ...native('2') }], names })).toEqual([
      { name: 'Whale', color: '#0000ff', rules: [{ text: 'Hold at least 2 ETH on Ethereum' }] },
    ]);
  });

  it('toRoleReasons: says that nobody gets a role that no rule gives', () => {
    const nobody = { roles: [{ id: 'whale', granted: null }], explanations: [] };
    const [role] = toRoleReasons({ roles, rules: [], names }, nobody, 'invited');
    expect(role?.verdict).toEqual({ state: 'missing', text: 'Nobody gets this role yet' });
  });

  it('toRoleReasons: says which contract a rule means', () => {
    const nft = { type: 'ERC721', chainId: 1, contractAddress: `0x${'ab'.repeat(20)}`, name: 'Club' };
    expect(toRoleReasons({ roles, rules: [{ roleId: 'whale', ...nft }], names })[0]?.rules).toEqual([
      { text: 'Hold at least 1 NFT of Club on Ethereum (contract 0xABaB…ABaB)' },
    ]);
  });

  it('toRoleReasons: says of each rule whether and why it is met', () => {
    const rules = [
      { roleId: 'other', ...native('9') },
      { roleId: 'whale', ...native('1') },
    ];
    expect(linesOf(rules, false, [explain({ rule: 1, held: '0' })])).toEqual({
      state: 'missing',
      lines: [['no', 'Hold at least 1 ETH on Ethereum', 'Holds 0 coins; at least 1 coin needed.']],
    });
    expect(linesOf(rules, null, [explain({ rule: 1, granted: null, code: 'read_failed' })])).toMatchObject({
      state: 'unknown',
      lines: [['unknown', 'Hold at least 1 ETH on Ethereum', expect.any(String)]],
    });
  });

  it('toRoleReasons: counts a condition that must not be met as met where it is not', () => {
    const rules = [{ roleId: 'whale', not: native('1') }];
    expect(linesOf(rules, true, [explain({ path: 'not', held: '0' })])).toEqual({
      state: 'held',
      lines: [['yes', 'Do not hold at least 1 ETH on Ethereum', 'Holds 0 coins.']],
    });
  });

  it('toRoleReasons: says how the conditions of a rule belong together, and then each of them', () => {
    const rules = [{ roleId: 'whale', anyOf: [native('1'), native('5')] }];
    const explanations = [
      explain({ path: 'anyOf.0', granted: true, code: 'held_enough', held: '2' }),
      explain({ path: 'anyOf.1', held: '2', min: '5' }),
    ];
    expect(linesOf(rules, true, explanations)).toEqual({
      state: 'held',
      lines: [
        [undefined, 'Meet at least one of these:', undefined],
        ['yes', 'Hold at least 1 ETH on Ethereum', 'Holds 2 coins.'],
        ['no', 'Hold at least 5 ETH on Ethereum', 'Holds 2 coins; at least 5 coins needed.'],
      ],
    });
  });
  it('toRoleReasons: tells groups within groups by their levels, and "not" where it stands', () => {
    const rules = [
      {
        roleId: 'whale',
        allOf: [
          native('1'),
          { anyOf: [native('7'), { not: native('3') }] },
          { not: { allOf: [native('8'), native('9')] } },
        ],
      },
    ];
    const explanations = [
      explain({ path: 'allOf.0', granted: true, code: 'held_enough', held: '2' }),
      explain({ path: 'allOf.1.anyOf.0', held: '2', min: '7' }),
      explain({ path: 'allOf.1.anyOf.1.not', held: '2', min: '3' }),
      explain({ path: 'allOf.2.not.allOf.0', held: '2', min: '8' }),
      explain({ path: 'allOf.2.not.allOf.1', held: '2', min: '9' }),
    ];
    const checked = { roles: [{ id: 'whale', granted: true }], explanations };
    const [role] = toRoleReasons({ roles, rules, names }, checked);
    expect(role?.rules.map(({ text, level, reason }) => [level, reason?.mark, text])).toEqual([
      [0, undefined, 'Meet all of these:'],
      [1, 'yes', 'Hold at least 1 ETH on Ethereum'],
      [1, undefined, 'Meet at least one of these:'],
      [2, 'no', 'Hold at least 7 ETH on Ethereum'],
      [2, 'yes', 'Do not hold at least 3 ETH on Ethereum'],
      [1, undefined, 'Do not meet all of these:'],
      [2, 'no', 'Hold at least 8 ETH on Ethereum'],
      [2, 'no', 'Hold at least 9 ETH on Ethereum'],
    ]);
  });

  it('T376: toRoleReasons: says of stored roles which rules the last check found met, and of none more than is stored', () => {
    const one = [{ roleId: 'whale', ...native('1') }];
    const two = [...one, { roleId: 'whale', ...native('5') }];
    const gainedTime = '2026-11-01T10:00:00.000Z';
    const gained = [{ roleId: 'whale', gainedTime }];
    const lost = [{ roleId: 'whale', gainedTime, lostTime: '2026-11-02T10:00:00.000Z' }];
    const marksOf = (rules: { roleId: string }[], granted: boolean, times: RoleTimes) => {
      const stored = { roles: [{ id: 'whale', granted }], explanations: [], isStored: true };
      const [role] = toRoleReasons({ roles, rules, names }, stored, 'member', times);
      return role?.rules.map(({ reason }) => reason?.text);
    };
    expect(marksOf(one, true, gained)).toEqual(['The last check that decided gave the role.']);
    expect(marksOf(two, false, lost)).toEqual(Array(2).fill('The last check that decided took the role.'));
    // Either of the two may have given it, and nobody has looked yet.
    expect(marksOf(two, true, gained)).toEqual([undefined, undefined]);
    expect(marksOf(one, false, [])).toEqual([undefined]);
  });
});
