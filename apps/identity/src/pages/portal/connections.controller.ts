import { FormBody } from '@app/service';
import { Get, Param, Post, Res } from '@nestjs/common';
import type { Response } from 'express';
import { PageController } from '../page-controller.decorator.js';
import { type SignedInSession, CurrentSignedInSession } from '../sessions/page-session.decorator.js';
import { PageRenderer } from '../views/page-renderer.js';
import { ConnectionService } from './connection.service.js';

const PATH = 'portal/connections';
const PAGE = { title: 'Connected applications', section: 'connections' } as const;

/** The applications that may act for the user. */
@PageController(PATH)
export class ConnectionsController {
  constructor(
    private readonly connections: ConnectionService,
    private readonly pages: PageRenderer,
  ) {}

  @Get()
  async list(@CurrentSignedInSession() session: SignedInSession, @Res() response: Response): Promise<void> {
    const connections = await this.connections.list(session.user.userId);
    this.pages.send(response, 'connections', { connections }, { ...PAGE, session });
  }

  @Post(':clientId/revoke')
  @FormBody()
  async revoke(
    @CurrentSignedInSession() session: SignedInSession,
    @Param('clientId') clientId: string,
    @Res() response: Response,
  ): Promise<void> {
    await this.connections.disconnect(session.user.userId, clientId);
    response.redirect(303, `/${PATH}`);
  }
}
