import {
  isValidSignInNonce,
  NONCE_PLACEHOLDER,
  parseEthereumCredential,
  parseEthereumCredentialGrant,
} from '@app/auth';
import { formatSignInMessage, parseSignInMessage, type SignInMessage } from '@app/chain/sign-in';
import { Injectable } from '@nestjs/common';
import { PublicUrlsConfig } from '../../common/public-urls.config.js';
import { TokenKeysService } from '../../tokens/keys/token-keys.service.js';

/** A credential message that this service issued. */
export interface ParsedCredential {
  readonly message: SignInMessage;
  readonly clientId: string;
  readonly expiresAt: Date;
}

/** Recognizes credential messages of this service by their nonce. Does not check the signature. */
@Injectable()
export class CredentialParser {
  constructor(
    private readonly keys: TokenKeysService,
    private readonly urls: PublicUrlsConfig,
  ) {}

  parse(text: string): ParsedCredential | undefined {
    const parsed = parseSignInMessage(text);
    if (!parsed.ok) return undefined;
    const { message } = parsed;
    const { nonce, expirationTime = '', resources = [] } = message;
    const clientId = parseEthereumCredentialGrant(resources, this.urls.PUBLIC_URL)?.clientId;
    if (clientId === undefined) return undefined;
    const issued = formatSignInMessage({ ...message, nonce: NONCE_PLACEHOLDER });
    const binding = { purpose: 'credential', clientId, text: issued } as const;
    const isIssuedHere = isValidSignInNonce(binding, nonce, (kid) => this.keys.findNonceKey(kid));
    return isIssuedHere ? { message, clientId, expiresAt: new Date(expirationTime) } : undefined;
  }

  /** @param credential the value after `Ethereum` in the header */
  parseHeader(credential: string): ParsedCredential | undefined {
    const parts = parseEthereumCredential(credential);
    return parts && this.parse(parts.text);
  }
}
