import { Injectable } from '@nestjs/common';
import { PassportStrategy } from '@nestjs/passport';
import type { ClientCredential } from '@app/dto';
import { ApiKeyService } from '../../credentials/api-key.service.js';
import { getApiKey } from './credential-headers.js';
import { HeaderStrategy } from './strategies.js';

/** `X-API-Key`: authenticates a client application (spec.md section 5.1). */
@Injectable()
export class ApiKeyStrategy extends PassportStrategy(HeaderStrategy, 'apiKey') {
  constructor(private readonly apiKeys: ApiKeyService) {
    super(getApiKey);
  }

  /** @returns false for an unknown, revoked or expired key */
  async validate(key: string): Promise<ClientCredential | false> {
    return (await this.apiKeys.findClient(key)) ?? false;
  }
}
