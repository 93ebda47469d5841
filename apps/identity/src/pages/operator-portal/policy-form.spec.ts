import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { toPolicyDocument, toPolicyFields, toPolicyFormView } from './policy-form.js';

const address = fc.constantFrom(`0x${'a'.repeat(40)}`, `0x${'1'.repeat(40)}`);
const amount = fc.bigInt({ min: 0n, max: 10n ** 30n }).map(String);
const chainId = fc.integer({ min: 1, max: 10_000_000 });
const network = fc.constantFrom('SOL', 'SOL_DEVNET');
const mint = fc.constant('So11111111111111111111111111111111111111112');
const limit = {
  per: fc.constantFrom('account', 'application'),
  period: fc.constantFrom('day', 'month'),
  max: amount,
};
const some = <T>(one: fc.Arbitrary<T>) => fc.array(one, { maxLength: 5 });

/** Policies as account-kit stores them. */
const policy = fc.record(
  {
    calls: some(
      fc.record(
        {
          chainId,
          target: fc.oneof(fc.constant('any'), address),
          selectors: fc.array(fc.constantFrom('0x', '0xa9059cbb'), { minLength: 1, maxLength: 3 }),
        },
        { requiredKeys: ['chainId', 'target'] },
      ),
    ),
    tokens: some(fc.record({ chainId, token: address, maxAmount: amount })),
    solanaTokens: some(fc.record({ network, mint, maxAmount: amount })),
    caps: some(
      fc.oneof(
        fc.record({ of: fc.constantFrom('gas', 'value', 'mints'), chainId, ...limit }),
        fc.record({ of: fc.constant('token'), chainId, token: address, ...limit }),
        fc.record({ of: fc.constantFrom('lamports', 'sponsoredFees'), network, ...limit }),
        fc.record({ of: fc.constant('solanaToken'), network, mint, ...limit }),
      ),
    ),
    maxValue: amount,
    maxGasCost: amount,
    maxLamports: amount,
    mintChains: some(chainId),
    sponsoredChains: some(chainId),
    requiresIdempotencyKey: fc.boolean(),
    solanaNetworks: fc.subarray(['SOL', 'SOL_DEVNET']),
    sponsoredNetworks: fc.subarray(['SOL', 'SOL_DEVNET']),
    solanaPrograms: some(mint),
  },
  {
    requiredKeys: [
      ...(['calls', 'tokens', 'caps', 'maxValue', 'mintChains', 'sponsoredChains'] as const),
      ...(['requiresIdempotencyKey', 'solanaNetworks', 'sponsoredNetworks'] as const),
    ],
  },
);

/** What a browser sends of the form: each field, and of checkboxes those that are on. */
function submit(fields: Record<string, string>): Record<string, string> {
  const { lists } = toPolicyFormView(fields, {});
  const cells = lists.flatMap(({ rows }) => rows.flat());
  const chosen = ({ value, choices }: (typeof cells)[number]): string =>
    choices === undefined || value in choices ? value : (Object.keys(choices)[0] ?? '');
  return { ...fields, ...Object.fromEntries(cells.map((cell) => [cell.field, chosen(cell)])) };
}

describe('policy form', () => {
  it('toPolicyDocument: writes the same policy that the form showed', () => {
    fc.assert(
      fc.property(policy, (stored) => {
        const fields = toPolicyFields(JSON.stringify(stored));
        expect(fields).toBeDefined();
        expect(JSON.parse(toPolicyDocument(submit(fields ?? {})).document)).toEqual(stored);
      }),
    );
  });

  it('toPolicyFields: shows no policy with a part that the form has no field for, or with too many entries', () => {
    const stored = { ...fc.sample(policy, 1)[0] };
    expect(toPolicyFields(JSON.stringify({ ...stored, later: 1 }))).toBeUndefined();
    const calls = Array.from({ length: 26 }, () => ({ chainId: 1, target: 'any' }));
    expect(toPolicyFields(JSON.stringify({ ...stored, calls }))).toBeUndefined();
  });

  it('toPolicyFormView: has fewer fields than a form may have where every list is full', () => {
    const full = <T>(entry: T) => Array.from({ length: 25 }, () => entry);
    const cap = { of: 'gas', chainId: 1, per: 'account', period: 'day', max: '1' };
    const token = { chainId: 1, token: '0x', maxAmount: '1' };
    const stored = {
      ...fc.sample(policy, 1)[0],
      calls: full({ chainId: 1, target: 'any' }),
      tokens: full(token),
      solanaTokens: full({ network: 'SOL', mint: 'm', maxAmount: '1' }),
      caps: full(cap),
    };
    const fields = submit(toPolicyFields(JSON.stringify(stored)) ?? {});
    expect(Object.keys(fields).length).toBeGreaterThan(375);
    expect(Object.keys(fields).length).toBeLessThan(480);
  });

  it('toPolicyDocument: leads from an issue to the field of its row, also below rows that were left empty', () => {
    const { fieldOf, document } = toPolicyDocument({
      'calls-0-chainId': '',
      'calls-3-chainId': 'one',
      'calls-3-target': 'any',
      'caps-1-of': 'lamports',
      'caps-1-place': 'moon',
    });
    expect(JSON.parse(document)).toMatchObject({ calls: [{ chainId: 'one', target: 'any' }] });
    expect(fieldOf({ path: ['calls', 0, 'chainId'], message: '' })).toBe('calls-3-chainId');
    expect(fieldOf({ path: ['caps', 0, 'network'], message: '' })).toBe('caps-1-place');
    expect(fieldOf({ path: ['calls', 0, 'selectors', 2], message: '' })).toBe('calls-3-selectors');
    expect(fieldOf({ path: ['tokens', 4], message: '' })).toBe('tokens');
    expect(fieldOf({ path: ['maxValue'], message: '' })).toBe('maxValue');
  });
});
