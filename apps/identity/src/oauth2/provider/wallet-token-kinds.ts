import type { Provider } from 'oidc-provider';

interface MaybeOfWallet {
  readonly gty?: string | undefined;
}

/** Whether it is an Ethereum credential (access-token-adapter.ts): what it is good for, its signature says. */
export const isCredential = ({ gty }: MaybeOfWallet): boolean => gty === 'Ethereum';

/** An AE token is no Bearer token: it is shown under its own name (contract.md section 1). */
export function nameTokenTypes({ AccessToken }: Provider): void {
  Object.defineProperty(AccessToken.prototype, 'tokenType', {
    get(this: MaybeOfWallet) {
      return this.gty === 'AE' ? 'AE' : 'Bearer';
    },
  });
}
