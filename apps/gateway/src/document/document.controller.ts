import { Controller, Get, Res, UseGuards } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { Response } from 'express';
import { AdmitGuard } from '../pipeline/admit/admit.guard.js';
import { LoadMonitor } from '../pipeline/admit/load-monitor.js';
import { AuthenticateGuard } from '../pipeline/authenticate/authenticate.guard.js';
import { LimitGuard } from '../pipeline/limit/limit.guard.js';
import { DOCUMENT_PATH } from './document.path.js';
import { PublicDocumentProvider } from './public-document.provider.js';

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
