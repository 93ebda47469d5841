import { base58 } from '@scure/base';
import type { AccountInfo, Connection, PublicKey, RpcResponseAndContext } from '@solana/web3.js';
import { type CallResult } from '../../shared/call-result.js';
import { createReadFailure } from '../../shared/read-result.js';
import { RpcNodeError } from '../../shared/rpc-node-error.js';
import {
  encodeAccount,
  encodeKeyedAccounts,
  encodeList,
  encodeTokenAccounts,
  joinAccounts,
} from '../reads/account-codec.js';
import { ASSET_V1, CORE_OWNER_OFFSET, CORE_PROGRAM_ID, parseCoreOwner } from '../reads/core-asset-layout.js';
import { type SolanaCall, TOO_MANY_ACCOUNTS } from '../reads/solana-read.js';
import {
  parseTokenAccount,
  parseTokenAccountSlice,
  TOKEN_ACCOUNT_SLICE_BYTES,
} from '../reads/token-layout.js';
import { CLOCK_ADDRESS, parseClockTime } from './clock-sysvar.js';
import { toChunks } from './json-rpc-batch-client.js';
import { findMetadataAddress } from './metadata-address.js';
import { toCallError } from './to-call-error.js';
import { type SendRequests, type Web3Batcher } from './web3-batcher.js';

/** The bound of getMultipleAccounts. */
const MAX_ACCOUNTS = 100;
/** Up to the byte that says what an account with extensions is: an account may have 10 MiB. */
const ACCOUNT_BYTES = 166;
/** With the extensions that name a group; longer ones before them hide it. */
const EXTENDED_MINT_BYTES = 2_048;
/** Metadata accounts have up to 679 bytes. */
const METADATA_BYTES = 679;
/** contract.md section 8. */
const MAX_LISTED_ACCOUNTS = 10_000;

type Account = AccountInfo<Buffer> | null;
type ListCall = Extract<SolanaCall, { readonly kind: 'token_accounts' | 'single_units' | 'core_assets' }>;
interface ListedAccount {
  readonly pubkey: PublicKey;
  readonly account: AccountInfo<Buffer>;
}
type ListedAccounts = RpcResponseAndContext<readonly ListedAccount[]>;

/** The first bytes of one account. */
interface AccountRequest {
  readonly address: string;
  readonly bytes: number;
}

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
  const wanted = calls.map(toAccountRequests);
  const requests = [{ address: CLOCK_ADDRESS, bytes: ACCOUNT_BYTES }, ...wanted.flat()];
  const lists = calls.filter(isListCall);
  const [genesisHash, accounts, listed] = await web3.send(
    (connection) =>
      Promise.all([
        connection.getGenesisHash().catch(throwNodeError),
        Promise.all(
          toSlices(requests).map(async ({ bytes, addresses }) =>
            connection
              .getMultipleAccountsInfoAndContext(
                addresses.map((address) => web3.toPublicKey(address)),
                { dataSlice: { offset: 0, length: bytes }, ...slotBound },
              )
              .then((response) => toAccounts(response, addresses, bytes), throwNodeError),
          ),
        ),
        Promise.all(
          lists.map((call) =>
            listAccounts(connection, web3, call, slotBound).then(
              (response) => toListResult(call, response),
              toFailedResult,
            ),
          ),
        ),
      ]),
    send,
  );
  const found = new Map(accounts.flat());
  const getAccount = ({ address, bytes }: AccountRequest): ReadAccount => {
    const account = found.get(toSliceKey(address, bytes));
    if (!account) throw new RpcNodeError('unavailable', 'the node left out an account');
    return account;
  };
  const results = calls.map((call, index) =>
    isListCall(call) ? listed.shift() : toResult((wanted[index] ?? []).map(getAccount)),
  );
  const clock = getAccount({ address: CLOCK_ADDRESS, bytes: ACCOUNT_BYTES });
  const slot = results.reduce((oldest, result) => {
    const own = result?.kind === 'data' ? result.blockNumber : undefined;
    return own !== undefined && own < oldest ? own : oldest;
  }, clock.slot);
  return { genesisHash, clockTime: readClockTime(clock.account), slot, results };
}

const isListCall = (call: SolanaCall): call is ListCall => call.kind !== 'account' && call.kind !== 'nft';

function toAccountRequests(call: SolanaCall): AccountRequest[] {
  switch (call.kind) {
    case 'account':
      return [{ address: call.address, bytes: ACCOUNT_BYTES }];
    case 'nft':
      return [
        { address: call.mint, bytes: EXTENDED_MINT_BYTES },
        { address: findMetadataAddress(call.mint), bytes: METADATA_BYTES },
      ];
    default:
      return [];
  }
}

/** One request reads up to 100 accounts, and as many bytes of each. */
function toSlices(requests: readonly AccountRequest[]): { bytes: number; addresses: string[] }[] {
  const byLength = new Map<number, string[]>();
  for (const { address, bytes } of requests) {
    const addresses = byLength.get(bytes);
    if (addresses) addresses.push(address);
    else byLength.set(bytes, [address]);
  }
  return Array.from(byLength, ([bytes, addresses]) =>
    toChunks(addresses, MAX_ACCOUNTS).map((chunk) => ({ bytes, addresses: chunk })),
  ).flat();
}

