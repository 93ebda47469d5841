import { describe, expect, it } from '@jest/globals';
import { toChecksumAddress } from '@app/dto';
import fc from 'fast-check';
import { createContractWallet, createEoaWallet } from './wallet.js';
import { parseWalletSelection } from './wallet-removal.service.js';

const MIXED = '0xAb5801a7D398351b8bE11C439e05C5B3259aeC9B';

describe('parseWalletSelection', () => {
  it.each([MIXED, MIXED.toLowerCase(), `0x${MIXED.slice(2).toUpperCase()}`, MIXED.replace('Ab', 'aB')])(
    'parseWalletSelection: selects the wallets at %s, in any letter case',
    (text) => {
      expect(parseWalletSelection(text)).toEqual({ address: MIXED });
      const { key } = createEoaWallet(10, toChecksumAddress(text));
      const contract = createContractWallet(10, toChecksumAddress(text)).key;
      expect(parseWalletSelection(`eip155:10:${text}`)).toEqual({ keys: [key, contract] });
    },
  );

  it('parseWalletSelection: never selects all wallets, for any input', () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        const selection = parseWalletSelection(text);
        expect(selection).not.toBe('all');
        expect(Object.values(selection).every((value) => value !== null && value !== undefined)).toBe(true);
      }),
    );
  });
});
