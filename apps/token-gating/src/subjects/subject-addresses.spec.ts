import { describe, expect, it } from '@jest/globals';
import type { LinkedWallet } from '@app/dto';
import fc from 'fast-check';
import { toSubjectAddresses } from './subject-addresses.js';

const address = fc.integer({ min: 1, max: 4 }).map((n) => `0x${'0'.repeat(39)}${n}`);
const chain = fc.integer({ min: 1, max: 3 });
const evmWallet = fc.record({
  type: fc.constantFrom('eoa' as const, 'contract' as const),
  chainId: chain.map(String),
  address,
});
const solanaWallet = fc.record({
  type: fc.constant('solana' as const),
  chainId: fc.constant('5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp'),
  address: fc.constant('4uQeVj5tqViQh7yWWGStvkEG1Zmhx6uasJtWCJziofM'),
});
const wallets: fc.Arbitrary<LinkedWallet[]> = fc.array(fc.oneof(evmWallet, solanaWallet), { maxLength: 12 });
const on = (held: readonly LinkedWallet[], chainId: number) =>
  [...toSubjectAddresses(held).getAddresses(chainId)].sort();

describe('toSubjectAddresses', () => {
  it('toSubjectAddresses: returns each address once', () => {
    fc.assert(
      fc.property(wallets, chain, (held, chainId) => {
        const subject = toSubjectAddresses(held);
        expect(new Set(subject.getAddresses(chainId)).size).toBe(subject.getAddresses(chainId).length);
        expect(subject.maxCount).toBeGreaterThanOrEqual(subject.getAddresses(chainId).length);
      }),
    );
  });

  it('toSubjectAddresses: does not depend on the order of the wallets', () => {
    fc.assert(
      fc.property(wallets, chain, (held, chainId) => {
        expect(on([...held].reverse(), chainId)).toEqual(on(held, chainId));
      }),
    );
  });

  it('toSubjectAddresses: ignores contract wallets of other chains and Solana wallets', () => {
    fc.assert(
      fc.property(wallets, evmWallet, solanaWallet, chain, (held, another, solana, chainId) => {
        const elsewhere = { ...another, type: 'contract' as const, chainId: String(chainId + 1) };
        expect(on([elsewhere, ...held, solana], chainId)).toEqual(on(held, chainId));
      }),
    );
  });

  it('toSubjectAddresses: returns externally owned accounts and the contract wallets proven on the chain', () => {
    fc.assert(
      fc.property(wallets, chain, (held, chainId) => {
        const counts = ({ type, chainId: proven }: LinkedWallet) =>
          type === 'eoa' || (type === 'contract' && proven === String(chainId));
        expect(on(held, chainId)).toEqual(
          [...new Set(held.filter(counts).map((wallet) => wallet.address))].sort(),
        );
      }),
    );
  });

  it('toSubjectAddresses: returns lower case, so that an address counts once whatever its checksum casing', () => {
    const spelled = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed';
    const held = [spelled, spelled.toLowerCase()].map((text) => ({
      ...{ type: 'eoa' as const, chainId: '1' },
      address: text,
    }));
    expect(on(held, 5)).toEqual([spelled.toLowerCase()]);
  });
});
