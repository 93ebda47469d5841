import { type CallResult, createReadFailure } from '../../reads/read-result.js';
import { RpcNodeError } from '../rpc-node-error.js';
import { encodeAccount, joinAccounts } from '../../reads/solana/account-codec.js';
import type { SolanaCall } from '../../reads/solana/solana-read.js';
import {
  createAccountsRequest,
  createListRequest,
  GENESIS_HASH_REQUEST,
  type ListCall,
  parseAccounts,
  parseGenesisHash,
  type RpcAccount,
  toCallError,
} from './account-messages.js';
import { toChunks, type JsonRpcRequest, type JsonRpcResponse } from '../json-rpc-batch-client.js';
import { toListResult } from './list-result.js';
import { MAX_MINT_BYTES } from '../../reads/solana/token-layout.js';
import { findMetadataAddress } from './metadata-address.js';

/** The account in which a cluster keeps its time (https://solana.com/docs/core/accounts#sysvar-accounts). */
const CLOCK_ADDRESS = 'SysvarC1ock11111111111111111111111111111111';
const UNIX_TIMESTAMP_OFFSET = 32;
const CLOCK_BYTES = 40;

/** The time of the newest slot in seconds since 1970; undefined if the data is not the clock's. */
function parseClockTime(data: Uint8Array): number | undefined {
  if (data.length !== CLOCK_BYTES) return undefined;
  return Number(new DataView(data.buffer, data.byteOffset).getBigInt64(UNIX_TIMESTAMP_OFFSET, true));
}

/** The bound of getMultipleAccounts. */
const MAX_ACCOUNTS = 100;
/**
 * The bytes of an account that are read: up to the byte that says what an account with extensions is, because an
 * account may have 10 MiB.
 */
const ACCOUNT_BYTES = 166;
/** Metadata accounts have up to 679 bytes. */
const METADATA_BYTES = 679;

/** The first bytes of one account. */
interface AccountSlice {
  readonly address: string;
  readonly bytes: number;
}
interface ReadAccount {
  readonly account: RpcAccount | null;
  readonly slot: bigint;
}

const CLOCK: AccountSlice = { address: CLOCK_ADDRESS, bytes: ACCOUNT_BYTES };

/** The answers of one node to a list of calls. */
export interface AccountResponses {
  readonly genesisHash: string;
  /** The time of the node's newest slot in seconds since 1970. */
  readonly clockTime: number;
  /** The oldest slot of the results. */
  readonly slot: bigint;
  /** Results in the order of the calls; undefined if the node cannot answer the call, but another one may. */
  readonly results: readonly (CallResult | undefined)[];
}

/** The accounts of all calls, together with the node's genesis hash and clock. */
export class AccountBatch {
  readonly requests: readonly JsonRpcRequest[];
  /** The accounts that each call reads; a call that lists accounts reads none by address. */
  private readonly slices: readonly (readonly AccountSlice[])[];
  private readonly groups: readonly { readonly bytes: number; readonly addresses: readonly string[] }[];

  constructor(
    private readonly calls: readonly SolanaCall[],
    minSlot: bigint | undefined,
  ) {
    this.slices = calls.map(toSlices);
    this.groups = groupByBytes([CLOCK, ...this.slices.flat()]);
    this.requests = [
      GENESIS_HASH_REQUEST,
      ...this.groups.map(({ addresses, bytes }) => createAccountsRequest(addresses, bytes, minSlot)),
      ...calls.filter(isListCall).map((call) => createListRequest(call, minSlot)),
    ];
  }

  /**
   * @param responses one per request, in order
   * @throws RpcNodeError if the node as a whole failed
   */
  parse([genesis, ...responses]: readonly JsonRpcResponse[]): AccountResponses {
    const genesisHash = parseGenesisHash(getResult(genesis));
    const found = this.collectAccounts(responses);
    let nextList = this.groups.length;
    const results = this.calls.map((call, index) => {
      if (!isListCall(call))
        return toResult((this.slices[index] ?? []).map((slice) => getAccount(found, slice)));
      const response = getResponse(responses[nextList]);
      nextList += 1;
      return toListResult(call, response);
    });
    const clock = getAccount(found, CLOCK);
    const slots = results.flatMap((result) => (result?.kind === 'data' ? (result.blockNumber ?? []) : []));
    return { genesisHash, clockTime: readClockTime(clock), slot: oldest([clock.slot, ...slots]), results };
  }

