import { isAddress } from 'viem/utils';
import { z } from 'zod';

/** An EVM address, in lower case. */
export const policyAddress = z
  .string()
  .refine((text) => isAddress(text), 'must be an address; one in mixed case must have its checksum')
  .transform((text) => text.toLowerCase());
/** An amount of gas, wei, lamports or a token in its smallest unit. */
export const policyAmount = z
  .string()
  .regex(/^(0|[1-9]\d{0,77})$/, 'must be a decimal number without sign or leading zeros')
  .transform(BigInt);
export const policyChainId = z.int().positive();
export const policyNetwork = z.enum(['SOL', 'SOL_DEVNET']);
/** A Solana address in base58. */
export const policySolanaAddress = z
  .string()
  .regex(/^[1-9A-HJ-NP-Za-km-z]{32,44}$/, 'must be a base58 address');

const limit = {
  /** The scope of the sum: the operations of each account, or of all accounts of the client application. */
  per: z.enum(['account', 'application']),
  /** A UTC day or calendar month. */
  period: z.enum(['day', 'month']),
  max: policyAmount,
};

/** What the operations of a client application may use within a day or a month (contract.md section 10). */
export const capSchema = z.discriminatedUnion('of', [
  /** Wei of gas, also when a sponsor pays. */
  z.strictObject({ of: z.literal('gas'), chainId: policyChainId, ...limit }),
  /** Wei that calls send. */
  z.strictObject({ of: z.literal('value'), chainId: policyChainId, ...limit }),
  /** Units of an ERC-20 token that calls move or approve. */
  z.strictObject({ of: z.literal('token'), chainId: policyChainId, token: policyAddress, ...limit }),
  /** New tokens. */
  z.strictObject({ of: z.literal('mints'), chainId: policyChainId, ...limit }),
  /** Lamports that instructions move, and fees that accounts pay. */
  z.strictObject({ of: z.literal('lamports'), network: policyNetwork, ...limit }),
  /** Lamports of fees that the sponsor of a Solana network pays. */
  z.strictObject({ of: z.literal('sponsoredFees'), network: policyNetwork, ...limit }),
  /** Units of a token on Solana that instructions move or approve. */
  z.strictObject({
    of: z.literal('solanaToken'),
    network: policyNetwork,
    mint: policySolanaAddress,
    ...limit,
  }),
]);
export type Cap = Readonly<z.output<typeof capSchema>>;

/** Identifies what a cap counts; its maximum may change without losing what is counted. */
export const toCapKey = (cap: Cap): string => [...toSubject(cap), cap.per, cap.period].join(' ');

function toSubject(cap: Cap): (string | number)[] {
  switch (cap.of) {
    case 'gas':
    case 'value':
    case 'mints':
      return [cap.of, cap.chainId];
    case 'token':
      return [cap.of, cap.chainId, cap.token];
    case 'lamports':
    case 'sponsoredFees':
      return [cap.of, cap.network];
    case 'solanaToken':
      return [cap.of, cap.network, cap.mint];
  }
}

const UNITS: Readonly<Record<Cap['of'], string>> = {
  gas: 'wei of gas',
  value: 'wei sent',
  token: 'units of the token',
  mints: 'new tokens',
  lamports: 'lamports',
  sponsoredFees: 'lamports of fees that a sponsor pays',
  solanaToken: 'units of the token',
};

/** Describes a cap in messages: `100 wei sent per account and day on chain 8453`. */
export function describeCap(cap: Cap): string {
  const [, place, asset] = toSubject(cap);
  const where = 'chainId' in cap ? `chain ${String(place)}` : String(place);
  const what = asset === undefined ? UNITS[cap.of] : `${UNITS[cap.of]} ${String(asset)}`;
  return `${cap.max} ${what} per ${cap.per} and ${cap.period} on ${where}`;
}

/** The day or month of UTC that a moment is in; the end is excluded. */
export function toCapPeriod(period: Cap['period'], at: Date): { start: Date; end: Date } {
  const [year, month, day] = [at.getUTCFullYear(), at.getUTCMonth(), at.getUTCDate()];
  if (period === 'day')
    return { start: new Date(Date.UTC(year, month, day)), end: new Date(Date.UTC(year, month, day + 1)) };
  return { start: new Date(Date.UTC(year, month, 1)), end: new Date(Date.UTC(year, month + 1, 1)) };
}

/** What an operation may use of a cap at most, and what of it is used when the operation is included and reverts. */
export interface CappedUse {
  readonly cap: Cap;
  readonly amount: bigint;
  readonly ifReverted: bigint;
}

/** A part of a cap that an operation holds until what it used is known. */
export interface Reservation extends CappedUse {
  /** `toCapKey` of the cap. */
  readonly key: string;
  /** Id of the account whose operations are summed; empty for all accounts of the client application. */
  readonly subject: string;
  readonly periodStart: Date;
  readonly periodEnd: Date;
}

export const toReservations = (uses: readonly CappedUse[], accountId: string, at: Date): Reservation[] =>
  uses.map((use) => {
    const { start, end } = toCapPeriod(use.cap.period, at);
    return {
      ...use,
      key: toCapKey(use.cap),
      subject: use.cap.per === 'account' ? accountId : '',
      periodStart: start,
      periodEnd: end,
    };
  });
