import { z } from 'zod';
import { EIP_1191_CHAIN_IDS, findAddressProblem, type EvmAddress } from './evm-address.js';
import { isSolanaAddress, isSolanaChain } from './solana.js';

/**
 * The subject of a check. An EVM account counts on every EVM chain, unless its id names a chain and it is a contract; a Solana
 * account counts on every Solana cluster (contract.md section 4).
 */
export type Account =
  | {
      readonly family: 'evm';
      readonly address: EvmAddress;
      /** The chain that a CAIP-10 id names; absent in a plain address. */
      readonly chainId?: number;
    }
  | { readonly family: 'solana'; readonly address: string }
  | { readonly family: 'user'; readonly id: string };

const CAIP_10 = /^([-a-z0-9]{3,8}):([-_a-zA-Z0-9]{1,32}):([-.%a-zA-Z0-9]{1,128})$/;
const EVM_CHAIN = /^[1-9]\d{0,15}$/;
const USER_ID = /^[A-Za-z0-9_-]{1,128}$/;
const NOT_AN_ACCOUNT = 'must be an EVM address, a Solana address, a CAIP-10 account id or a user id';

/** An EVM address, a Solana address, a CAIP-10 account id of either, or a user id of this service. */
export const account = z.string().transform((text, context): Account => {
  const parsed = parseAccount(text);
  if (typeof parsed !== 'string') return parsed;
  context.addIssue({ code: 'custom', message: parsed });
  return z.NEVER;
});

/** @returns the account, or an error message */
export function parseAccount(text: string): Account | string {
  if (/^0x/i.test(text)) return parseEvmAccount(text);
  if (/^[0-9a-f]{40}$/i.test(text)) return 'must start with 0x, if it is an EVM address';
  if (text.includes(':')) return parseCaip10(text);
  if (isSolanaAddress(text)) return { family: 'solana', address: text };
  return USER_ID.test(text) ? { family: 'user', id: text } : NOT_AN_ACCOUNT;
}

function parseEvmAccount(text: string, chainId?: number): Account | string {
  const address = text.toLowerCase() as EvmAddress;
  // A plain address stands for every chain, so that any wallet may have written it.
  const chainIds = chainId === undefined ? EIP_1191_CHAIN_IDS : [chainId];
  return (
    findAddressProblem(text, chainIds) ?? {
      family: 'evm',
      address,
      ...(chainId === undefined ? {} : { chainId }),
    }
  );
}

/** CAIP-10: `namespace:chain:address`. */
function parseCaip10(text: string): Account | string {
  const [, namespace, chain = '', address = ''] = CAIP_10.exec(text) ?? [];
  switch (namespace) {
    case 'eip155':
      if (!EVM_CHAIN.test(chain)) return 'must name its chain by number, such as eip155:1:0x…';
      return isSolanaChain(Number(chain))
        ? 'names a cluster of Solana as an EVM chain'
        : parseEvmAccount(address, Number(chain));
    case 'solana':
      return isSolanaAddress(address) ? { family: 'solana', address } : 'must end in a Solana address';
    case undefined:
      return NOT_AN_ACCOUNT;
    default:
      return `is of the namespace ${namespace}, which is not supported`;
  }
}
