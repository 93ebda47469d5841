import { FormBody } from '@app/service';
import { Get, Param, Post, Res } from '@nestjs/common';
import type { Response } from 'express';
import { PageController } from '../page-controller.decorator.js';
import { type SignedInSession, CurrentSignedInSession } from '../sessions/page-session.decorator.js';
import { PageRenderer } from '../views/page-renderer.js';
import { ConnectionService } from './connection.service.js';

const PATH = 'portal/connections';
const PAGE = { title: 'Connected applications', section: 'connections' } as const;

/** What a user allowed which application. */
@PageController(PATH)
export class ConnectionsController {
  constructor(
    private readonly connections: ConnectionService,
    private readonly pages: PageRenderer,
  ) {}

  @Get()
  async list(@CurrentSignedInSession() visit: SignedInSession, @Res() response: Response): Promise<void> {
    const connections = await this.connections.list(visit.user.userId);
    this.pages.send(response, 'connections', { connections }, { ...PAGE, session: visit });
  }

  @Post(':clientId/revoke')
  @FormBody()
  async end(
    @CurrentSignedInSession() visit: SignedInSession,
    @Param('clientId') clientId: string,
    @Res() response: Response,
  ): Promise<void> {
    await this.connections.disconnect(visit.user.userId, clientId);
    response.redirect(303, `/${PATH}`);
  }
}
