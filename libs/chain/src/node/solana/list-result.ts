import base58 from 'bs58';
import { type CallResult, createReadFailure } from '../../reads/read-result.js';
import { RpcNodeError } from '../rpc-node-error.js';
import { parseSolanaAddress } from '../../sign-in/parse-solana-address.js';
import { encodeKeyedAccounts, encodeList } from '../../reads/solana/account-codec.js';
import { CORE_PROGRAM_ID, parseCoreOwner } from '../../reads/solana/core-asset-layout.js';
import { TOO_MANY_ACCOUNTS } from '../../reads/solana/solana-read.js';
import {
  isTokenAccountFor,
  isTokenAccountOf,
  readTokenAmount,
  readTokenMint,
  TOKEN_PROGRAM_IDS,
} from '../../reads/solana/token-layout.js';
import {
  type ListCall,
  type ListedRpcAccount,
  parseListedAccounts,
  toCallError,
} from './account-messages.js';
import type { JsonRpcResponse } from '../json-rpc-batch-client.js';

/** contract.md section 8. */
const MAX_LISTED_ACCOUNTS = 10_000;
const NO_MINT: CallResult = {
  kind: 'failed',
  failure: createReadFailure('no_contract', 'no token mint at this address'),
};

/**
 * The result of a call that lists accounts; undefined if this node cannot answer it, but another one may.
 * @throws RpcNodeError if the node as a whole failed
 */
export function toListResult(call: ListCall, response: JsonRpcResponse): CallResult | undefined {
  if (!response.ok) {
    const failure = toCallError(response.error);
    if (failure.kind === 'node_failed') throw failure.error;
    return failure.kind === 'no_mint' ? NO_MINT : undefined;
  }
  const { context, value } = parseListedAccounts(response.result);
  return { kind: 'data', data: encodeListed(call, value), blockNumber: BigInt(context.slot) };
}

function encodeListed(call: ListCall, listed: readonly ListedRpcAccount[]): string {
  switch (call.kind) {
    case 'token_accounts':
      return encodeTokenAccounts(call, listed);
    case 'single_units':
      return listed.length > MAX_LISTED_ACCOUNTS ? TOO_MANY_ACCOUNTS : encodeSingleUnits(call, listed);
    case 'core_assets':
      return listed.length > MAX_LISTED_ACCOUNTS ? TOO_MANY_ACCOUNTS : encodeCoreAssets(call, listed);
  }
}

const decodeData = ({ account }: ListedRpcAccount): Buffer => Buffer.from(account.data[0], 'base64');

/** A node that answers with accounts of another owner or mint is not believed. */
function encodeTokenAccounts(
  call: Extract<ListCall, { readonly kind: 'token_accounts' }>,
  listed: readonly ListedRpcAccount[],
): string {
  if (listed.length === 0) return encodeList([]);
  const [owner, mint] = [base58.decode(call.owner), base58.decode(call.mint)];
  for (const item of listed) {
    const data = decodeData(item);
    const isTokenAccount = TOKEN_PROGRAM_IDS.includes(item.account.owner);
    if (!isTokenAccount || !isTokenAccountOf(data, owner) || !isTokenAccountFor(data, mint))
      throw createOtherAccountsError();
  }
  return encodeList(listed.map(({ account }) => account.data[0]));
}

/** A node that answers with accounts of another owner or program is not believed. */
function encodeSingleUnits(
  call: Extract<ListCall, { readonly kind: 'single_units' }>,
  listed: readonly ListedRpcAccount[],
): string {
  const owner = base58.decode(call.owner);
  const mints = new Set<string>();
  for (const item of listed) {
    const data = decodeData(item);
    if (item.account.owner !== call.programId || !isTokenAccountOf(data, owner))
      throw createOtherAccountsError();
    if (readTokenAmount(data) === 1n) mints.add(readTokenMint(data));
  }
  return encodeList([...mints]);
}

const createOtherAccountsError = (): RpcNodeError =>
  new RpcNodeError('unavailable', 'the node answered with other token accounts');

/** A node that answers with assets of another owner or program is not believed. */
function encodeCoreAssets(
  { owner }: Extract<ListCall, { readonly kind: 'core_assets' }>,
  listed: readonly ListedRpcAccount[],
): string {
  return encodeKeyedAccounts(
    listed.map((item) => {
      const { pubkey: address, account } = item;
      const isAsked = account.owner === CORE_PROGRAM_ID && parseCoreOwner(decodeData(item)) === owner;
      // An address that is none is refused, because later requests name it.
      if (!isAsked || !parseSolanaAddress(address))
        throw new RpcNodeError('unavailable', 'the node answered with other assets');
      return { address, data: account.data[0] };
    }),
  );
}
