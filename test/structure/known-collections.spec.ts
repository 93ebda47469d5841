import { describe, expect, it } from '@jest/globals';
import { KNOWN_COLLECTIONS } from '../../apps/identity/src/pages/rules/known-collections.js';
import { listWellKnownTokens } from '../../apps/token-gating/src/assets/balances/list-well-known-tokens.js';

describe('tables of tokens', () => {
  it('known collections: have the symbols of the generated list of tokens, which reads no names', () => {
    const symbols = new Map(
      listWellKnownTokens().map(({ chainId, contractAddress, symbol }) => [
        `${chainId}:${contractAddress.toLowerCase()}`,
        symbol,
      ]),
    );
    const compared = KNOWN_COLLECTIONS.flatMap(({ chainId, address, aliases }) => {
      const symbol = symbols.get(`${chainId}:${address.toLowerCase()}`);
      return symbol === undefined ? [] : [{ address, own: aliases[0], listed: symbol }];
    });
    expect(compared.length).toBeGreaterThan(8);
    for (const { address, own, listed } of compared) expect([address, own]).toEqual([address, listed]);
  });
});
