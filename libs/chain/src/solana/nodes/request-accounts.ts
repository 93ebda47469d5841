import type { AccountInfo, RpcResponseAndContext } from '@solana/web3.js';
import { type CallResult } from '../../shared/call-result.js';
import { createReadFailure } from '../../shared/read-result.js';
import { RpcNodeError } from '../../shared/rpc-node-error.js';
import { encodeAccount, encodeTokenAccounts } from '../reads/account-codec.js';
import { type SolanaCall } from '../reads/solana-read.js';
import { parseTokenAccount } from '../reads/token-layout.js';
import { CLOCK_ADDRESS, parseClockTime } from './clock-sysvar.js';
import { toChunks } from './json-rpc-batch-client.js';
import { toCallError } from './to-call-error.js';
import { type SendRequests, type Web3Batcher } from './web3-batcher.js';

/** The bound of getMultipleAccounts. */
const MAX_ACCOUNTS = 100;
/** Up to the byte that says what an account with extensions is: an account may have 10 MiB. */
const DATA_SLICE = { offset: 0, length: 166 };

type Account = AccountInfo<Buffer> | null;
type TokenAccountsCall = Extract<SolanaCall, { readonly kind: 'token_accounts' }>;

/** What one node answered to a list of calls. */
export interface AccountResponses {
  readonly genesisHash: string;
  /** The time of the node's newest slot in seconds since 1970. */
  readonly clockTime: number;
  /** The oldest slot of the results. */
  readonly slot: bigint;
  /** One per call, in order; undefined if the node cannot answer the call, but another one may. */
  readonly results: readonly (CallResult | undefined)[];
}

/**
 * Requests the accounts of all calls together with the node's genesis hash and clock.
 * @throws RpcNodeError if the node as a whole failed
 */
export async function requestAccounts(
  web3: Web3Batcher,
  calls: readonly SolanaCall[],
  { send, minSlot }: { readonly send: SendRequests; readonly minSlot: bigint | undefined },
): Promise<AccountResponses> {
  const slotBound = minSlot === undefined ? {} : { minContextSlot: Number(minSlot) };
  const addresses = [
    CLOCK_ADDRESS,
    ...calls.flatMap((call) => (call.kind === 'account' ? call.address : [])),
  ];
  const owned = calls.filter((call) => call.kind === 'token_accounts');
  const [genesisHash, accounts, tokenAccounts] = await web3.send(
    (connection) =>
      Promise.all([
        connection.getGenesisHash().catch(throwNodeError),
        Promise.all(
          toChunks(addresses, MAX_ACCOUNTS).map(async (chunk) =>
            connection
              .getMultipleAccountsInfoAndContext(
                chunk.map((address) => web3.toPublicKey(address)),
                { dataSlice: DATA_SLICE, ...slotBound },
              )
              .then((response) => toAccounts(response, chunk.length), throwNodeError),
          ),
        ),
        Promise.all(
          owned.map(async (call) =>
            connection
              .getTokenAccountsByOwner(
                web3.toPublicKey(call.owner),
                { mint: web3.toPublicKey(call.mint) },
                slotBound,
              )
              .then((response) => toTokenAccountsResult(call, response), toFailedResult),
          ),
        ),
      ]),
    send,
  );
  const [clock, ...found] = accounts.flat();
  if (!clock) throw new RpcNodeError('unavailable', 'the node has no clock');
  const results = calls.map(({ kind }) =>
    kind === 'account' ? toResult(found.shift()) : tokenAccounts.shift(),
  );
  const slot = results.reduce((oldest, result) => {
    const own = result?.kind === 'data' ? result.blockNumber : undefined;
    return own !== undefined && own < oldest ? own : oldest;
  }, clock.slot);
  return { genesisHash, clockTime: readClockTime(clock.account), slot, results };
}

interface ReadAccount {
  readonly account: Account;
  readonly slot: bigint;
}

function toAccounts({ context, value }: RpcResponseAndContext<Account[]>, count: number): ReadAccount[] {
  if (value.length !== count) throw new RpcNodeError('unavailable', 'the node answered for other accounts');
  return value.map((account) => ({ account, slot: BigInt(context.slot) }));
}

function toResult(read: ReadAccount | undefined): CallResult {
  if (!read) throw new RpcNodeError('unavailable', 'the node left out an account');
  const { account, slot } = read;
  const data = encodeAccount(
    account && {
      programId: account.owner.toBase58(),
      lamports: BigInt(account.lamports),
      data: account.data,
    },
  );
  return { kind: 'data', data, blockNumber: slot };
}

/** A node that answers with accounts of another owner or mint is not believed. */
function toTokenAccountsResult(
  { owner, mint }: TokenAccountsCall,
  { context, value }: RpcResponseAndContext<readonly { readonly account: AccountInfo<Buffer> }[]>,
): CallResult {
  const accounts = value.map(({ account }) => account.data);
  const isAsked = accounts.every((data) => {
    const parsed = parseTokenAccount(data);
    return parsed?.owner === owner && parsed.mint === mint;
  });
  if (!isAsked) throw new RpcNodeError('unavailable', 'the node answered with other token accounts');
  return { kind: 'data', data: encodeTokenAccounts(accounts), blockNumber: BigInt(context.slot) };
}

function toFailedResult(error: unknown): CallResult | undefined {
  const failure = toCallError(error);
  switch (failure.kind) {
    case 'no_mint':
      return { kind: 'failed', failure: createReadFailure('no_contract', 'no token mint at this address') };
    case 'call_failed':
      return undefined;
    case 'node_failed':
      throw failure.error;
  }
}

function throwNodeError(error: unknown): never {
  const failure = toCallError(error);
  throw failure.kind === 'node_failed'
    ? failure.error
    : new RpcNodeError('unavailable', 'the node refused to read accounts');
}

function readClockTime(clock: Account): number {
  const time = clock ? parseClockTime(clock.data) : undefined;
  if (time === undefined) throw new RpcNodeError('unavailable', 'the node has no clock');
  return time;
}
