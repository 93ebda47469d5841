import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { type Address, erc20Abi, type Hex } from 'viem';
import { encodeFunctionData, numberToHex } from 'viem/utils';
import type { AccountCall } from '../../evm/operations/encode-execute.js';
import { judgeCalls } from './judge-calls.js';
import { parsePolicyDocument } from './parse-policy-document.js';

const CHAIN = 31_337;
const TOKEN: Address = '0x00000000000000000000000000000000000070c3';
const CONTRACT: Address = '0x000000000000000000000000000000000000c047';
const PAYEE: Address = '0x00000000000000000000000000000000000a11ce';
const LIMIT = 1_000n;

const policy = parsePolicyDocument(
  JSON.stringify({
    calls: [
      { chainId: CHAIN, target: 'any', selectors: ['0x'] },
      { chainId: CHAIN, target: CONTRACT, selectors: ['0x12345678'] },
      { chainId: CHAIN, target: TOKEN },
    ],
    maxValue: '10',
    tokens: [{ chainId: CHAIN, token: TOKEN, maxAmount: String(LIMIT) }],
  }),
);

const call = (target: Address, data: Hex = '0x', value = 0n): AccountCall => ({ target, data, value });
const transfer = (amount: bigint): Hex =>
  encodeFunctionData({ abi: erc20Abi, functionName: 'transfer', args: [PAYEE, amount] });
const transferFrom = (amount: bigint): Hex =>
  encodeFunctionData({ abi: erc20Abi, functionName: 'transferFrom', args: [PAYEE, PAYEE, amount] });
const approve = (amount: bigint): Hex =>
  encodeFunctionData({ abi: erc20Abi, functionName: 'approve', args: [PAYEE, amount] });
const judge = (...calls: AccountCall[]) => {
  judgeCalls(policy, CHAIN, calls);
};

describe('judgeCalls', () => {
  it.each<[string, AccountCall[]]>([
    ['a payment of all that is allowed', [call(PAYEE, '0x', 10n)]],
    ['payments that are all that is allowed together', [call(PAYEE, '0x', 4n), call(CONTRACT, '0x', 6n)]],
    ['a listed function with arguments', [call(CONTRACT, `0x12345678${'00'.repeat(32)}`)]],
    ['a transfer of all that is allowed', [call(TOKEN, transfer(LIMIT))]],
    ['transfers and approvals within the limit', [call(TOKEN, transfer(400n)), call(TOKEN, approve(600n))]],
  ])('judgeCalls: allows %s', (_what, calls) => {
    expect(() => {
      judge(...calls);
    }).not.toThrow();
  });

  it.each<[string, AccountCall[], string]>([
    ['one wei more', [call(PAYEE, '0x', 11n)], '11 wei'],
    ['one wei more together', [call(PAYEE, '0x', 10n), call(CONTRACT, '0x12345678', 1n)], '11 wei'],
    ['another function', [call(CONTRACT, '0x12345679')], 'call 0 to'],
    ['a part of a selector', [call(CONTRACT, '0x1234')], 'call 0 to'],
    ['data for a target that may get payments', [call(PAYEE), call(PAYEE, '0x12345678')], 'call 1 to'],
    ['one unit of a token more', [call(TOKEN, transfer(LIMIT + 1n))], '1001 of the token'],
    [
      'one unit more together',
      [call(TOKEN, transfer(500n)), call(TOKEN, approve(501n))],
      '1001 of the token',
    ],
    ['the transfer of another holder', [call(TOKEN, transferFrom(LIMIT + 1n))], '1001 of the token'],
    ['an approval without bound', [call(TOKEN, approve(2n ** 256n - 1n))], 'of the token'],
    ['another function of the token', [call(TOKEN, '0x12345678')], 'no canonical'],
    ['trailing bytes', [call(TOKEN, `${transfer(1n)}00`)], 'no canonical'],
    ['missing bytes', [call(TOKEN, transfer(1n).slice(0, -2) as Hex)], 'no canonical'],
    [
      'bits above the address',
      [call(TOKEN, `${transfer(1n).slice(0, 10)}01${transfer(1n).slice(12)}` as Hex)],
      'no canonical',
    ],
  ])('judgeCalls: refuses %s', (_what, calls, message) => {
    expect(() => {
      judge(...calls);
    }).toThrow(message);
  });

  it('judgeCalls: refuses what is listed for another chain', () => {
    expect(() => {
      judgeCalls(policy, CHAIN + 1, [call(PAYEE)]);
    }).toThrow(`on chain ${CHAIN + 1}`);
  });

  it('judgeCalls: counts every amount of a batch, in any case of the target', () => {
    const amounts = fc.array(fc.bigInt({ min: 0n, max: LIMIT }), { minLength: 1, maxLength: 32 });
    const target = fc.constantFrom(TOKEN, `0x${TOKEN.slice(2).toUpperCase()}` satisfies Address);
    const encode = fc.constantFrom(transfer, transferFrom, approve);
    fc.assert(
      fc.property(amounts, target, encode, (batch, address, encodeAmount) => {
        const run = () => {
          judge(...batch.map((amount) => call(address, encodeAmount(amount))));
        };
        if (batch.reduce((sum, amount) => sum + amount, 0n) > LIMIT) expect(run).toThrow('of the token');
        else expect(run).not.toThrow();
      }),
    );
  });

  it('judgeCalls: knows the amount of each call to a token with a cap', () => {
    const capped = parsePolicyDocument(
      JSON.stringify({
        calls: [{ chainId: CHAIN, target: TOKEN }],
        caps: [
          { of: 'token', chainId: CHAIN, token: TOKEN, per: 'account', period: 'day', max: String(LIMIT) },
        ],
      }),
    );
    const judgeCapped = (data: Hex) => () => {
      judgeCalls(capped, CHAIN, [call(TOKEN, data)]);
    };
    expect(judgeCapped(transfer(LIMIT))).not.toThrow();
    expect(judgeCapped(transfer(LIMIT + 1n))).toThrow('1001 of the token');
    expect(judgeCapped('0x12345678')).toThrow('no canonical');
  });

  it('judgeCalls: allows no selector that is not listed', () => {
    fc.assert(
      fc.property(fc.nat(0xffff_ffff), (number) => {
        fc.pre(number !== 0x12345678);
        expect(() => {
          judge(call(CONTRACT, numberToHex(number, { size: 4 })));
        }).toThrow('is not on its list');
      }),
    );
  });
});

