import type { LiteSVM } from 'litesvm';

export function writeMetadata(
  svm: LiteSVM,
  metadata: {
    readonly mint: string;
    readonly name: string;
    readonly symbol: string;
    readonly updateAuthority: string;
    readonly uri?: string;
    readonly collection?: { readonly key: string; readonly verified: boolean };
    readonly creators?: { address: string; verified: boolean; share: number }[];
    readonly namedMint?: string;
  },
): Promise<void>;
