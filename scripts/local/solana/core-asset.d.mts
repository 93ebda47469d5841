import type { Address } from '@solana/kit';
import type { LiteSVM } from 'litesvm';

export interface CoreAssetFields {
  readonly owner: string;
  readonly collection?: string | undefined;
  readonly uri?: string;
  readonly creators?: readonly { readonly address: string; readonly verified: boolean }[] | undefined;
}

export function encodeCoreAsset(fields: CoreAssetFields): Uint8Array;
export function writeCoreAsset(svm: LiteSVM, address: Address, fields: CoreAssetFields): void;
