import type { AdapterPayload } from 'oidc-provider';
import { errors } from 'oidc-provider';
import { ModelAdapter } from './model-adapter.js';

/** Codes and refresh tokens: nothing of them is there without the grant that they belong to. */
export class IssuedAdapter extends ModelAdapter {
  override async upsert(id: string, payload: AdapterPayload, expiresIn: number): Promise<void> {
    const isIssued = await this.store.issue(this.kind, this.stored(id, payload, expiresIn));
    // A refresh token's answer is under way: it is worth nothing, and whoever shows it is told so.
    if (!isIssued && this.kind === 'AuthorizationCode') throw new errors.InvalidGrant('grant ended');
  }
}
