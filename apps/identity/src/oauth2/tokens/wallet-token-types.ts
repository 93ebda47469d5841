import type { Provider } from 'oidc-provider';

interface TokenWithGrantType {
  readonly gty?: string | undefined;
}

/** Whether a token found by AccessTokenAdapter is an Ethereum credential, whose signature has not been checked. */
export const isEthereumCredential = ({ gty }: TokenWithGrantType): boolean => gty === 'Ethereum';

/** Makes introspection report `AE` as the type of AE tokens, which are not Bearer tokens (contract.md section 1). */
export function defineTokenTypes({ AccessToken }: Provider): void {
  Object.defineProperty(AccessToken.prototype, 'tokenType', {
    get(this: TokenWithGrantType) {
      return this.gty === 'AE' ? 'AE' : 'Bearer';
    },
  });
}
