import { createConfigClass, opaqueTokenConfigSchema, publicUrlsConfigSchema } from '@app/config';

export const invitationConfigSchema = opaqueTokenConfigSchema.extend(
  publicUrlsConfigSchema.pick({ PUBLIC_URL: true }).shape,
);

export class InvitationConfig extends createConfigClass(invitationConfigSchema) {}
