import base58 from 'bs58';
import { z } from 'zod';
import { ASSET_V1, CORE_OWNER_OFFSET, CORE_PROGRAM_ID } from '../../reads/solana/core-asset-layout.js';
import type { SolanaCall } from '../../reads/solana/solana-read.js';
import { TOKEN_ACCOUNT_SLICE_BYTES } from '../../reads/solana/token-layout.js';
import type { JsonRpcRequest, JsonRpcError } from '../json-rpc-batch-client.js';
import { RpcNodeError, createMissingBlockError, DEFAULT_RETRY_AFTER_MS } from '../rpc-node-error.js';

/** A call whose result is a list of accounts. */
export type ListCall = Extract<
  SolanaCall,
  { readonly kind: 'token_accounts' | 'single_units' | 'core_assets' }
>;

export const GENESIS_HASH_REQUEST: JsonRpcRequest = { method: 'getGenesisHash', params: [] };

/** @param bytes how many first bytes of each account */
export const createAccountsRequest = (
  addresses: readonly string[],
  bytes: number,
  minSlot: bigint | undefined,
): JsonRpcRequest => ({
  method: 'getMultipleAccounts',
  params: [addresses, { ...createOptions(minSlot), dataSlice: { offset: 0, length: bytes } }],
});

export function createListRequest(call: ListCall, minSlot: bigint | undefined): JsonRpcRequest {
  const options = createOptions(minSlot);
  switch (call.kind) {
    case 'token_accounts':
      return createTokenAccountsRequest(call.owner, { mint: call.mint }, options);
    case 'single_units':
      return createTokenAccountsRequest(call.owner, { programId: call.programId }, options);
    case 'core_assets': {
      const filters = [
        { memcmp: { offset: 0, bytes: base58.encode(Uint8Array.of(ASSET_V1)) } },
        { memcmp: { offset: CORE_OWNER_OFFSET, bytes: call.owner } },
      ];
      return {
        method: 'getProgramAccounts',
        params: [CORE_PROGRAM_ID, { ...options, withContext: true, filters }],
      };
    }
  }
}

const createTokenAccountsRequest = (owner: string, filter: object, options: object): JsonRpcRequest => ({
  method: 'getTokenAccountsByOwner',
  params: [owner, filter, { ...options, dataSlice: { offset: 0, length: TOKEN_ACCOUNT_SLICE_BYTES } }],
});

const createOptions = (minSlot: bigint | undefined) => ({
  commitment: 'confirmed',
  encoding: 'base64',
  ...(minSlot === undefined ? {} : { minContextSlot: Number(minSlot) }),
});

/** Standard base64 without line breaks: the texts go into results whose parts are separated by other characters. */
const base64Schema = z
  .string()
  .regex(/^[A-Za-z0-9+/]*={0,2}$/)
  .refine((text) => text.length % 4 === 0);
const base58Schema = z.string().regex(/^[1-9A-HJ-NP-Za-km-z]{32,44}$/);
const accountSchema = z.object({
  /** The program that owns the account. */
  owner: base58Schema,
  /** JSON numbers lose digits above 2^53 - 1. */
  lamports: z.number().nonnegative(),
  data: z.tuple([base64Schema, z.literal('base64')]),
});

function withContext<Value extends z.ZodType>(value: Value) {
  return z.object({ context: z.object({ slot: z.int().nonnegative() }), value });
}

/** https://solana.com/docs/rpc/http/getmultipleaccounts */
const accountsSchema = withContext(z.array(accountSchema.nullable()));
/** https://solana.com/docs/rpc/http/gettokenaccountsbyowner */
const listedSchema = withContext(z.array(z.object({ pubkey: base58Schema, account: accountSchema })));
const genesisHashSchema = z.string();

export type RpcAccount = z.infer<typeof accountSchema>;
export type ListedRpcAccount = z.infer<typeof listedSchema>['value'][number];

export const parseGenesisHash = (result: unknown): string => parse(genesisHashSchema, result);
export const parseAccounts = (result: unknown): z.infer<typeof accountsSchema> =>
  parse(accountsSchema, result);
export const parseListedAccounts = (result: unknown): z.infer<typeof listedSchema> =>
  parse(listedSchema, result);

/** @throws RpcNodeError for a result of another shape, which is the node's failure */
function parse<T>(schema: z.ZodType<T>, result: unknown): T {
  const parsed = schema.safeParse(result);
  if (parsed.success) return parsed.data;
  throw new RpcNodeError('unavailable', 'the node answered with another shape');
}

const INVALID_PARAMS = -32_602;
const NO_MINT_PATTERN = /could not find mint|not a Token mint|Token mint could not be unpacked/i;
const RATE_LIMITED_PATTERN = /rate.?limit|too many requests|\bquota\b/i;
/** The node lags behind the cluster or starts up (https://solana.com/docs/rpc, JSON-RPC error codes). */
const NODE_UNHEALTHY_CODES: readonly unknown[] = [-32_004, -32_005, -32_014];
const MIN_CONTEXT_SLOT_NOT_REACHED = -32_016;

/** The meaning of an error response to one call. */
type CallError =
  /** Every node answers like this. */
  | { readonly kind: 'no_mint' }
  /** Another node may answer this call: its index is missing here, or the method is. */
  | { readonly kind: 'call_failed' }
  /** The node as a whole. */
  | { readonly kind: 'node_failed'; readonly error: RpcNodeError };

export function toCallError({ code, message }: JsonRpcError): CallError {
  // Callers choose the parameters, so these errors are never the node's.
  if (code === INVALID_PARAMS) return { kind: NO_MINT_PATTERN.test(message) ? 'no_mint' : 'call_failed' };
  if (code === 429 || code === -32_429 || RATE_LIMITED_PATTERN.test(message))
    return failNode(`the node answered with error ${code}`, DEFAULT_RETRY_AFTER_MS);
  if (code === MIN_CONTEXT_SLOT_NOT_REACHED) return { kind: 'node_failed', error: createMissingBlockError() };
  if (NODE_UNHEALTHY_CODES.includes(code)) return failNode(`the node answered with error ${code}`);
  return { kind: 'call_failed' };
}

function failNode(message: string, retryAfterMs?: number): CallError {
  const details = retryAfterMs === undefined ? {} : { retryAfterMs };
  return { kind: 'node_failed', error: new RpcNodeError('unavailable', message, details) };
}
