import { Injectable } from '@nestjs/common';
import { PassportStrategy } from '@nestjs/passport';
import type { ClientCredential } from '@app/dto';
import { ApiKeyService } from '../../credentials/api-key.service.js';
import { HeaderStrategy } from './header.strategy.js';
import { getApiKey } from './credential-headers.js';

/** The `apiKey` scheme: names a client application (spec.md 5.1). */
@Injectable()
export class ApiKeyStrategy extends PassportStrategy(HeaderStrategy, 'apiKey') {
  constructor(private readonly credentials: ApiKeyService) {
    super(getApiKey);
  }

  /** @returns false for a key that opens nothing */
  async validate(key: string): Promise<ClientCredential | false> {
    return (await this.credentials.findClient(key)) ?? false;
  }
}
