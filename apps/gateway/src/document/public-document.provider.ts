import { Injectable } from '@nestjs/common';
import { type OpenApiDocument, loadOpenApiDocument, toPublicDocument } from '@app/openapi';
import { GatewayConfig } from '../gateway.config.js';

/** The committed OpenAPI document with the URLs of this deployment. */
@Injectable()
export class PublicDocumentProvider {
  readonly content: OpenApiDocument;

  constructor({ PUBLIC_URL, AUTH_URL }: GatewayConfig) {
    this.content = toPublicDocument(loadOpenApiDocument(), PUBLIC_URL, AUTH_URL ?? PUBLIC_URL);
  }
}
