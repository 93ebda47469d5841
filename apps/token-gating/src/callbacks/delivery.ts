import { operationEvent, type TokenGatingRole, userPlatform } from '@app/dto';
import { createHash } from 'node:crypto';
import { z } from 'zod';
import { checkResult } from '../rules/check-result.js';
import { ulid, uuidToULID } from 'ulid';
import { type EndpointEvent, endpointEvent } from './endpoints/endpoint-events.js';
import { type SealedSecrets, sealedSecret } from './endpoints/endpoint-secrets.js';

/** Creates a `msg_<ULID>`. All attempts of a delivery share it, so that receivers can deduplicate. */
export const createDeliveryId = (): string => `msg_${ulid()}`;

/** The id of the first delivery about something with this UUID: the same when its row is made again after a restore. */
export const toDeliveryId = (uuid: string): string => `msg_${uuidToULID(uuid)}`;

/** Derives a UUID from its parts (RFC 9562, version 8), so that a repeated job gets the same id. */
export function createNameBasedUuid(...parts: readonly string[]): string {
  const bytes = createHash('sha256').update(JSON.stringify(parts)).digest().subarray(0, 16);
  bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | 0x80, 6);
  bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8);
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}

/** The member whose roles changed. Receivers order changes by `at` (ISO 8601), because deliveries may arrive out of order. */
export const roleChangeSubject = z.object({
  communityId: z.string(),
  userId: z.string(),
  platform: userPlatform.optional().meta({ description: 'Only with `platformUserId`' }),
  platformUserId: z.string().optional().meta({
    description:
      "The member's id on the platform, for client applications that reported it or where it is a number",
  }),
  at: z.iso.datetime(),
});
export type RoleChangeSubject = z.infer<typeof roleChangeSubject>;

const [userOperationEvent, transactionEvent] = operationEvent.options;
const changeFields = { account: true, state: true, seq: true, at: true } as const;

/** A change of an operation. Receivers order changes by `seq`, because deliveries may arrive out of order. */
export const operationChange = z.union([
  userOperationEvent
    .pick({ ...changeFields, chainId: true, userOpHash: true })
    .required({ userOpHash: true })
    .strip(),
  transactionEvent
    .pick({ ...changeFields, network: true, txSignature: true })
    .required({ txSignature: true })
    .strip(),
]);
export type OperationChange = z.infer<typeof operationChange>;

/** What a callback says: the result of a check, the changed roles of one member, or a challenge for the receiver. */
const callbackPayload = z.object({
  ...roleChangeSubject.partial().shape,
  challenge: z.string().optional(),
  /** Says that the callback goes to the receiver of operations. */
  receiver: z.literal('operations').optional(),
  operation: operationChange.optional(),
  /** The community of an event for an endpoint: the release before takes `communityId` for a role callback's. */
  eventCommunityId: z.string().optional(),
  /** What an endpoint of a client application is told. */
  event: endpointEvent.optional(),
  roles: checkResult.shape.roles,
  errors: checkResult.shape.errors.default([]),
});

/** A delivery that this instance has claimed, with its content. */
const claimedDelivery = z
  .object({
    id: z.string(),
    /** The tenant; empty for a callback of the previous release. */
    tenantId: z.string(),
    /** Number of this attempt, from 1. */
    attempt: z.int(),
    /** Attempts before the delivery was last sent again. */
    repeatBase: z.int(),
    url: z.string().refine((text) => URL.canParse(text), 'must be a URL'),
    requestId: z.uuid(),
    clientId: z.string(),
    payload: callbackPayload,
    /** The endpoint of the client application that the delivery goes to; null for a URL of a check, of roles or of operations. */
    endpointId: z.string().nullable(),
    /** The endpoint whose secrets sign beside the callback keys. */
    signingEndpointId: z.string().nullable(),
    sealedSecret: sealedSecret.nullable(),
    sealedPreviousSecret: sealedSecret.nullable(),
    /** False when the client application no longer receives this callback. */
    isWanted: z.boolean(),
    /** True while the community of the callback is suspended. */
    isHeld: z.boolean(),
    /** The trace in which the check's delivery continues. */
    traceparent: z.string().nullable(),
  })
  // Limits apply per receiver of a tenant: scheme, host and port.
  .transform(({ signingEndpointId, sealedSecret: current, sealedPreviousSecret: previous, ...row }) => ({
    ...row,
    secrets: toSealedSecrets(signingEndpointId, current, previous),
    receiver: { tenantId: row.tenantId, origin: new URL(row.url).origin },
  }));
