import { existsSync, readFileSync } from 'node:fs';
import { Injectable } from '@nestjs/common';
import {
  type ExampleValues,
  type OpenApiDocument,
  loadOpenApiDocument,
  toPublicDocument,
} from '@app/openapi';
import { z } from 'zod';
import { GatewayConfig } from '../gateway.config.js';

const exampleValues = z.record(z.string(), z.string());

/** The committed OpenAPI document with the URLs of this deployment. */
@Injectable()
export class PublicDocumentProvider {
  private readonly source = loadOpenApiDocument();
  private readonly constant: OpenApiDocument | undefined;

  constructor(private readonly config: GatewayConfig) {
    if (config.EXAMPLE_VALUES_FILE === undefined) this.constant = this.create({});
  }

  get isConstant(): boolean {
    return this.constant !== undefined;
  }

  get content(): OpenApiDocument {
    return this.constant ?? this.create(this.loadExampleValues());
  }

  private create(examples: ExampleValues): OpenApiDocument {
    const { PUBLIC_URL, AUTH_URL = PUBLIC_URL } = this.config;
    return toPublicDocument(this.source, PUBLIC_URL, AUTH_URL, examples);
  }

  /** Read at each request: the local profile makes its data, and the file, when the gateway runs already. */
  private loadExampleValues(): ExampleValues {
    const { EXAMPLE_VALUES_FILE: file = '' } = this.config;
    return existsSync(file) ? exampleValues.parse(JSON.parse(readFileSync(file, 'utf8'))) : {};
  }
}
