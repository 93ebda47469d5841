import { SECOND_MS } from '@app/common';
import { ServiceContext, Sweeper } from '@app/service';
import { Injectable } from '@nestjs/common';
import { ApiKeyService } from './api-key.service.js';
import { IdentityClient } from './identity-client.js';

const REPORT_INTERVAL_MS = 10 * SECOND_MS;

/**
 * Tells identity every ten seconds which API keys were used for the first time in this hour. No request waits for it. What identity does
 * not take is reported ten seconds later; when a gateway stops, the first uses since its last report are lost.
 */
@Injectable()
export class KeyUseReporter extends Sweeper {
  constructor(context: ServiceContext, { uses }: ApiKeyService, identity: IdentityClient) {
    const report = async (): Promise<boolean> => {
      const keys = uses.peek();
      if (!keys) return false;
      const { keyIds, hourMs } = keys;
      await identity.reportUsedKeys({ keyIds, hour: new Date(hourMs).toISOString() });
      uses.remove(keys);
      return true;
    };
    super(context, [{ name: 'report used API keys', sweep: report }], REPORT_INTERVAL_MS);
  }
}