export type ClaimedDelivery = z.infer<typeof claimedDelivery>;

const claimedRow = z.object({ id: z.string() });

/** A claimed row that this release cannot read. */
export interface UnreadableDelivery {
  readonly id: string;
  readonly reason: string;
}

/** Parses row by row, so that a row of another release, or a damaged one, stops no other delivery. */
export function parseClaimedDeliveries(rows: readonly unknown[]): {
  readonly deliveries: ClaimedDelivery[];
  readonly unreadable: UnreadableDelivery[];
} {
  const deliveries: ClaimedDelivery[] = [];
  const unreadable: UnreadableDelivery[] = [];
  for (const row of rows) {
    const parsed = claimedDelivery.safeParse(row);
    if (parsed.success) deliveries.push(parsed.data);
    else {
      const paths = parsed.error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`);
      unreadable.push({ id: claimedRow.parse(row).id, reason: paths.join('; ') });
    }
  }
  return { deliveries, unreadable };
}

function toSealedSecrets(
  endpointId: string | null,
  current: Buffer | null,
  previous: Buffer | null,
): SealedSecrets | undefined {
  return endpointId === null || current === null ? undefined : { endpointId, current, previous };
}

type RoleContent = RoleChangeSubject | { readonly communityId: string; readonly challenge: string };
type OperationContent = { readonly operation: OperationChange } | { readonly challenge: string };

/**
 * The content of a delivery to an endpoint. Ids of community and user are where a deletion finds them. The release before takes a row with
 * `communityId: ''` for a callback of a community that is gone, and ends it.
 */
export type EndpointContent = { readonly communityId: ''; readonly roles: [] } & (
  | { readonly challenge: string }
  | {
      readonly event: EndpointEvent;
      readonly userId?: string | undefined;
      readonly eventCommunityId?: string | undefined;
    }
);

export type CallbackContent =
  | EndpointContent
  | (RoleContent & { readonly roles: readonly TokenGatingRole[] })
  | (OperationContent & { readonly receiver: 'operations'; readonly communityId: ''; readonly roles: [] });

/** The previous release takes it for a callback of a community that is gone, and ends it. */
export const toOperationContent = (content: OperationContent): CallbackContent => ({
  ...content,
  receiver: 'operations',
  communityId: '',
  roles: [],
});

/** A callback to be delivered that no check has: a change of roles or of an operation, or a challenge that comes before. */
export interface NewCallback {
  /** The id by which a repeated callback is recognised; a new one where it is missing. */
  readonly id?: string;
  /** The endpoint that it goes to. */
  readonly endpointId?: string;
  readonly clientId: string;
  readonly tenantId: string;
  readonly url: string;
  readonly delayMs: number;
  readonly payload: CallbackContent;
}

/** The result of one attempt. */
export interface AttemptRecord {
  /** Unix milliseconds. */
  startedAt: number;
  milliseconds: number;
  /** HTTP status; undefined without a response. */
  status: number | undefined;
  /** Why there was no response, or not the right one. */
  failure: string | undefined;
  /** The beginning of what a receiver at a public address answered. */
  answer?: string | undefined;
}

/** The state of a delivery after an attempt. */
export type NextStep = { state: 'delivered' } | { state: 'failed' } | { state: 'pending'; delayMs: number };

/** A finished attempt and the next step of its delivery. */
export interface AttemptOutcome {
  delivery: ClaimedDelivery;
  record: AttemptRecord;
  next: NextStep;
}
