import { describe, expect, it } from '@jest/globals';
import { capSchema } from './cap.js';
import { measureTransaction } from './measure-transaction.js';

const MINT = 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v';
const OTHER = 'So11111111111111111111111111111111111111112';
const caps = [
  { of: 'lamports', network: 'SOL' },
  { of: 'sponsoredFees', network: 'SOL' },
  { of: 'solanaToken', network: 'SOL', mint: MINT },
  { of: 'gas', chainId: 1 },
].map((cap) => capSchema.parse({ ...cap, per: 'account', period: 'day', max: '1' }));

const measure = (network: 'SOL' | 'SOL_DEVNET', tokens: [string, bigint][], lamports = 8n) =>
  measureTransaction(caps, { network, fee: 5n, sponsoredFee: 0n, lamports, tokens: new Map(tokens) }).map(
    ({ cap, amount, ifReverted }) => [cap.of, amount, ifReverted],
  );

describe('measureTransaction', () => {
  it('measureTransaction: has lamports and tokens; a failed transaction has cost its fee', () => {
    expect(measure('SOL', [[MINT, 7n]])).toEqual([
      ['lamports', 8n, 5n],
      ['solanaToken', 7n, 0n],
    ]);
  });

  it('measureTransaction: has the fee of a sponsor, also of a failed transaction', () => {
    const transaction = {
      network: 'SOL',
      fee: 0n,
      sponsoredFee: 6n,
      lamports: 0n,
      tokens: new Map(),
    } as const;
    expect(measureTransaction(caps, transaction)).toMatchObject([
      { cap: { of: 'sponsoredFees' }, amount: 6n, ifReverted: 6n },
    ]);
  });

  it('measureTransaction: has nothing for other networks and mints, and nothing where nothing is used', () => {
    expect(measure('SOL_DEVNET', [[MINT, 7n]])).toEqual([]);
    expect(measure('SOL', [[OTHER, 7n]], 0n)).toEqual([]);
  });
});
