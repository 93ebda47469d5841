import type { KeyObject } from 'node:crypto';
import { envInteger, loadConfig } from '@app/config';
import bs58 from 'bs58';
import { z } from 'zod';
import { toSolanaAddress, toSolanaKey } from './solana-keys.js';
import type { SolanaNetwork } from './solana-network.js';

/** Pays the fees of a network's transactions that policies let it pay. */
export interface SolanaSponsor {
  /** Base58. */
  readonly address: string;
  /** Lamports that the fee of one transaction may cost. */
  readonly maxLamports: bigint;
}

/** What an account without data, such as a sponsor, has to keep to be exempt from rent. A fee may leave less only if it leaves nothing. */
export const RENT_EXEMPT_LAMPORTS = 890_880n;

const SEED_BYTES = 32;
const KEY_BYTES = 64;
/** The fee of a transaction that the sponsor and the account sign. */
const MIN_FEE_LAMPORTS = 10_000;
const MAX_FEE_LAMPORTS = 100_000_000;
const DEFAULT_MAX_LAMPORTS = 100_000;

const bytes = z.array(z.int().min(0).max(255)).length(KEY_BYTES);
const sponsorKey = z.string().transform((text, context): KeyObject => {
  const decoded = decodeKey(text.trim());
  const key = decoded && toSolanaKey(decoded.subarray(0, SEED_BYTES));
  if (key && toSolanaAddress(key) === bs58.encode(decoded.subarray(SEED_BYTES))) return key;
  context.addIssue({
    code: 'custom',
    message: 'must be a private key: 64 bytes in base58, or as a JSON array',
  });
  return z.NEVER;
});

function decodeKey(text: string): Uint8Array | undefined {
  try {
    const decoded = text.startsWith('[') ? Buffer.from(bytes.parse(JSON.parse(text))) : bs58.decode(text);
    return decoded.length === KEY_BYTES ? decoded : undefined;
  } catch {
    // The errors quote the text, which may be a key.
    return undefined;
  }
}

const describeKey = (network: string) =>
  sponsorKey.optional().meta({
    description: `Private key of the account that pays the fees of Solana transactions on ${network} where policies say so (\`sponsoredNetworks\`). It needs SOL.`,
    format: '64 bytes in base58 as wallets export it, or the JSON array of `solana-keygen`',
    secret: true,
  });

const solanaSponsorConfigSchema = z.object({
  SOLANA_SPONSOR_KEY_SOL: describeKey('the main network'),
  SOLANA_SPONSOR_KEY_SOL_DEVNET: describeKey('devnet'),
  SOLANA_SPONSOR_MAX_LAMPORTS: envInteger(MIN_FEE_LAMPORTS, MAX_FEE_LAMPORTS)
    .default(DEFAULT_MAX_LAMPORTS)
    .describe('What a sponsor pays at most for one Solana transaction, in lamports.'),
});

export interface SolanaSponsorKeys {
  readonly byNetwork: ReadonlyMap<SolanaNetwork, KeyObject>;
  readonly maxLamports: bigint;
}

/** Loads the sponsors with their keys, which only the signer process keeps. */
export function loadSolanaSponsors(): SolanaSponsorKeys {
  const config = loadConfig(
    solanaSponsorConfigSchema.refine(
      ({ SOLANA_SPONSOR_KEY_SOL: main, SOLANA_SPONSOR_KEY_SOL_DEVNET: devnet }) =>
        !main || !devnet || !main.equals(devnet),
      { path: ['SOLANA_SPONSOR_KEY_SOL_DEVNET'], error: 'must be another key than that of the main network' },
    ),
  );
  const { SOLANA_SPONSOR_KEY_SOL: SOL, SOLANA_SPONSOR_KEY_SOL_DEVNET: SOL_DEVNET } = config;
  const byNetwork = new Map<SolanaNetwork, KeyObject>([
    ...(SOL ? [['SOL', SOL] as const] : []),
    ...(SOL_DEVNET ? [['SOL_DEVNET', SOL_DEVNET] as const] : []),
  ]);
  return { byNetwork, maxLamports: BigInt(config.SOLANA_SPONSOR_MAX_LAMPORTS) };
}

/** The sponsors of the networks. Their keys are not kept: requests are served in this process. */
export class SolanaSponsorConfig {
  static readonly configSchema = solanaSponsorConfigSchema;

  private readonly byNetwork: ReadonlyMap<SolanaNetwork, SolanaSponsor>;

  constructor() {
    const { byNetwork, maxLamports } = loadSolanaSponsors();
    this.byNetwork = new Map(
      [...byNetwork].map(([network, key]) => [network, { address: toSolanaAddress(key), maxLamports }]),
    );
  }

  find(network: SolanaNetwork): SolanaSponsor | undefined {
    return this.byNetwork.get(network);
  }

  list(): (SolanaSponsor & { readonly network: SolanaNetwork })[] {
    return [...this.byNetwork].map(([network, sponsor]) => ({ network, ...sponsor }));
  }
}
