import { endpointEventType, EVENT_SCOPES, type Scope } from '@app/dto';
import { z } from 'zod';

/** The scopes of an application that has something to be told. */
export const ENDPOINT_SCOPES: readonly Scope[] = [
  ...new Set(Object.values(EVENT_SCOPES).filter((scope) => scope !== null)),
];

/** The scopes that these events need: all of them where this release does not know an event. */
export function findScopesOfEvents(types: readonly string[]): Scope[] {
  const known = types.map((type) => endpointEventType.safeParse(type).data);
  const scopes = known.flatMap((type) => (type ? (EVENT_SCOPES[type] ?? []) : ENDPOINT_SCOPES));
  return [...new Set(scopes)];
}

/** The type of a test delivery, which needs no subscription. */
export const TEST_EVENT = 'endpoint.test';

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
