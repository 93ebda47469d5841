import { Injectable } from '@nestjs/common';
import { PassportStrategy } from '@nestjs/passport';
import type { ClientCredential } from '@app/dto';
import { CredentialStore } from '../credentials/credential-store.js';
import { HeaderStrategy } from './header-strategy.js';
import { apiKeyOf } from './presented-credentials.js';

/** The `apiKey` scheme: names a client application (spec.md 5.1). */
@Injectable()
export class ApiKeyStrategy extends PassportStrategy(HeaderStrategy, 'apiKey') {
  constructor(private readonly credentials: CredentialStore) {
    super(apiKeyOf);
  }

  /** @returns false for a key that opens nothing */
  async validate(key: string): Promise<ClientCredential | false> {
    return (await this.credentials.find(key)) ?? false;
  }
}
