import { Controller, Get, Header, UseGuards } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { OpenApiDocument } from '@app/openapi';
import { AdmitGuard } from '../pipeline/admit/admit.guard.js';
import { AuthenticateGuard } from '../pipeline/authenticate/authenticate.guard.js';
import { LimitGuard } from '../pipeline/limit/limit.guard.js';
import { PublicDocumentProvider } from './public-document.provider.js';

/** Serves the OpenAPI document to clients (contract.md section 1). */
@ApiExcludeController()
@Controller()
@UseGuards(AdmitGuard, AuthenticateGuard, LimitGuard)
export class DocumentController {
  constructor(private readonly document: PublicDocumentProvider) {}

  @Get('openapi.json')
  @Header('Cache-Control', 'public, max-age=60')
  get(): OpenApiDocument {
    return this.document.content;
  }
}
