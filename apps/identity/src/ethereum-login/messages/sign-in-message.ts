import { account, toChecksumAddress, type EvmAddress } from '@app/dto';
import { invalidAccount, invalidMessage } from '../ethereum-login.errors.js';
import {
  ZERO_ADDRESS,
  DEFAULT_CHAIN_ID,
  findSolanaChainByReference,
  type SolanaChain,
  DEFAULT_SOLANA_CHAIN,
} from '../../wallet-signatures/sign-in-chains.js';
import { createSignInNonce, NONCE_PLACEHOLDER, type NonceBinding, type NonceKey } from '@app/auth';
import { formatSignInMessage, formatSolanaSignInMessage, SignInMessageError } from '@app/chain/sign-in';

/** The account that a sign-in request names. */
export type SignInAccount =
  | {
      readonly namespace: 'eip155';
      /** Undefined for a plain address. */
      readonly chainId: number | undefined;
      /** The address in the mixed case of ERC-55. */
      readonly address: EvmAddress;
    }
  | {
      readonly namespace: 'solana';
      /** Undefined for a plain address. */
      readonly chain: SolanaChain | undefined;
      readonly address: string;
    };

/** A CAIP-10 id or a plain address. @throws AppError 400 that names `accountId` */
export function parseSignInAccount(text: string): SignInAccount {
  const parsed = account.safeParse(text);
  if (!parsed.success) throw invalidAccount(parsed.error.issues[0]?.message ?? 'is not an account');
  const [, chain] = text.split(':');
  switch (parsed.data.family) {
    case 'evm':
      if (parsed.data.address === ZERO_ADDRESS) throw invalidAccount('must not be the zero address');
      return {
        namespace: 'eip155',
        chainId: parseChainId(chain),
        address: toChecksumAddress(parsed.data.address),
      };
    case 'solana':
      return { namespace: 'solana', chain: parseSolanaChain(chain), address: parsed.data.address };
    case 'user':
      throw invalidAccount('must be a CAIP-10 account id or an address');
  }
}

function parseChainId(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const chainId = Number(text);
  if (!Number.isSafeInteger(chainId)) throw invalidAccount('must have a chain id below 2^53');
  return chainId;
}

/** @param reference CAIP-2 @throws AppError 400 for an unknown chain */
function parseSolanaChain(reference: string | undefined): SolanaChain | undefined {
  if (reference === undefined) return undefined;
  const chain = findSolanaChainByReference(reference);
  if (!chain)
    throw invalidAccount('names a Solana chain that is none of mainnet, testnet and devnet (CAIP-30)');
  return chain;
}

interface SignInMessageFields {
  readonly purpose: NonceBinding['purpose'];
  readonly clientId: string;
  readonly domain: string;
  readonly uri: string;
  readonly statement: string;
  readonly resources: readonly string[];
  /** Undefined: any account may sign. */
  readonly account: SignInAccount | undefined;
  /** Unix milliseconds. */
  readonly issuedAt: number;
  readonly expiresAt: number;
}

/** Formats the message of EIP-4361 or Sign In With Solana. @throws AppError 400 for a field that it cannot contain */
export function createSignInMessage(fields: SignInMessageFields, key: NonceKey): string {
  try {
    return formatMessage(fields, key);
  } catch (error) {
    if (error instanceof SignInMessageError) throw invalidMessage(error);
    throw error;
  }
}

function formatMessage(fields: SignInMessageFields, key: NonceKey): string {
  const { purpose, clientId, domain, uri, statement, resources, account } = fields;
  const address = account?.address ?? ZERO_ADDRESS;
  const expirationTime = new Date(fields.expiresAt).toISOString();
  const issuedAt = new Date(fields.issuedAt).toISOString();
  const common = { domain, address, statement, uri, issuedAt, expirationTime, resources };
  const formatWithNonce = (nonce: string) =>
    account?.namespace === 'solana'
      ? formatSolanaSignInMessage({ ...common, nonce, chainId: account.chain ?? DEFAULT_SOLANA_CHAIN })
      : formatSignInMessage({ ...common, nonce, chainId: account?.chainId ?? DEFAULT_CHAIN_ID });
  const text = formatWithNonce(NONCE_PLACEHOLDER);
  return formatWithNonce(createSignInNonce({ purpose, clientId, text }, key));
}
