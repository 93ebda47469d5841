import { z } from 'zod';

/** Consumers deduplicate events by `id`. `at` is the database's time, in UTC. */
const baseFields = { id: z.uuid(), at: z.iso.datetime() };
const identifier = z.string().min(1).max(256);

const memberFields = { ...baseFields, communityId: identifier, userId: identifier };

/** The apps whose events analytics counts. */
export const EVENT_PRODUCERS = ['identity', 'token-gating'] as const;
export type EventProducer = (typeof EVENT_PRODUCERS)[number];

/** The events until `at` have left the outbox of the app that sends this. */
const heartbeat = { ...baseFields, type: z.literal('producer.heartbeat') };

/** An operator erased the person behind the user, who has left all communities then. */
const userErased = { ...baseFields, type: z.literal('user.erased'), userId: identifier };

/** An event of a community, from token-gating to analytics. */
export const communityEvent = z.discriminatedUnion('type', [
  z.strictObject({ ...memberFields, type: z.literal('member.joined') }),
  z.strictObject({ ...memberFields, type: z.literal('member.left') }),
  z.strictObject({ ...memberFields, type: z.literal('role.granted'), roleId: identifier }),
  z.strictObject({ ...memberFields, type: z.literal('role.revoked'), roleId: identifier }),
  z.strictObject({ ...memberFields, type: z.literal('wallet.linked'), accountId: identifier }),
  z.strictObject({ ...memberFields, type: z.literal('wallet.unlinked'), accountId: identifier }),
  /** The roles of the member were asked for: at most one a quarter-hour, whose begin is `at`. */
  z.strictObject({ ...memberFields, type: z.literal('member.checked') }),
  /** The member signed in to a client application that is attached to the community. */
  z.strictObject({ ...memberFields, type: z.literal('member.signed_in') }),
  /** A client application that is attached to the community reported that the member did something there. */
  z.strictObject({ ...memberFields, type: z.literal('member.reported') }),
  z.strictObject({ ...baseFields, type: z.literal('community.deleted'), communityId: identifier }),
  z.strictObject(userErased),
  z.strictObject({ ...heartbeat, producer: z.enum(EVENT_PRODUCERS) }),
]);
export type CommunityEvent = z.infer<typeof communityEvent>;

/** What a member of a community did, or what happened to them. */
export type MemberEvent = Extract<CommunityEvent, { communityId: string; userId: string }>;

/** A user linked or unlinked a wallet, or another user linked a wallet that this one has; from identity to token-gating. */
export const walletEvent = z.strictObject({
  ...baseFields,
  type: z.enum(['wallet.linked', 'wallet.unlinked', 'wallet.shared']),
  userId: identifier,
  /** CAIP-10. */
  accountId: identifier,
  /** The community in which the wallet of a platform user counts; absent for a wallet that counts everywhere. */
  communityId: identifier.optional(),
});
export type WalletEvent = z.infer<typeof walletEvent>;

/** What a user did, or an operator decided, from identity to token-gating, which knows the communities and endpoints that it concerns. */
export const userEvent = z.discriminatedUnion('type', [
  /** The user got tokens for a client application by signing in, not by refreshing older ones. */
  z.strictObject({
    ...baseFields,
    type: z.literal('user.signed_in'),
    userId: identifier,
    clientId: identifier,
  }),
  /**
   * The client application may no longer have credentials issued for the user: the user disconnected it or refused the scope, or its
   * last grant with this scope was revoked.
   */
  z.strictObject({
    ...baseFields,
    type: z.literal('consent.ended'),
    userId: identifier,
    clientId: identifier,
  }),
  z.strictObject(userErased),
  /** An operator approved a client application, which has these scopes now. */
  z.strictObject({
    ...baseFields,
    type: z.literal('application.approved'),
    clientId: identifier,
    scopes: z.array(identifier),
  }),
  z.strictObject(heartbeat),
]);
export type UserEvent = z.infer<typeof userEvent>;

const operationFields = {
  ...baseFields,
  clientId: identifier,
  /** Address of the account. */
  account: identifier,
  /** Rises with each change of the operation, from 1 for `accepted`. */
  seq: z.int().positive(),
};

export const operationKind = z.enum(['call', 'mint', 'cancellation']);
export type OperationKind = z.infer<typeof operationKind>;

/** The states of a Solana transaction of a smart account (contract.md section 10). */
export const solanaTransactionState = z.enum([
  'accepted',
  'signed',
  'submitted',
  'included',
  'final',
  'reverted',
  'rejected',
  'expired',
]);
export type SolanaTransactionState = z.infer<typeof solanaTransactionState>;

/** The states of a user operation (contract.md section 10). */
export const operationState = z.enum([...solanaTransactionState.options, 'stuck']);
export type OperationState = z.infer<typeof operationState>;

/**
 * The state of a user operation or of a Solana transaction changed; from account-kit. An operation that was never signed has no hash,
 * and a transaction that was never signed no signature.
 */
export const operationEvent = z.discriminatedUnion('type', [
  z.strictObject({
    ...operationFields,
    type: z.literal('operation.changed'),
    chainId: z.int().positive(),
    userOpHash: identifier.optional(),
    kind: operationKind,
    state: operationState,
  }),
  z.strictObject({
    ...operationFields,
    type: z.literal('transaction.changed'),
    network: z.enum(['SOL', 'SOL_DEVNET']),
    txSignature: identifier.optional(),
    state: solanaTransactionState,
  }),
]);
export type OperationEvent = z.infer<typeof operationEvent>;

/** Events per job of an event queue. */
export const MAX_EVENTS_PER_BATCH = 500;
