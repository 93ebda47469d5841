import { EXAMPLES, tokenGatingRequest } from '@app/dto';
import { randomBytes } from 'node:crypto';
import { Database, runAfterCommit } from '@app/database';
import { SafeHttpClient } from '@app/http';
import type { RequestingClient } from '@app/service';
import { Injectable } from '@nestjs/common';
import { z } from 'zod';
import { callbackNotFound, callbackUrlInvalid } from '../callback.errors.js';
import { toOperationContent } from '../delivery.js';
import { DeliveryRepository, DeliverySignal } from '../delivery.repository.js';
import {
  deleteOperationReceiver,
  findOperationReceivers,
  upsertOperationReceiver,
} from './operation-receivers.queries.js';

export const operationCallbackRegistration = z
  .strictObject({
    callbackUrl: tokenGatingRequest.shape.callbackUrl.unwrap().meta({
      description:
        'URL that receives signed callbacks about operations, once it has answered a signed challenge with 200 and ' +
        '`{"challenge": "<the same>"}`',
    }),
  })
  .meta({ id: 'OperationCallbackRegistration', example: { callbackUrl: EXAMPLES.receiverUrl } });
export type OperationCallbackRegistration = z.output<typeof operationCallbackRegistration>;

export const registeredOperationCallback = z
  .object({
    callbackUrl: z.string(),
    callbackUrlVerified: z.boolean().meta({ description: 'Whether the receiver has answered its challenge' }),
    createdTime: z.iso.datetime(),
  })
  .meta({ id: 'RegisteredOperationCallback' });
type RegisteredOperationCallback = z.output<typeof registeredOperationCallback>;

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
