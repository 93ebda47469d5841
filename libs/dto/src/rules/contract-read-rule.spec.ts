import { describe, expect, it } from '@jest/globals';
import { roleRules } from './role-rules.js';
import { tokenGatingRequest } from './token-gating-request.js';
import { tokenGatingRule } from './token-gating-rule.js';

const contractAddress = `0x${'cd'.repeat(20)}`;
const read = (fields: object = {}) => ({
  type: 'CONTRACT_READ',
  chainId: 1,
  contractAddress,
  function: 'function f(address, uint8) view returns (uint256)',
  arguments: ['$account', '7'],
  ...fields,
});
const of = (returns: string, fields: object = {}) =>
  read({ function: `function f() view returns (${returns})`, arguments: [], ...fields });

describe('a rule of type CONTRACT_READ', () => {
  it.each([
    ['an integer of at least 1', read()],
    ['bounds with decimals', read({ minToken: '-0.5', maxToken: '10.25', decimals: 2 })],
    ['a function without arguments', of('bool', { arguments: undefined })],
    ['true', of('bool', { equals: 'true' })],
    ['the account', of('address', { equals: '$account' })],
    ['an integer in hex', of('uint8', { equals: '0x0a' })],
    ['a length', of('uint256[]', { minToken: '2', maxToken: '3' })],
    ['bytes', of('bytes32', { equals: `0x${'Ab'.repeat(32)}` })],
  ])('rule of type CONTRACT_READ: asks for %s', (_, rule) => {
    expect(tokenGatingRule.safeParse(rule)).toMatchObject({ success: true });
  });

  it.each<[string, object, (string | number)[][]]>([
    ['no function', read({ function: undefined }), [['function']]],
    ['a function of 513 characters', read({ function: `function ${'f'.repeat(513)}` }), [['function']]],
    ['a function that writes', read({ function: 'function f() returns (bool)' }), [['function']]],
    ['a precompiled contract', read({ contractAddress: `0x${'0'.repeat(36)}ffff` }), [['contractAddress']]],
    ['the zero address', read({ contractAddress: `0x${'0'.repeat(40)}` }), [['contractAddress']]],
    ['no chain', read({ chainId: undefined }), [['chainId']]],
    ['a cluster of Solana', read({ chainId: 8_000_000_000_101 }), [['chainId']]],
    ['too few arguments', read({ arguments: ['$account'] }), [['arguments']]],
    ['too many arguments', of('bool', { arguments: ['1'] }), [['arguments']]],
    ['nine arguments', read({ arguments: Array(9).fill('1') }), [['arguments']]],
    ['a long argument', read({ arguments: ['$account', '7'.repeat(129)] }), [['arguments', 1]]],
    ['the account as a number', read({ arguments: ['$account', '$account'] }), [['arguments', 1]]],
    [
      'a number beyond its type',
      read({ arguments: ['0x1', '256'] }),
      [
        ['arguments', 0],
        ['arguments', 1],
      ],
    ],
    ['an address without equals', of('address'), [['equals']]],
    ['bytes without equals', of('bytes32', { minToken: '1' }), [['equals']]],
    ['a wrong equals', of('bool', { equals: '1' }), [['equals']]],
    ['an integer beyond its type', of('int8', { equals: '128' }), [['equals']]],
    ['equals beside minToken', of('uint256', { equals: '1', minToken: '1' }), [['minToken']]],
    ['equals beside maxToken', of('uint256', { equals: '1', maxToken: '1' }), [['maxToken']]],
    ['an amount of true', of('bool', { minToken: '2' }), [['minToken']]],
    ['a maximum of true', of('bool', { maxToken: '1' }), [['maxToken']]],
    ['a fraction of a raw integer', of('uint256', { minToken: '0.5' }), [['minToken']]],
    ['a fraction of a length', of('bool[]', { maxToken: '1.5' }), [['maxToken']]],
    ['decimals of bool', of('bool', { decimals: 2 }), [['decimals']]],
    ['decimals beside equals', of('uint256', { equals: '1', decimals: 2 }), [['decimals']]],
    ['78 decimals', of('uint256', { decimals: 78 }), [['decimals']]],
    ['a minimum above the maximum', of('int256', { minToken: '-1', maxToken: '-2' }), [['minToken']]],
    ['a tokenId', read({ tokenId: '1' }), [['tokenId']]],
    ['accounts', read({ accounts: [contractAddress] }), [['accounts']]],
    ['a query', read({ query: 'true' }), [['query']]],
  ])('rule of type CONTRACT_READ: refuses %s, and names the field', (_, rule, paths) => {
    expect(tokenGatingRule.safeParse(rule).error?.issues.map(({ path }) => path)).toEqual(paths);
  });

  it('tokenGatingRequest: takes 50 functions of contracts, however often, and no more', () => {
    const functions = (count: number) =>
      Array.from({ length: count }, (_, index) =>
        of('bool', { function: `function f${index}() view returns (bool)` }),
      );
    const problemOf = (rules: unknown[]) =>
      tokenGatingRequest
        .safeParse({ account: contractAddress, rules })
        .error?.issues.map(({ path, message }) => [...path, message]);
    const tooMany = [['rules', 'name 51 functions of contracts; at most 50 fit one request']];
    expect(problemOf([...functions(50), ...functions(50)])).toBeUndefined();
    expect(problemOf(functions(51))).toEqual(tooMany);
    expect(problemOf([{ not: { allOf: functions(50) } }, read()])).toEqual(tooMany);
    expect(problemOf([...functions(50), { ...functions(1)[0], chainId: 2 }])).toEqual(tooMany);
    const ofCommunity = (count: number) =>
      roleRules.safeParse(functions(count).map((one) => ({ ...one, roleId: 'r' })));
    expect(ofCommunity(51).error?.issues.map(({ message }) => message)).toContain(tooMany[0]?.[1]);
    expect(ofCommunity(50).success).toBe(true);
  });

  it.each(['function', 'arguments', 'equals', 'decimals'])(
    'tokenGatingRule: refuses %s in a rule of another type',
    (field) => {
      const value = {
        function: 'function f() view returns (bool)',
        arguments: ['1'],
        equals: '1',
        decimals: 1,
      }[field];
      const result = tokenGatingRule.safeParse({
        type: 'ERC20',
        chainId: 1,
        contractAddress,
        [field]: value,
      });
      expect(result.error?.issues).toMatchObject([
        { path: [field], message: expect.stringContaining('ERC20') },
      ]);
    },
  );
});
