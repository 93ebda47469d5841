import { type ExampleValues, loadOpenApiDocument, toPublicDocument } from '@app/openapi';
import { Controller, Get, Injectable, Req, Res, UseGuards } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { readFileSync, statSync } from 'node:fs';
import { z } from 'zod';
import { GatewayConfig } from '../gateway.config.js';
import { AdmitGuard } from '../pipeline/admit/admit.guard.js';
import { LoadMonitor } from '../pipeline/admit/load-monitor.js';
import { AuthenticateGuard } from '../pipeline/authenticate/authenticate.guard.js';
import { LimitGuard } from '../pipeline/limit/limit.guard.js';
import { PublishableIdGuard } from '../pipeline/limit/publishable-id.guard.js';
import { DOCUMENT_PATH } from '../own-paths.js';
import { PreparedBody } from './prepared-body.js';

const exampleValues = z.record(z.string(), z.string());

const HEADERS = {
  'Content-Type': 'application/json; charset=utf-8',
  'Cache-Control': 'public, max-age=60',
} as const;

/** The committed OpenAPI document with the URLs of this deployment. */
@Injectable()
export class PublicDocumentProvider {
  private current: { version: string; body: PreparedBody } | undefined;

  constructor(private readonly config: GatewayConfig) {}

  /**
   * The document as JSON. It is made at the first request, because most starts of a gateway serve none, and again only when the file
   * of example values was written: the local profile makes its data, and the file, when the gateway runs already.
   */
  get body(): PreparedBody {
    const { EXAMPLE_VALUES_FILE: file } = this.config;
    const version = file === undefined ? '' : getVersion(file);
    if (this.current?.version !== version)
      this.current = {
        version,
        body: new PreparedBody(this.create(loadExampleValues(file, version)), HEADERS),
      };
    return this.current.body;
  }

  private create(examples: ExampleValues): Buffer {
    const { PUBLIC_URL: publicUrl, AUTH_URL: authUrl = publicUrl, GATEWAY_ALIASES: aliases } = this.config;
    const document = toPublicDocument(loadOpenApiDocument(), { publicUrl, authUrl, examples, aliases });
    return Buffer.from(JSON.stringify(document));
  }
}

/** Differs for each content of a file that is written anew; empty while there is none. */
function getVersion(file: string): string {
  const stats = statSync(file, { bigint: true, throwIfNoEntry: false });
  return stats ? `${stats.ino} ${stats.size} ${stats.mtimeNs}` : '';
}

const loadExampleValues = (file: string | undefined, version: string): ExampleValues =>
  file === undefined || version === '' ? {} : exampleValues.parse(JSON.parse(readFileSync(file, 'utf8')));

/** Serves the OpenAPI document to clients (contract.md section 1). */
@ApiExcludeController()
@Controller()
@UseGuards(AdmitGuard, AuthenticateGuard, PublishableIdGuard, LimitGuard)
export class DocumentController {
  constructor(
    private readonly document: PublicDocumentProvider,
    private readonly load: LoadMonitor,
  ) {}

  @Get(DOCUMENT_PATH)
  async get(@Req() request: Request, @Res() response: Response): Promise<void> {
    await this.document.body.send(request, response);
    this.load.leaveToClient(response);
  }
}
