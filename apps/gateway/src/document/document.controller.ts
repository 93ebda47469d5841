import { Controller, Get, Header, UseGuards } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { ContractDocument } from '@app/contract';
import { AdmitGuard } from '../admit/admit.guard.js';
import { AuthenticateGuard } from '../authenticate/authenticate.guard.js';
import { LimitGuard } from '../limit/limit.guard.js';
import { PublicDocument } from './public-document.js';

/** The document that clients load (contract.md section 1). */
@ApiExcludeController()
@Controller()
@UseGuards(AdmitGuard, AuthenticateGuard, LimitGuard)
export class DocumentController {
  constructor(private readonly document: PublicDocument) {}

  @Get('openapi.json')
  @Header('Cache-Control', 'public, max-age=60')
  get(): ContractDocument {
    return this.document.content;
  }
}
