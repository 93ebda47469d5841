import { wellKnownTokens } from './well-known-tokens.js';

/** Tokens of one chain that count where the operators have listed none. */
export const MAX_WELL_KNOWN_TOKENS = 20;

export interface WellKnownToken {
  readonly chainId: number;
  /** An EVM address in lower case, or a mint. */
  readonly contractAddress: string;
  readonly symbol: string;
}

/** The tokens of the generated table, chain by chain. */
export const listWellKnownTokens = (): WellKnownToken[] =>
  wellKnownTokens
    .trim()
    .split('\n')
    .map((row) => {
      const [chainId = '', contractAddress = '', symbol = ''] = row.split('\t');
      return { chainId: Number(chainId), contractAddress, symbol };
    });
