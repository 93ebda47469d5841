import { isValidSignInNonce, parseEthereumCredential, parseEthereumCredentialGrant } from '@app/auth';
import { parseSignInMessage, type SignInMessage } from '@app/chain/sign-in';
import { Injectable } from '@nestjs/common';
import { PublicUrlsConfig } from '../../common/public-urls.config.js';
import { TokenKeysService } from '../../tokens/keys/token-keys.service.js';

/** A message that we made to be a credential. */
export interface ParsedCredential {
  readonly message: SignInMessage;
  readonly clientId: string;
  readonly expiresAt: Date;
}

/** Knows our own messages of credentials by their nonces; whether they were signed is another question. */
@Injectable()
export class CredentialParser {
  constructor(
    private readonly keys: TokenKeysService,
    private readonly urls: PublicUrlsConfig,
  ) {}

  /** @param text the message */
  parse(text: string): ParsedCredential | undefined {
    const parsed = parseSignInMessage(text);
    if (!parsed.ok) return undefined;
    const { message } = parsed;
    const { address, nonce, expirationTime = '', resources = [] } = message;
    const clientId = parseEthereumCredentialGrant(resources, this.urls.PUBLIC_URL)?.clientId;
    if (clientId === undefined) return undefined;
    const binding = { purpose: 'credential', clientId, address, expirationTime } as const;
    const isOurs = isValidSignInNonce(binding, nonce, (kid) => this.keys.findNonceKey(kid));
    return isOurs ? { message, clientId, expiresAt: new Date(expirationTime) } : undefined;
  }

  /** @param credential what stands after `Ethereum` in the header */
  parseHeader(credential: string): ParsedCredential | undefined {
    const parts = parseEthereumCredential(credential);
    return parts && this.parse(parts.text);
  }
}
