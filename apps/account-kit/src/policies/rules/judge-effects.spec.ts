import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { judgeEffects, type TransactionEffects } from './judge-effects.js';
import { parsePolicyDocument } from './parse-policy-document.js';

const MINT = 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v';
const OTHER = 'So11111111111111111111111111111111111111112';
const PROGRAM = 'MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr';

const judge = (
  document: object,
  effects: Partial<TransactionEffects>,
  network: 'SOL' | 'SOL_DEVNET' = 'SOL',
) => {
  const nothing = { lamports: 0n, tokens: new Map<string, bigint>(), opaquePrograms: [] };
  judgeEffects(parsePolicyDocument(JSON.stringify(document)), network, { ...nothing, ...effects });
};
const limited = {
  maxLamports: '10',
  solanaTokens: [{ network: 'SOL', mint: MINT, maxAmount: '5' }],
  solanaPrograms: [PROGRAM],
};
const capOf = (network: string) => ({ of: 'lamports', network, per: 'account', period: 'day', max: '1' });

describe('judgeEffects', () => {
  it('judgeEffects: allows exactly what is within the limits', () => {
    const amount = fc.bigInt({ min: 0n, max: 20n });
    fc.assert(
      fc.property(amount, amount, fc.constantFrom(MINT, OTHER), (lamports, units, mint) => {
        const run = () => {
          judge(limited, { lamports, tokens: new Map([[mint, units]]), opaquePrograms: [PROGRAM] });
        };
        if (lamports <= 10n && mint === MINT && units <= 5n) expect(run).not.toThrow();
        else expect(run).toThrow('The policy does not allow this');
      }),
    );
  });

  it('judgeEffects: limits the tokens of each network apart', () => {
    expect(() => {
      judge(limited, { tokens: new Map([[MINT, 1n]]) }, 'SOL_DEVNET');
    }).toThrow('is not on its list');
  });

  it('judgeEffects: allows everything that a policy does not limit', () => {
    expect(() => {
      judge({}, { lamports: 99n, tokens: new Map([[OTHER, 99n]]), opaquePrograms: [PROGRAM] });
    }).not.toThrow();
  });

  it.each([{ maxLamports: '10' }, { solanaTokens: [] }, { caps: [capOf('SOL')] }])(
    'judgeEffects: refuses programs that could go around %j, unless they are listed',
    (limits) => {
      expect(() => {
        judge(limits, { opaquePrograms: [PROGRAM] });
      }).toThrow(PROGRAM);
      expect(() => {
        judge({ ...limits, solanaPrograms: [PROGRAM] }, { opaquePrograms: [PROGRAM] });
      }).not.toThrow();
    },
  );

  it('judgeEffects: does not mind caps of another network', () => {
    expect(() => {
      judge({ caps: [capOf('SOL_DEVNET')] }, { opaquePrograms: [PROGRAM] });
    }).not.toThrow();
  });
});
