import { isNonceFor, parseEthereumCredential, readGrant } from '@app/auth';
import { parseSignInMessage, type SignInMessage } from '@app/chain/sign-in';
import { Injectable } from '@nestjs/common';
import { PublicUrlsConfig } from '../public-urls.config.js';
import { TokenKeys } from '../token-keys/token-keys.js';

/** A message that we made to be a credential. */
export interface CredentialMessage {
  readonly message: SignInMessage;
  readonly clientId: string;
  readonly expiresAt: Date;
}

/** Knows our own messages of credentials by their nonces; whether they were signed is another question. */
@Injectable()
export class CredentialReader {
  constructor(
    private readonly keys: TokenKeys,
    private readonly urls: PublicUrlsConfig,
  ) {}

  /** @param text the message */
  read(text: string): CredentialMessage | undefined {
    const parsed = parseSignInMessage(text);
    if (!parsed.ok) return undefined;
    const { message } = parsed;
    const { address, nonce, expirationTime = '', resources = [] } = message;
    const clientId = readGrant(resources, this.urls.PUBLIC_URL)?.clientId;
    if (clientId === undefined) return undefined;
    const binding = { purpose: 'credential', clientId, address, expirationTime } as const;
    const isOurs = isNonceFor(binding, nonce, (kid) => this.keys.nonceKeyOf(kid));
    return isOurs ? { message, clientId, expiresAt: new Date(expirationTime) } : undefined;
  }

  /** @param credential what stands after `Ethereum` in the header */
  readHeader(credential: string): CredentialMessage | undefined {
    const parts = parseEthereumCredential(credential);
    return parts && this.read(parts.text);
  }
}
