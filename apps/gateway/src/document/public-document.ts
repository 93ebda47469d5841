import { Injectable } from '@nestjs/common';
import { type ContractDocument, loadContract, publicDocument } from '@app/contract';
import { GatewayConfig } from '../gateway.config.js';

/** The committed contract with this deployment's addresses in it. */
@Injectable()
export class PublicDocument {
  readonly content: ContractDocument;

  constructor({ PUBLIC_URL, AUTH_URL }: GatewayConfig) {
    this.content = publicDocument(loadContract(), PUBLIC_URL, AUTH_URL ?? PUBLIC_URL);
  }
}
