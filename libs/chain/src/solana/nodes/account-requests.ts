import base58 from 'bs58';
import { ASSET_V1, CORE_OWNER_OFFSET, CORE_PROGRAM_ID } from '../reads/core-asset-layout.js';
import { type SolanaCall } from '../reads/solana-read.js';
import { TOKEN_ACCOUNT_SLICE_BYTES } from '../reads/token-layout.js';
import { type JsonRpcRequest } from './json-rpc-batch-client.js';

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
