import { FormBody } from '@app/service';
import { Get, Param, Post, Res } from '@nestjs/common';
import type { Response } from 'express';
import { PageController } from '../page-controller.decorator.js';
import { type Member, SignedInVisit } from '../session/visit.decorator.js';
import { PageRenderer } from '../views/page-renderer.js';
import { Connections } from './connections.js';

const PATH = 'portal/connections';
const PAGE = { title: 'Connected applications', section: 'connections' } as const;

/** What a user allowed which application. */
@PageController(PATH)
export class ConnectionsController {
  constructor(
    private readonly connections: Connections,
    private readonly pages: PageRenderer,
  ) {}

  @Get()
  async list(@SignedInVisit() visit: Member, @Res() response: Response): Promise<void> {
    const connections = await this.connections.of(visit.user.userId);
    this.pages.send(response, 'connections', { connections }, { ...PAGE, visit });
  }

  @Post(':clientId/revoke')
  @FormBody()
  async end(
    @SignedInVisit() visit: Member,
    @Param('clientId') clientId: string,
    @Res() response: Response,
  ): Promise<void> {
    await this.connections.end(visit.user.userId, clientId);
    response.redirect(303, `/${PATH}`);
  }
}