describe('parsePolicyDocument', () => {
  it.each<[string, unknown, string]>([
    ['unknown fields', { call: [] }, 'call'],
    ['an amount that is a number', { maxValue: 1 }, 'maxValue'],
    ['an amount with a sign', { maxValue: '-1' }, 'maxValue'],
    ['no address', { calls: [{ chainId: 1, target: '0x12' }] }, 'calls[0].target'],
    ['no selector', { calls: [{ chainId: 1, target: 'any', selectors: ['0x12'] }] }, 'calls[0].selectors[0]'],
    ['a list without selectors', { calls: [{ chainId: 1, target: 'any', selectors: [] }] }, 'selectors'],
    [
      'a token with two limits',
      { tokens: ['1', '2'].map((maxAmount) => ({ chainId: 1, token: TOKEN, maxAmount })) },
      'is there twice',
    ],
    [
      'two caps of the same',
      { caps: ['1', '2'].map((max) => ({ of: 'gas', chainId: 1, per: 'account', period: 'day', max })) },
      'caps[1]',
    ],
    [
      'a cap without a period',
      { caps: [{ of: 'gas', chainId: 1, per: 'account', max: '1' }] },
      'caps[0].period',
    ],
    [
      'a cap with what another one has',
      { caps: [{ of: 'gas', chainId: 1, token: TOKEN, per: 'account', period: 'day', max: '1' }] },
      'caps[0]',
    ],
  ])('parsePolicyDocument: refuses %s, and names it', (_what, document, message) => {
    expect(() => parsePolicyDocument(JSON.stringify(document))).toThrow(message);
  });

  it('parsePolicyDocument: allows nothing where a document is empty', () => {
    expect(parsePolicyDocument('{}')).toEqual({
      calls: [],
      maxValue: 0n,
      tokens: [],
      mintChains: [],
      sponsoredChains: [],
      solanaNetworks: [],
      sponsoredNetworks: [],
      requiresIdempotencyKey: false,
      caps: [],
    });
  });
});
