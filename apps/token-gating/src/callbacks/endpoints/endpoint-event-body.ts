import { tokenGatingResponse, userPlatform } from '@app/dto';
import { z } from 'zod';
import { operationChange } from '../delivery.js';
import { TEST_EVENT } from './endpoint-events.js';

/** Receivers check it: one key signs `v1a` for all client applications. */
const forClient = { clientId: z.string() };

const memberData = z.object({
  ...forClient,
  communityId: z.string(),
  userId: z.string(),
  platform: userPlatform.optional().meta({ description: 'Only with `platformUserId`' }),
  platformUserId: z.string().optional().meta({
    description:
      "The member's id on the platform, for client applications that reported it or where it is a number",
  }),
});
const roleData = memberData.extend({ roleId: z.string() });
const checkData = z.object({
  ...forClient,
  requestId: z.uuid(),
  ...tokenGatingResponse.pick({ roles: true, errors: true }).required({ roles: true }).shape,
});

const [userOperationChange, transactionChange] = operationChange.options;
const operationData = z.union([
  userOperationChange.omit({ at: true }).extend(forClient),
  transactionChange.omit({ at: true }).extend(forClient),
]);

const walletData = memberData.partial({ communityId: true }).extend({
  accountId: z.string().meta({ description: 'CAIP-10' }),
});
const approvalData = z.object({
  ...forClient,
  scopes: z.array(z.string()).meta({ description: 'All scopes that the client application has now' }),
});

const createEventSchema = <T extends string, S extends z.ZodType>(type: T, data: S) =>
  z.object({
    type: z.literal(type),
    timestamp: z.iso
      .datetime()
      .meta({ description: 'When it happened. Deliveries may arrive in another order' }),
    data,
  });

/** The bodies that endpoints get, for the document. */
export const endpointEventBody = z
  .union([
    createEventSchema('role.granted', roleData),
    createEventSchema('role.revoked', roleData),
    createEventSchema('member.joined', memberData),
    createEventSchema('member.left', memberData),
    createEventSchema('member.removed', memberData),
    createEventSchema('check.completed', checkData),
    createEventSchema('operation.changed', operationData),
    createEventSchema('wallet.linked', walletData),
    createEventSchema('wallet.unlinked', walletData),
    createEventSchema('application.approved', approvalData),
    createEventSchema(TEST_EVENT, z.object(forClient)),
  ])
  .meta({ id: 'CallbackEndpointEvent', description: 'What an endpoint of a client application is told.' });
