import { conflict, notFound } from '@app/common';
import { PLAN_LIMITS } from '@app/dto';
import type { EntityManager } from 'typeorm';
import { ApiKey } from '../credentials/api-key.entity.js';
import { ClientApplication } from './client-application.entity.js';
import { PlanHolder } from './plan-holder.entity.js';

/** Loads a plan holder and keeps others from adding to it until the transaction ends: what is counted stays true. */
export async function lockPlanHolder(manager: EntityManager, id: string): Promise<PlanHolder> {
  const holder = await manager.findOne(PlanHolder, { where: { id }, lock: { mode: 'pessimistic_write' } });
  if (!holder) throw notFound('no_such_owner', `There is no plan holder ${id}.`);
  return holder;
}

/** @throws AppError 409 when the plan holder has as many client applications as its plan allows (contract.md section 3) */
export async function checkRoomForClient(manager: EntityManager, { id, plan }: PlanHolder): Promise<void> {
  if (plan === 'enterprise') return;
  const { clients } = PLAN_LIMITS[plan];
  const has = await manager.countBy(ClientApplication, { ownerId: id });
  if (has >= clients)
    throw conflict('too_many_clients', `The ${plan} plan allows ${clients} client applications.`);
}

/** @throws AppError 409 when the plan holder has as many live API keys as its plan allows (contract.md section 3) */
export async function checkRoomForApiKey(manager: EntityManager, { id, plan }: PlanHolder): Promise<void> {
  if (plan === 'enterprise') return;
  const { keys } = PLAN_LIMITS[plan];
  if ((await countedKeys(manager, id)) >= keys)
    throw conflict('too_many_keys', `The ${plan} plan allows ${keys} live API keys.`);
}

const LIVE_SUCCESSOR = `
  SELECT FROM identity.api_keys successor
  WHERE successor.id = "key".replaced_by AND successor.revoked_at IS NULL
    AND (successor.expires_at IS NULL OR successor.expires_at > now())`;

/**
 * The live API keys of a plan holder. A key that ends because another has taken over counts together with its successor:
 * who has as many as the plan allows can still rotate them.
 */
export function countedKeys(manager: EntityManager, ownerId: string): Promise<number> {
  return manager
    .createQueryBuilder(ApiKey, 'key')
    .innerJoin('key.client', 'client')
    .where('client.ownerId = :ownerId AND client.deletedAt IS NULL AND key.revokedAt IS NULL', { ownerId })
    .andWhere('(key.expiresAt IS NULL OR key.expiresAt > now())')
    .andWhere(`NOT EXISTS (${LIVE_SUCCESSOR})`)
    .getCount();
}
