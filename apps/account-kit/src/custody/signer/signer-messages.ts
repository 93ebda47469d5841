import { z } from 'zod';
import { platform } from '../../owners/platform-user.js';

/**
 * @param send gets the messages of each turn of the event loop together
 * @returns a function that has a message sent
 */
export function collectMessages<T>(send: (messages: T[]) => void): (message: T) => void {
  let collected: T[] = [];
  return (message) => {
    if (collected.push(message) > 1) return;
    setImmediate(() => {
      const messages = collected;
      collected = [];
      send(messages);
    });
  };
}

const hex = z.templateLiteral(['0x', z.string()]);
const amount = z.string().regex(/^\d{1,78}$/);

/** What the signer process does. Each message names its subject; the process loads and checks it itself. */
const signerRequest = z.discriminatedUnion('type', [
  z.object({ type: z.literal('ping') }),
  z.object({ type: z.literal('deriveAddresses'), platform, userId: z.string() }),
  z.object({ type: z.literal('openAccountKey'), accountId: z.uuid() }),
  z.object({ type: z.literal('signUserOperation'), operationId: z.uuid() }),
  z.object({ type: z.literal('signPaymasterData'), operationId: z.uuid() }),
  z.object({ type: z.literal('deriveActionAddress'), accountId: z.uuid(), clientId: z.string() }),
  z.object({
    type: z.literal('signActionBytes'),
    accountId: z.uuid(),
    clientId: z.string(),
    cid: z.string(),
    bytes: hex,
  }),
  z.object({ type: z.literal('signSolanaTransaction'), transactionId: z.uuid() }),
  z.object({ type: z.literal('openCodehostSecret'), clientId: z.string() }),
  z.object({ type: z.literal('listExecutors') }),
  z.object({
    type: z.literal('signExecutorTransaction'),
    executor: hex,
    chainId: z.int(),
    nonce: z.int(),
    entryPoint: hex,
    data: hex,
    gas: amount,
    maxFeePerGas: amount,
    maxPriorityFeePerGas: amount,
  }),
]);
export type SignerRequest = z.infer<typeof signerRequest>;
export type SignerRequestOf<Type extends SignerRequest['type']> = Extract<SignerRequest, { type: Type }>;

const signerCall = z.object({ callId: z.int(), request: signerRequest });
export type SignerCall = z.infer<typeof signerCall>;
/** A message to the process: what is asked at the same time. */
export const signerCalls = z.array(signerCall);

/** The error that callers are answered: that of AppError. */
const answer = z.object({
  name: z.string(),
  statusCode: z.int(),
  message: z.string(),
  details: z.record(z.string(), z.unknown()),
});
export type SignerAnswer = Readonly<z.infer<typeof answer>>;

/** `refused`: what was asked for must not be signed. `unavailable`: the process could not look. */
const signerReply = z.object({
  callId: z.int(),
  outcome: z.discriminatedUnion('status', [
    z.object({ status: z.literal('done'), result: z.unknown() }),
    z.object({ status: z.literal('refused'), reason: z.string(), answer: answer.optional() }),
    z.object({ status: z.literal('unavailable'), reason: z.string() }),
  ]),
});
export type SignerReply = z.infer<typeof signerReply>;
export type SignerOutcome = SignerReply['outcome'];
/** A message from the process: what ended at the same time, in any order. */
export const signerReplies = z.array(signerReply);

export const derivedAddresses = z.object({
  keyRootId: z.string(),
  signerAddress: hex,
  actionAddress: hex,
  solanaAddresses: z.object({ SOL: z.string(), SOL_DEVNET: z.string() }),
});
export type DerivedAddresses = Readonly<z.infer<typeof derivedAddresses>>;

export const derivedActionAddress = z.object({ keyRootId: z.string(), address: hex });
export type DerivedActionAddress = Readonly<z.infer<typeof derivedActionAddress>>;

export const operationSignature = z.object({ hash: hex, signature: hex });
export type OperationSignature = Readonly<z.infer<typeof operationSignature>>;

/** `validUntil` in seconds since 1970. */
export const signedPaymasterData = z.object({ validUntil: z.int(), paymasterData: hex });
export type SignedPaymasterData = Readonly<z.infer<typeof signedPaymasterData>>;

/** Null if the client application has no OAuth application. */
export const codehostSecret = z
  .object({ oauthClientId: z.string(), version: z.uuid(), secret: z.string() })
  .nullable();
export type CodehostSecret = Readonly<NonNullable<z.infer<typeof codehostSecret>>>;

export const executorAddresses = z.array(hex);
export const rawTransaction = hex;
export const actionSignature = hex;

/** `address` is base58, `signature` 64 bytes in base64. */
const solanaSignature = z.object({ address: z.string(), signature: z.base64() });
export type SolanaSignature = Readonly<z.infer<typeof solanaSignature>>;

/** The sponsor's, if there is one, and the account's. */
export const solanaSignatures = z.array(solanaSignature).min(1).max(2);
