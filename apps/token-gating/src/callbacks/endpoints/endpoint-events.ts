import { tokenGatingResponse, userPlatform } from '@app/dto';
import { z } from 'zod';

/** The events that an endpoint may subscribe to. */
export const endpointEventType = z.enum([
  'role.granted',
  'role.revoked',
  'member.joined',
  'member.left',
  'member.removed',
  'check.completed',
  'operation.changed',
]);
export type EndpointEventType = z.output<typeof endpointEventType>;

/** The type of a test delivery, which needs no subscription. */
export const TEST_EVENT = 'endpoint.test';

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

const createEventSchema = <T extends string, S extends z.ZodType>(type: T, data: S) =>
  z.object({
    type: z.literal(type),
    timestamp: z.iso
      .datetime()
      .meta({ description: 'When it happened. Deliveries may arrive in another order' }),
    data,
  });

/** An event as it is sent: the whole body of a delivery to an endpoint. `data` is checked where the event is made. */
export const endpointEvent = z
  .object({
    // Text, because another release may know further events.
    type: z.string(),
    timestamp: z.iso.datetime(),
    data: z.record(z.string(), z.unknown()),
  })
  .strip();
export type EndpointEvent = z.output<typeof endpointEvent>;

/** The bodies that endpoints get, for the document. */
export const endpointEventBody = z
  .union([
    createEventSchema('role.granted', roleData),
    createEventSchema('role.revoked', roleData),
    createEventSchema('member.joined', memberData),
    createEventSchema('member.left', memberData),
    createEventSchema('member.removed', memberData),
    createEventSchema('check.completed', checkData),
    createEventSchema(TEST_EVENT, z.object(forClient)),
  ])
  .meta({ id: 'CallbackEndpointEvent', description: 'What an endpoint of a client application is told.' });