const toSliceKey = (address: string, bytes: number): string => `${address} ${bytes}`;

async function listAccounts(
  connection: Connection,
  web3: Web3Batcher,
  call: ListCall,
  slotBound: { readonly minContextSlot?: number },
): Promise<ListedAccounts> {
  const owner = web3.toPublicKey(call.owner);
  switch (call.kind) {
    case 'token_accounts':
      return connection.getTokenAccountsByOwner(owner, { mint: web3.toPublicKey(call.mint) }, slotBound);
    case 'single_units': {
      // web3.js passes the slice on, although its types lack it.
      const slice = { dataSlice: { offset: 0, length: TOKEN_ACCOUNT_SLICE_BYTES }, ...slotBound };
      const filter = { programId: web3.toPublicKey(call.programId) };
      return connection.getTokenAccountsByOwner(owner, filter, slice);
    }
    case 'core_assets':
      return connection.getProgramAccounts(web3.toPublicKey(CORE_PROGRAM_ID), {
        ...slotBound,
        withContext: true,
        filters: [
          { memcmp: { offset: 0, bytes: base58.encode(Uint8Array.of(ASSET_V1)) } },
          { memcmp: { offset: CORE_OWNER_OFFSET, bytes: call.owner } },
        ],
      });
  }
}

/** web3.js parses JSON numbers, which lose digits above 2^53 - 1. */
const INEXACT_BALANCE: CallResult = {
  kind: 'failed',
  failure: createReadFailure(
    'malformed_answer',
    'the balance is above 2^53 - 1 lamports, which cannot be read exactly',
  ),
};

interface ReadAccount {
  readonly account: Account;
  readonly slot: bigint;
}

function toAccounts(
  { context, value }: RpcResponseAndContext<Account[]>,
  addresses: readonly string[],
  bytes: number,
): (readonly [string, ReadAccount])[] {
  if (value.length !== addresses.length)
    throw new RpcNodeError('unavailable', 'the node answered for other accounts');
  const slot = BigInt(context.slot);
  return value.map((account, index) => [toSliceKey(addresses[index] ?? '', bytes), { account, slot }]);
}

function toResult(accounts: readonly ReadAccount[]): CallResult {
  if (accounts.some(({ account }) => account && !Number.isSafeInteger(account.lamports)))
    return INEXACT_BALANCE;
  const texts = accounts.map(({ account }) =>
    encodeAccount(
      account && {
        programId: account.owner.toBase58(),
        lamports: BigInt(account.lamports),
        data: account.data,
      },
    ),
  );
  const slots = accounts.map(({ slot }) => slot);
  const blockNumber = slots.reduce((oldest, slot) => (slot < oldest ? slot : oldest));
  return { kind: 'data', data: joinAccounts(texts), blockNumber };
}

function toListResult(call: ListCall, { context, value }: ListedAccounts): CallResult {
  return { kind: 'data', data: encodeListed(call, value), blockNumber: BigInt(context.slot) };
}

function encodeListed(call: ListCall, listed: readonly ListedAccount[]): string {
  switch (call.kind) {
    case 'token_accounts':
      return encodeAccountsOf(call, listed);
    case 'single_units':
      return listed.length > MAX_LISTED_ACCOUNTS ? TOO_MANY_ACCOUNTS : encodeSingleUnits(call, listed);
    case 'core_assets':
      return listed.length > MAX_LISTED_ACCOUNTS ? TOO_MANY_ACCOUNTS : encodeCoreAssets(call, listed);
  }
}

/** A node that answers with accounts of another owner or mint is not believed. */
function encodeAccountsOf(
  { owner, mint }: Extract<ListCall, { readonly kind: 'token_accounts' }>,
  listed: readonly ListedAccount[],
): string {
  const accounts = listed.map(({ account }) => account);
  const isAsked = accounts.every(({ data }) => {
    const parsed = parseTokenAccount(data);
    return parsed?.owner === owner && parsed.mint === mint;
  });
  if (!isAsked) throw new RpcNodeError('unavailable', 'the node answered with other token accounts');
  return encodeTokenAccounts(accounts.map(({ data }) => data));
}

/** A node that answers with accounts of another owner or program is not believed. */
function encodeSingleUnits(
  { owner, programId }: Extract<ListCall, { readonly kind: 'single_units' }>,
  listed: readonly ListedAccount[],
): string {
  const mints = new Set<string>();
  for (const { account } of listed) {
    const parsed = parseTokenAccountSlice(account.data, owner);
    if (!parsed || account.owner.toBase58() !== programId)
      throw new RpcNodeError('unavailable', 'the node answered with other token accounts');
    if (parsed.amount === 1n) mints.add(parsed.mint);
  }
  return encodeList([...mints]);
}

/** A node that answers with assets of another owner or program is not believed. */
function encodeCoreAssets(
  { owner }: Extract<ListCall, { readonly kind: 'core_assets' }>,
  listed: readonly ListedAccount[],
): string {
  return encodeKeyedAccounts(
    listed.map(({ pubkey, account }) => {
      if (account.owner.toBase58() !== CORE_PROGRAM_ID || parseCoreOwner(account.data) !== owner)
        throw new RpcNodeError('unavailable', 'the node answered with other assets');
      return { address: pubkey.toBase58(), data: account.data };
    }),
  );
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
