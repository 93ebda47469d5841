import { Injectable } from '@nestjs/common';
import { z } from 'zod';
import type { CodehostSecret } from '../signer/signer-messages.js';
import { isPlatformUserId } from '../../owners/is-platform-user-id.js';
import { parsePlatformResponse, PlatformHttpClient } from '../../owners/platform-http-client.js';
import { toIdText } from '../../owners/platform-adapters.js';
import {
  platformApplicationInvalid,
  platformResponseInvalid,
  platformTokenNotBound,
} from '../../owners/platforms.errors.js';

/** The token is of another application, or is valid no longer. */
const OTHER_TOKEN = [404, 422];
const WRONG_CREDENTIALS = [401, 403];

const tokenResponse = z.object({
  app: z.object({ client_id: z.string() }),
  user: z.object({ id: z.number() }),
});

/** The code host's "check a token" (https://docs.github.com/en/rest/apps/oauth-applications#check-a-token). */
@Injectable()
export class CodehostTokenClient {
  constructor(private readonly http: PlatformHttpClient) {}

  /**
   * @returns the canonical id of the user who gave the token to this OAuth application
   * @throws AppError 403 `platform_token_not_bound`, `platform_application_invalid`, 429, 502, 503
   */
  async loadUserId(clientId: string, app: CodehostSecret, token: string): Promise<string> {
    const { status, text } = await this.http.send(clientId, 'codehost', {
      path: `/applications/${encodeURIComponent(app.oauthClientId)}/token`,
      headers: { authorization: toBasic(app), accept: 'application/vnd.github+json' },
      body: JSON.stringify({ access_token: token }),
    });
    if (OTHER_TOKEN.includes(status)) throw platformTokenNotBound('codehost');
    if (WRONG_CREDENTIALS.includes(status)) throw platformApplicationInvalid();
    const { data } = tokenResponse.safeParse(parsePlatformResponse(text));
    const userId = data && toIdText(data.user.id);
    const isUsable = status === 200 && data?.app.client_id === app.oauthClientId;
    if (!isUsable || !isPlatformUserId(userId)) throw platformResponseInvalid('codehost');
    return userId;
  }
}

const toBasic = ({ oauthClientId, secret }: CodehostSecret): string =>
  `Basic ${Buffer.from(`${oauthClientId}:${secret}`).toString('base64')}`;
