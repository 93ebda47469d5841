import { z } from 'zod';
import { DEVICE_PLATFORMS } from './default-passkey-name.js';
import { profileName } from '../users/profile/profile-fields.js';

const encoded = (max: number) =>
  z
    .string()
    .min(1)
    .max(max)
    .regex(/^[A-Za-z0-9_-]+$/);

const registrationResponse = z.object({
  id: encoded(1_400),
  rawId: encoded(1_400),
  type: z.literal('public-key'),
  clientExtensionResults: z.record(z.string(), z.unknown()).default({}),
  response: z.object({
    clientDataJSON: encoded(8_192),
    attestationObject: encoded(16_384),
    transports: z
      .array(z.string().regex(/^[a-z-]{1,16}$/))
      .max(8)
      .default([]),
  }),
});
export type RegistrationResponse = z.output<typeof registrationResponse>;

/** What the page sends when an authenticator has made a passkey. */
export const newPasskey = z.strictObject({
  /** As in the options, whose challenge is bound to it. */
  userHandle: z.string().regex(/^[A-Za-z0-9_-]{43}$/),
  response: registrationResponse,
  /** The system of the browser, for the name of the passkey. */
  platform: z.enum(DEVICE_PLATFORMS).optional(),
});
export type NewPasskey = z.output<typeof newPasskey>;

export const assertionResponse = z.object({
  id: encoded(1_400),
  rawId: encoded(1_400),
  type: z.literal('public-key'),
  clientExtensionResults: z.record(z.string(), z.unknown()).default({}),
  response: z.object({
    clientDataJSON: encoded(8_192),
    authenticatorData: encoded(8_192),
    signature: encoded(4_096),
    // Passkeys are discoverable, so the authenticator always names the user.
    userHandle: encoded(128),
  }),
});
export type AssertionResponse = z.output<typeof assertionResponse>;

export const passkey = z
  .object({
    id: z.string(),
    name: z.string(),
    backedUp: z
      .boolean()
      .meta({ description: 'Whether the passkey is copied to other devices of its owner' }),
    createdTime: z.iso.datetime(),
  })
  .meta({ id: 'Passkey' });

export const passkeyList = z.object({ items: z.array(passkey) }).meta({ id: 'PasskeyList' });

export const passkeyParams = z.object({
  id: z.string().min(1).max(64).meta({ description: 'The id of a passkey', example: 'passkey_unknown' }),
});
export type PasskeyParams = z.output<typeof passkeyParams>;

export const passkeyChange = z
  .strictObject({
    name: profileName.meta({ description: '1 to 64 code points without invisible ones; stored in NFC' }),
  })
  .meta({ id: 'PasskeyChange', example: { name: 'Phone' } });
export type PasskeyChange = z.output<typeof passkeyChange>;
