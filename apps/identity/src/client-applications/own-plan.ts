import { notFound } from '@app/common';
import type { EntityManager } from 'typeorm';
import { ClientApplication } from '../clients/client-application.entity.js';
import { newId } from '../clients/insert-client.js';
import { PlanHolder } from '../clients/plan-holder.entity.js';
import { lockPlanHolder } from '../clients/plan-room.js';

/** The user's own plan, locked; a free one is made when there is none, once, however many ask for it at once. */
export async function lockOrMakeOwnPlan(manager: EntityManager, userId: string): Promise<PlanHolder> {
  await manager
    .createQueryBuilder()
    .insert()
    .into(PlanHolder)
    .values({ id: newId('owner'), name: userId, plan: 'free', perSecond: null, perMonth: null, userId })
    .orIgnore()
    .execute();
  const { id } = await manager.findOneByOrFail(PlanHolder, { userId });
  return lockPlanHolder(manager, id);
}

/**
 * An application of the user's, with the plan that is locked: whatever else the user does at once waits its turn.
 * @throws AppError 404 when there is none, also when it is somebody else's
 */
export async function lockOwnPlanOf(
  manager: EntityManager,
  userId: string,
  clientId: string,
): Promise<{ holder: PlanHolder; client: ClientApplication }> {
  const own = await manager.findOneBy(PlanHolder, { userId });
  if (!own) throw noSuchApplication();
  const holder = await lockPlanHolder(manager, own.id);
  return { holder, client: await findOwn(manager, own.id, clientId) };
}

/** The same, to look at. */
export async function findOwnOf(
  manager: EntityManager,
  userId: string,
  clientId: string,
): Promise<ClientApplication> {
  const client = await manager.findOneBy(ClientApplication, { id: clientId, owner: { userId } });
  if (!client) throw noSuchApplication();
  return client;
}

async function findOwn(
  manager: EntityManager,
  ownerId: string,
  clientId: string,
): Promise<ClientApplication> {
  const client = await manager.findOneBy(ClientApplication, { id: clientId, ownerId });
  if (!client) throw noSuchApplication();
  return client;
}

const noSuchApplication = () =>
  notFound('no_such_application', 'You have no client application with this id.');
