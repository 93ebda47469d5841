import type { Provider } from 'oidc-provider';

interface TokenWithGrantType {
  readonly gty?: string | undefined;
}

/** Whether it is an Ethereum credential (access-token-adapter.ts): what it is good for, its signature says. */
export const isEthereumCredential = ({ gty }: TokenWithGrantType): boolean => gty === 'Ethereum';

/** An AE token is no Bearer token: it is shown under its own name (contract.md section 1). */
export function defineTokenTypes({ AccessToken }: Provider): void {
  Object.defineProperty(AccessToken.prototype, 'tokenType', {
    get(this: TokenWithGrantType) {
      return this.gty === 'AE' ? 'AE' : 'Bearer';
    },
  });
}
