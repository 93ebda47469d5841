import { type ExampleValues, loadOpenApiDocument, toPublicDocument } from '@app/openapi';
import { Controller, Get, Injectable, Res, UseGuards } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { Response } from 'express';
import { existsSync, readFileSync } from 'node:fs';
import { z } from 'zod';
import { GatewayConfig } from '../gateway.config.js';
import { AdmitGuard } from '../pipeline/admit/admit.guard.js';
import { LoadMonitor } from '../pipeline/admit/load-monitor.js';
import { AuthenticateGuard } from '../pipeline/authenticate/authenticate.guard.js';
import { LimitGuard } from '../pipeline/limit/limit.guard.js';
import { DOCUMENT_PATH } from '../own-paths.js';

const exampleValues = z.record(z.string(), z.string());

/** The committed OpenAPI document with the URLs of this deployment. */
@Injectable()
export class PublicDocumentProvider {
  private constant: Buffer | undefined;

  constructor(private readonly config: GatewayConfig) {}

  /**
   * The document as JSON; one buffer for all responses, however long their clients take to read it. It is made at the first
   * request, because most starts of a gateway serve none.
   */
  get content(): Buffer {
    if (this.config.EXAMPLE_VALUES_FILE !== undefined) return this.create(this.loadExampleValues());
    this.constant ??= this.create({});
    return this.constant;
  }

  private create(examples: ExampleValues): Buffer {
    const { PUBLIC_URL: publicUrl, AUTH_URL: authUrl = publicUrl, GATEWAY_ALIASES: aliases } = this.config;
    const document = toPublicDocument(loadOpenApiDocument(), { publicUrl, authUrl, examples, aliases });
    return Buffer.from(JSON.stringify(document));
  }

  /** Read at each request: the local profile makes its data, and the file, when the gateway runs already. */
  private loadExampleValues(): ExampleValues {
    const { EXAMPLE_VALUES_FILE: file = '' } = this.config;
    return existsSync(file) ? exampleValues.parse(JSON.parse(readFileSync(file, 'utf8'))) : {};
  }
}

/** Serves the OpenAPI document to clients (contract.md section 1). */
@ApiExcludeController()
@Controller()
@UseGuards(AdmitGuard, AuthenticateGuard, LimitGuard)
export class DocumentController {
  constructor(
    private readonly document: PublicDocumentProvider,
    private readonly load: LoadMonitor,
  ) {}

  @Get(DOCUMENT_PATH)
  get(@Res() response: Response): void {
    const { content } = this.document;
    response.set({
      'Cache-Control': 'public, max-age=60',
      'Content-Type': 'application/json; charset=utf-8',
      'Content-Length': String(content.length),
    });
    response.end(content);
    this.load.leaveToClient(response);
  }
}