  private collectAccounts(responses: readonly JsonRpcResponse[]): ReadonlyMap<string, ReadAccount> {
    const found = new Map<string, ReadAccount>();
    this.groups.forEach(({ addresses, bytes }, index) => {
      const { context, value } = parseAccounts(getResult(responses[index]));
      if (value.length !== addresses.length)
        throw new RpcNodeError('unavailable', 'the node answered for other accounts');
      const slot = BigInt(context.slot);
      addresses.forEach((address, position) => {
        found.set(toSliceKey({ address, bytes }), { account: value[position] ?? null, slot });
      });
    });
    return found;
  }
}

const isListCall = (call: SolanaCall): call is ListCall => call.kind !== 'account' && call.kind !== 'nft';

function toSlices(call: SolanaCall): AccountSlice[] {
  switch (call.kind) {
    case 'account':
      return [{ address: call.address, bytes: ACCOUNT_BYTES }];
    case 'nft':
      return [
        { address: call.mint, bytes: MAX_MINT_BYTES },
        { address: findMetadataAddress(call.mint), bytes: METADATA_BYTES },
      ];
    default:
      return [];
  }
}

/** Groups slices by their length: a request reads up to 100 accounts, and as many bytes of each. */
function groupByBytes(slices: readonly AccountSlice[]): { bytes: number; addresses: string[] }[] {
  const byBytes = new Map<number, string[]>();
  for (const { address, bytes } of slices) {
    const addresses = byBytes.get(bytes);
    if (addresses) addresses.push(address);
    else byBytes.set(bytes, [address]);
  }
  return Array.from(byBytes, ([bytes, addresses]) =>
    toChunks(addresses, MAX_ACCOUNTS).map((chunk) => ({ bytes, addresses: chunk })),
  ).flat();
}

const toSliceKey = ({ address, bytes }: AccountSlice): string => `${address} ${bytes}`;

function getAccount(found: ReadonlyMap<string, ReadAccount>, slice: AccountSlice): ReadAccount {
  const account = found.get(toSliceKey(slice));
  if (!account) throw new RangeError('the account was not requested');
  return account;
}

function getResponse(response: JsonRpcResponse | undefined): JsonRpcResponse {
  if (!response) throw new RangeError('a request has no response');
  return response;
}

/** The result of a request that no call chose, so that every error is the node's. */
function getResult(response: JsonRpcResponse | undefined): unknown {
  const given = getResponse(response);
  if (given.ok) return given.result;
  const failure = toCallError(given.error);
  throw failure.kind === 'node_failed'
    ? failure.error
    : new RpcNodeError('unavailable', 'the node refused to read accounts');
}

/** JSON numbers lose digits above 2^53 - 1. */
const INEXACT_BALANCE: CallResult = {
  kind: 'failed',
  failure: createReadFailure(
    'malformed_answer',
    'the balance is above 2^53 - 1 lamports, which cannot be read exactly',
  ),
};

function toResult(read: readonly ReadAccount[]): CallResult {
  if (read.some(({ account }) => account && !Number.isSafeInteger(account.lamports))) return INEXACT_BALANCE;
  const texts = read.map(({ account }) =>
    encodeAccount(
      account && { programId: account.owner, lamports: BigInt(account.lamports), data: account.data[0] },
    ),
  );
  return { kind: 'data', data: joinAccounts(texts), blockNumber: oldest(read.map(({ slot }) => slot)) };
}

const oldest = (slots: readonly bigint[]): bigint =>
  slots.reduce((best, slot) => (slot < best ? slot : best));

function readClockTime({ account }: ReadAccount): number {
  const time = account ? parseClockTime(Buffer.from(account.data[0], 'base64')) : undefined;
  if (time === undefined) throw new RpcNodeError('unavailable', 'the node has no clock');
  return time;
}
