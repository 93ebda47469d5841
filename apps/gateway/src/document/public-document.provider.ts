import { existsSync, readFileSync } from 'node:fs';
import { Injectable } from '@nestjs/common';
import { type ExampleValues, loadOpenApiDocument, toPublicDocument } from '@app/openapi';
import { z } from 'zod';
import { GatewayConfig } from '../gateway.config.js';

const exampleValues = z.record(z.string(), z.string());

/** The committed OpenAPI document with the URLs of this deployment. */
@Injectable()
export class PublicDocumentProvider {
  private readonly source = loadOpenApiDocument();
  private readonly constant: Buffer | undefined;

  constructor(private readonly config: GatewayConfig) {
    if (config.EXAMPLE_VALUES_FILE === undefined) this.constant = this.create({});
  }

  /** The document as JSON; one buffer for all responses, however long their clients take to read it. */
  get content(): Buffer {
    return this.constant ?? this.create(this.loadExampleValues());
  }

  private create(examples: ExampleValues): Buffer {
    const { PUBLIC_URL: publicUrl, AUTH_URL: authUrl = publicUrl, GATEWAY_ALIASES: aliases } = this.config;
    const document = toPublicDocument(this.source, { publicUrl, authUrl, examples, aliases });
    return Buffer.from(JSON.stringify(document));
  }

  /** Read at each request: the local profile makes its data, and the file, when the gateway runs already. */
  private loadExampleValues(): ExampleValues {
    const { EXAMPLE_VALUES_FILE: file = '' } = this.config;
    return existsSync(file) ? exampleValues.parse(JSON.parse(readFileSync(file, 'utf8'))) : {};
  }
}
