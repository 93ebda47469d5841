import { randomBytes } from 'node:crypto';
import { Database, runAfterCommit } from '@app/database';
import { SafeHttpClient } from '@app/http';
import type { RequestingClient } from '@app/service';
import { Injectable } from '@nestjs/common';
import { callbackNotFound, callbackUrlInvalid } from '../callback.errors.js';
import { toOperationContent } from '../delivery.js';
import { DeliverySignal } from '../delivery-signal.js';
import { DeliveryRepository } from '../delivery.repository.js';
import type { RegisteredOperationCallback } from './operation-callback.dto.js';
import {
  deleteOperationReceiver,
  findOperationReceivers,
  upsertOperationReceiver,
} from './operation-receivers.queries.js';

/** The URL of a client application that is called back when the state of one of its operations changes. */
@Injectable()
export class OperationReceiverService {
  constructor(
    private readonly database: Database,
    private readonly http: SafeHttpClient,
    private readonly deliveries: DeliveryRepository,
    private readonly signal: DeliverySignal,
  ) {}

  /** @throws AppError 404 */
  async load({ id }: RequestingClient): Promise<RegisteredOperationCallback> {
    const [receiver] = await findOperationReceivers(this.database, [id]);
    if (!receiver) throw callbackNotFound();
    return {
      callbackUrl: receiver.url,
      callbackUrlVerified: receiver.isVerified,
      createdTime: receiver.createdAt.toISOString(),
    };
  }

  /** Idempotent. A repeated call sends a new challenge where the receiver has not answered one. @throws AppError 400 */
  async register({ id: clientId, ownerId: tenantId }: RequestingClient, url: string): Promise<void> {
    const problem = this.http.findUrlProblem(url);
    if (problem !== undefined) throw callbackUrlInvalid(problem);
    await this.database.transaction(async (manager) => {
      const receiver = { clientId, tenantId, url };
      const challenge = await upsertOperationReceiver(
        manager,
        receiver,
        randomBytes(32).toString('base64url'),
      );
      if (challenge === undefined) return;
      const payload = toOperationContent({ challenge });
      await this.deliveries.insertCallbacks(manager, [{ ...receiver, delayMs: 0, payload }]);
      runAfterCommit(manager, () => {
        this.signal.notify();
      });
    });
  }

  /** Ends the callbacks that wait, too. @throws AppError 404 */
  async remove({ id }: RequestingClient): Promise<void> {
    if (!(await deleteOperationReceiver(this.database, id))) throw callbackNotFound();
  }
}
