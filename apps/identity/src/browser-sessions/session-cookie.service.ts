import type { IncomingMessage } from 'node:http';
import { Injectable } from '@nestjs/common';
import { getHeader } from '@app/service';
import type { Response } from 'express';
import { PublicUrlsConfig } from '../common/public-urls.config.js';
import { isSessionId } from './session-id.js';

/**
 * The session cookie of the pages. Over https, the `__Host-` prefix keeps other hosts of the domain from setting it
 * (RFC 6265bis section 4.1.3.2). SameSite is Lax because applications redirect browsers here.
 */
@Injectable()
export class SessionCookieService {
  private readonly secure: boolean;
  private readonly name: string;

  constructor({ authUrl }: PublicUrlsConfig) {
    this.secure = authUrl.startsWith('https:');
    this.name = this.secure ? '__Host-gatehouse_session' : 'gatehouse_session';
  }

  /** Returns undefined for a duplicate cookie, too: another site may have set one of them. */
  read(request: Pick<IncomingMessage, 'headers'>): string | undefined {
    const pairs = (getHeader(request, 'cookie') ?? '').split(';').map((pair) => pair.trim());
    const values = pairs.filter((pair) => pair.startsWith(`${this.name}=`));
    const [value = ''] = values.map((pair) => pair.slice(this.name.length + 1));
    return values.length === 1 && isSessionId(value) ? value : undefined;
  }

  set(response: Response, sessionId: string): void {
    response.cookie(this.name, sessionId, this.attributes());
  }

  clear(response: Response): void {
    response.clearCookie(this.name, this.attributes());
  }

  private attributes() {
    return { path: '/', httpOnly: true, secure: this.secure, sameSite: 'lax' } as const;
  }
}
